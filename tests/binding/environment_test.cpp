#include "binding/environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

namespace bindgate {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Variables = std::map<std::string, std::string>;

Placement two_threads(Variables environment = {}) {
  Placement placement;
  placement.cpus = {0, 1};
  placement.threads = 2;
  placement.environment = std::move(environment);
  return placement;
}

Machine with_isa(const std::string& isa, const std::string& vendor = "GenuineIntel") {
  Machine machine;
  machine.traits = {{"isa", isa}, {"cpu_vendor", vendor}};
  return machine;
}

TEST(LaunchEnvironment, SetsWhatMakesMostOfTheNoise) {
  EXPECT_EQ(launch_environment({}, two_threads(), {}).set,
            (Variables{{"MALLOC_MMAP_THRESHOLD_", "1073741824"},
                       {"MALLOC_TRIM_THRESHOLD_", "4294967296"},
                       {"MALLOC_TOP_PAD_", "67108864"},
                       {"OMP_NUM_THREADS", "2"},
                       {"OPENBLAS_NUM_THREADS", "2"},
                       {"MKL_NUM_THREADS", "2"},
                       {"OMP_WAIT_POLICY", "passive"},
                       {"OMP_DYNAMIC", "false"},
                       {"OMP_PROC_BIND", "false"},
                       {"LC_ALL", "C"}}));
}

TEST(LaunchEnvironment, RemovesAndListsWhatFightsTheVariant) {
  const Variables inherited{{"OMP_PLACES", "cores"},     {"GOMP_CPU_AFFINITY", "0"}, {"KMP_AFFINITY", "compact"},
                            {"VECLIB_NUM_THREADS", "1"}, {"MALLOC_ARENA_MAX", "1"},  {"GLIBC_TUNABLES", "x"},
                            {"BENCHMARK_FILTER", "all"}, {"BINDGATE_THREADS", "9"},  {"HOME", "/home/someone"},
                            {"COMP_WORDS", "1"}};
  const LaunchEnvironment environment = launch_environment(inherited, two_threads(), {});
  EXPECT_THAT(environment.removed,
              ElementsAre("BENCHMARK_FILTER", "BINDGATE_THREADS", "GLIBC_TUNABLES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY",
                          "MALLOC_ARENA_MAX", "OMP_PLACES", "VECLIB_NUM_THREADS"));
  EXPECT_THAT(environment.complete, Contains("HOME=/home/someone"));
  EXPECT_THAT(environment.complete, Contains("COMP_WORDS=1"));
  EXPECT_THAT(environment.complete, Not(Contains("OMP_PLACES=cores")));
}

TEST(LaunchEnvironment, KeepsWhatSaysWhereProgramsFindTheirData) {
  const Variables inherited{{"BINDGATE_CACHE", "/cache"}, {"BINDGATE_IMAGES", "/pictures"}, {"BINDGATE_OTHER", "x"}};
  const LaunchEnvironment environment = launch_environment(inherited, two_threads(), {});
  EXPECT_THAT(environment.complete, Contains("BINDGATE_CACHE=/cache"));
  EXPECT_THAT(environment.complete, Contains("BINDGATE_IMAGES=/pictures"));
  EXPECT_THAT(environment.removed, ElementsAre("BINDGATE_OTHER"));
}

TEST(LaunchEnvironment, ReplacesACallersThreadCountAndListsItAsRemoved) {
  const LaunchEnvironment environment = launch_environment({{"OMP_NUM_THREADS", "64"}}, two_threads(), {});
  EXPECT_THAT(environment.complete, Contains("OMP_NUM_THREADS=2"));
  EXPECT_THAT(environment.complete, Not(Contains("OMP_NUM_THREADS=64")));
  EXPECT_THAT(environment.removed, ElementsAre("OMP_NUM_THREADS"));
}

TEST(LaunchEnvironment, LetsTheVariantWinOverAllOthers) {
  const auto placement = two_threads({{"OMP_PROC_BIND", "close"}, {"OPENBLAS_CORETYPE", "Zen"}});
  const LaunchEnvironment environment = launch_environment({{"OPENBLAS_CORETYPE", "Haswell"}}, placement,
                                                           {{"OPENBLAS_CORETYPE", "SkylakeX"}});
  EXPECT_EQ(environment.set.at("OMP_PROC_BIND"), "close");
  EXPECT_EQ(environment.set.at("OPENBLAS_CORETYPE"), "Zen");
  EXPECT_THAT(environment.complete, Contains("OPENBLAS_CORETYPE=Zen"));
  EXPECT_THAT(environment.findings, ElementsAre());
}

TEST(LaunchEnvironment, LetsTheMachinesOwnerWinOverUsAndSaysSo) {
  const LaunchEnvironment environment =
      launch_environment({{"OPENBLAS_CORETYPE", "Haswell"}, {"OPENBLAS_L2_SIZE", "512"}}, two_threads(),
                         {{"OPENBLAS_CORETYPE", "SkylakeX"}});
  EXPECT_FALSE(environment.set.contains("OPENBLAS_CORETYPE"));
  EXPECT_THAT(environment.complete, Contains("OPENBLAS_CORETYPE=Haswell"));
  EXPECT_THAT(environment.complete, Contains("OPENBLAS_L2_SIZE=512"));
  EXPECT_THAT(environment.findings,
              ElementsAre("OPENBLAS_CORETYPE=Haswell is inherited and stays; unset it to let bindgate choose",
                          "OPENBLAS_L2_SIZE=512 is inherited and stays; unset it to let bindgate choose"));
}

TEST(LaunchEnvironment, DoesNotTakeThreadCountsFromTheMachinesOwner) {
  const LaunchEnvironment environment = launch_environment({{"OPENBLAS_NUM_THREADS", "8"}}, two_threads(), {});
  EXPECT_THAT(environment.complete, Contains("OPENBLAS_NUM_THREADS=2"));
  EXPECT_THAT(environment.removed, ElementsAre("OPENBLAS_NUM_THREADS"));
}

TEST(LaunchEnvironment, LetsTheProgramWinOverOurDefaults) {
  const LaunchEnvironment environment =
      launch_environment({}, two_threads(), {{"OMP_WAIT_POLICY", "active"}, {"BINDGATE_THREADS", "2"}});
  EXPECT_EQ(environment.set.at("OMP_WAIT_POLICY"), "active");
  EXPECT_THAT(environment.complete, Contains("BINDGATE_THREADS=2"));
}

TEST(LaunchEnvironment, TakesAPreloadedNumaShimAwayAndKeepsOtherLibraries) {
  const Variables inherited{{"LD_PRELOAD", "libjemalloc.so /opt/libnuma_shim.so:/a/numa/liblog.so"}};
  const LaunchEnvironment environment = launch_environment(inherited, two_threads(), {});
  EXPECT_THAT(environment.complete, Contains("LD_PRELOAD=libjemalloc.so:/a/numa/liblog.so"));
  EXPECT_THAT(environment.removed, ElementsAre("LD_PRELOAD"));
  EXPECT_THAT(environment.findings, ElementsAre("LD_PRELOAD: /opt/libnuma_shim.so may change where memory lies and is "
                                                "taken away; a variant that needs it sets it"));
}

TEST(LaunchEnvironment, TakesTheVariableAwayWhereAShimIsAllThatIsPreloaded) {
  const LaunchEnvironment environment = launch_environment({{"LD_PRELOAD", "libnuma.so.1"}}, two_threads(), {});
  EXPECT_THAT(environment.complete, Not(Contains(testing::StartsWith("LD_PRELOAD="))));
  EXPECT_THAT(environment.removed, ElementsAre("LD_PRELOAD"));
}

TEST(LaunchEnvironment, LeavesOtherPreloadedLibrariesAlone) {
  const LaunchEnvironment environment = launch_environment({{"LD_PRELOAD", "libjemalloc.so"}}, two_threads(), {});
  EXPECT_THAT(environment.complete, Contains("LD_PRELOAD=libjemalloc.so"));
  EXPECT_THAT(environment.removed, ElementsAre());
  EXPECT_THAT(environment.findings, ElementsAre());
}

TEST(LaunchEnvironment, PreloadsAShimForTheVariantThatOwnsIt) {
  const auto placement = two_threads({{"LD_PRELOAD", "/opt/libnuma_shim.so"}});
  EXPECT_THAT(launch_environment({{"LD_PRELOAD", "libnuma.so.1"}}, placement, {}).complete,
              Contains("LD_PRELOAD=/opt/libnuma_shim.so"));
}

TEST(LaunchEnvironment, TakesAwayWhatPinsThreadsAndKeepsWhatTheVariantOwns) {
  const Variables inherited{{"OMP_PROC_BIND", "close"},
                            {"OMP_PLACES", "cores"},
                            {"GOMP_CPU_AFFINITY", "0"},
                            {"KMP_AFFINITY", "compact"},
                            {"MKL_NUM_THREADS", "1"}};
  const auto placement = two_threads({{"OMP_PLACES", "threads"}});
  const LaunchEnvironment environment = launch_environment(inherited, placement, {});
  EXPECT_THAT(environment.complete, Contains("OMP_PLACES=threads"));
  EXPECT_THAT(environment.complete, Contains("OMP_PROC_BIND=false"));
  EXPECT_THAT(environment.complete, Contains("MKL_NUM_THREADS=2"));
  EXPECT_THAT(environment.removed, ElementsAre("GOMP_CPU_AFFINITY", "KMP_AFFINITY", "MKL_NUM_THREADS", "OMP_PLACES",
                                               "OMP_PROC_BIND"));
}

TEST(LaunchEnvironment, TellsAProgramWhereItsWorkersBelongOnlyWhereThePlacementSays) {
  Placement placement = two_threads();
  const Variables inherited{{"BINDGATE_WORKER_CPUS", "9"}};
  EXPECT_THAT(launch_environment(inherited, placement, {}).complete,
              Not(Contains(testing::StartsWith("BINDGATE_WORKER_CPUS="))));
  placement.workers = {2, 3};
  EXPECT_THAT(launch_environment(inherited, placement, {}).complete, Contains("BINDGATE_WORKER_CPUS=2-3"));
}

TEST(LaunchEnvironment, IsSortedAndHasEachNameOnce) {
  const LaunchEnvironment environment = launch_environment({{"LC_ALL", "de_DE"}, {"A", "1"}}, two_threads(), {});
  EXPECT_TRUE(std::is_sorted(environment.complete.begin(), environment.complete.end()));
  EXPECT_THAT(environment.complete, Contains("LC_ALL=C"));
  EXPECT_THAT(environment.complete, Not(Contains("LC_ALL=de_DE")));
}

TEST(EnvironmentOfProcess, HasWhatWasSet) {
  setenv("A_TEST_OF_BINDGATE", "a=b", 1);
  EXPECT_EQ(environment_of_process().at("A_TEST_OF_BINDGATE"), "a=b");
  unsetenv("A_TEST_OF_BINDGATE");
}

TEST(EnvironmentOf, AProcessIsAsItWasStarted) {
  setenv("A_TEST_OF_BINDGATE", "a=b", 1);
  const auto environment = environment_of(getpid());
  unsetenv("A_TEST_OF_BINDGATE");
  ASSERT_TRUE(environment) << environment.error().message;
  EXPECT_EQ(environment->at("PATH"), std::getenv("PATH"));
  EXPECT_FALSE(environment->contains("A_TEST_OF_BINDGATE"));
  EXPECT_THAT(environment_of(0).error().message, HasSubstr("/proc/0/environ"));
}

TEST(BetterBlasCore, LiftsACoreThatIsBelowTheCpu) {
  EXPECT_EQ(better_blas_core("Prescott", with_isa("avx2")), "Haswell");
  EXPECT_EQ(better_blas_core("Prescott", with_isa("avx2", "AuthenticAMD")), "Zen");
  EXPECT_EQ(better_blas_core("Prescott", with_isa("avx512")), "SkylakeX");
  EXPECT_EQ(better_blas_core("Haswell", with_isa("avx512")), "SkylakeX");
  EXPECT_EQ(better_blas_core("Zen", with_isa("avx512_bf16", "AuthenticAMD")), "Cooperlake");
  EXPECT_EQ(better_blas_core("Nehalem", with_isa("amx")), "Cooperlake");
  EXPECT_EQ(better_blas_core("Barcelona", with_isa("avx")), "Sandybridge");
}

TEST(BetterBlasCore, LeavesACoreThatWillDo) {
  EXPECT_EQ(better_blas_core("Haswell", with_isa("avx2")), std::nullopt);
  EXPECT_EQ(better_blas_core("Haswell", with_isa("avx2", "AuthenticAMD")), std::nullopt);
  EXPECT_EQ(better_blas_core("SkylakeX", with_isa("amx")), std::nullopt);
  EXPECT_EQ(better_blas_core("Cooperlake", with_isa("avx512_bf16")), std::nullopt);
  EXPECT_EQ(better_blas_core("Prescott", with_isa("sse4_2")), std::nullopt);
}

TEST(BetterBlasCore, DoesNotGuess) {
  EXPECT_EQ(better_blas_core("SapphireRapids", with_isa("avx512")), std::nullopt);
  EXPECT_EQ(better_blas_core("", with_isa("avx512")), std::nullopt);
  EXPECT_EQ(better_blas_core("Prescott", Machine{}), std::nullopt);
  EXPECT_EQ(better_blas_core("neoversen1", with_isa("sve")), std::nullopt);
}

}  // namespace
}  // namespace bindgate
