// The real programs are asked where they are installed; what they say is read from texts as Linux writes them.

#include "binding/wrappers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "binding/child.hpp"

namespace bindgate {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

Placement asked(IndexSet cpus, Memory memory = {}) {
  Placement placement;
  placement.cpus = std::move(cpus);
  placement.memory = std::move(memory);
  return placement;
}

Memory memory_in(const std::string& policy) {
  const auto placement = read_back("Name:\tcat\nCpus_allowed:\t3\nCpus_allowed_list:\t0-1\nMems_allowed_list:\t0\n"
                                   "55d0c0a00000 " + policy + " file=/usr/bin/cat mapped=2 N0=2 kernelpagesize_kB=4\n"
                                   "7f0000000000 default anon=1\n");
  EXPECT_TRUE(placement) << placement.error().message;
  return placement ? placement->memory : Memory{};
}

TEST(ReadBack, KnowsEveryPolicyAsTheKernelWritesIt) {
  EXPECT_EQ(memory_in("default"), Memory{});
  EXPECT_EQ(memory_in("local"), (Memory{MemoryPolicy::local, {}}));
  EXPECT_EQ(memory_in("bind:0-1"), (Memory{MemoryPolicy::bind, {0, 1}}));
  EXPECT_EQ(memory_in("bind=static:0"), (Memory{MemoryPolicy::bind, {0}}));
  EXPECT_EQ(memory_in("prefer:1"), (Memory{MemoryPolicy::preferred, {1}}));
  EXPECT_EQ(memory_in("prefer (many):0"), (Memory{MemoryPolicy::preferred_many, {0}}));
  EXPECT_EQ(memory_in("interleave:0,8"), (Memory{MemoryPolicy::interleave, {0, 8}}));
  EXPECT_EQ(memory_in("weighted interleave:0-1"), (Memory{MemoryPolicy::weighted_interleave, {0, 1}}));
}

TEST(ReadBack, TakesAKernelWithoutNumaForTheDefaultPolicy) {
  const auto placement =
      read_back("Cpus_allowed_list:\t2\ncat: /proc/self/numa_maps: No such file or directory\n", false);
  ASSERT_TRUE(placement) << placement.error().message;
  EXPECT_EQ(*placement, asked({2}));
}

TEST(ReadBack, TakesAPolicyThatCannotBeReadForNoneThatItKnows) {
  const auto placement = read_back("Cpus_allowed_list:\t2\ncat: /proc/self/numa_maps: Permission denied\n");
  ASSERT_FALSE(placement);
  EXPECT_EQ(placement.error().message, "the memory policy that it gives cannot be read from /proc/self/numa_maps: "
                                       "'cat: /proc/self/numa_maps: Permission denied'");
  EXPECT_FALSE(read_back("Cpus_allowed_list:\t2\n")) << "an empty file tells no policy either";
}

TEST(ReadBack, RefusesWhatItDoesNotKnow) {
  EXPECT_FALSE(read_back(""));
  EXPECT_FALSE(read_back("Cpus_allowed_list:\t0\n7f00 somewhere:0 anon=1\n"));
}

TEST(WrapperArguments, SayThePlacementInTheProgramsWords) {
  const auto words = [](const char* program, const Placement& placement) {
    return wrapper_arguments(program, placement).value_or(std::vector<std::string>{"cannot"});
  };
  const Placement bound = asked({0, 1, 4}, {MemoryPolicy::bind, {8}});
  EXPECT_THAT(words("taskset", asked({0, 1, 4})), ElementsAre("--cpu-list", "0-1,4"));
  EXPECT_THAT(words("numactl", bound), ElementsAre("--physcpubind=0-1,4", "--membind=8"));
  EXPECT_THAT(words("hwloc-bind", bound),
              ElementsAre("--physical", "--cpubind", "pu:0", "pu:1", "pu:4", "--membind", "node:8", "--"));
  EXPECT_THAT(words("taskset", bound), ElementsAre("cannot"));
  EXPECT_THAT(words("hwloc-bind", asked({0}, {MemoryPolicy::preferred, {0}})), ElementsAre("cannot"));
}

TEST(Wrapper, IsReadBackWhereItIsInstalled) {
  const Placement wanted = asked({*tests::allowed_cpus().last()});
  const auto wrapped = apply_through("taskset", wanted);
  if (!wrapped) GTEST_SKIP() << wrapped.error().message;
  EXPECT_EQ(wrapped->placement, wanted);
  EXPECT_EQ(wrapped->difference, "");
}

// A program of the wrapper's name that does something else, first in PATH.
class FakeWrapper : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "wrapperXXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    path_ = std::getenv("PATH") ? std::getenv("PATH") : "/usr/bin:/bin";
    setenv("PATH", (folder_.string() + ':' + path_).c_str(), 1);
  }
  void TearDown() override {
    setenv("PATH", path_.c_str(), 1);
    std::filesystem::remove_all(folder_);
  }
  void write(const std::string& program, const std::string& script) {
    const auto file = folder_ / program;
    std::ofstream(file) << "#!/bin/sh\n" << script << '\n';
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }

  std::filesystem::path folder_;
  std::string path_;
};

TEST_F(FakeWrapper, IsBelievedForWhatItGivesAndNotForWhatItWasAsked) {
  write("hwloc-bind", "printf 'Cpus_allowed_list:\\t0\\n7f00 prefer (many):0 anon=1\\n'");
  const auto wrapped = apply_through("hwloc-bind", asked({0, 1}, {MemoryPolicy::bind, {0}}));
  ASSERT_TRUE(wrapped) << wrapped.error().message;
  EXPECT_EQ(wrapped->placement, asked({0}, {MemoryPolicy::preferred_many, {0}}));
  EXPECT_EQ(wrapped->difference,
            "hwloc-bind gives CPUs 0, not 0-1, and memory preferred-many 0, not bind 0; "
            "--membind without --strict means preferred");
}

TEST_F(FakeWrapper, IsQuotedWhereItFails) {
  write("numactl", "echo 'libnuma: Warning: node argument 9 is out of range' >&2; exit 1");
  const auto wrapped = apply_through("numactl", asked({0}));
  ASSERT_FALSE(wrapped);
  EXPECT_EQ(wrapped.error().message, "numactl: libnuma: Warning: node argument 9 is out of range");
}

TEST_F(FakeWrapper, IsNotBelievedWhereWhatItDidToMemoryCannotBeRead) {
  if (access("/proc/self/numa_maps", F_OK) != 0) GTEST_SKIP() << "this kernel has no numa_maps";
  write("numactl", "printf 'Name:\\tcat\\nCpus_allowed_list:\\t0\\n'; echo 'cat: numa_maps: Permission denied' >&2");
  const auto wrapped = apply_through("numactl", asked({0}));
  ASSERT_FALSE(wrapped);
  EXPECT_EQ(wrapped.error().message, "numactl: the memory policy that it gives cannot be read from "
                                     "/proc/self/numa_maps: 'cat: numa_maps: Permission denied'");
}

TEST_F(FakeWrapper, IsMissedByItsPackage) {
  setenv("PATH", folder_.c_str(), 1);
  const auto wrapped = apply_through("hwloc-bind", asked({0}));
  ASSERT_FALSE(wrapped);
  EXPECT_EQ(wrapped.error().message, "hwloc-bind is not installed (Debian's package hwloc or hwloc-nox)");
}

TEST(WrapperVariants, ArePlannedAsTheyWereReadBack) {
  Machine machine;
  machine.source = "test";
  machine.live = true;
  machine.online = machine.allowed_cpus = {0, 1};
  machine.allowed_nodes = {0, 1};
  machine.nodes = {{0, {0, 1}, 1, "dram"}, {1, {}, 1, "dram"}};
  const std::vector<std::string> names{"preferred", "numactl", "wrapper:numactl", "wrapper:hwloc-bind"};
  const WrapperProbe probe = [](const std::string& program, const Placement& wish) -> Result<Wrapped> {
    Wrapped wrapped{wish, ""};
    if (program == "hwloc-bind") wrapped = {asked({0, 1}, {MemoryPolicy::preferred_many, {0}}), "weaker"};
    wrapped.placement.threads = wish.threads;
    return wrapped;
  };
  const auto plan = plan_variants(Catalogue(), machine, names, "none", probe);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->at(3).same_as, "numactl");
  EXPECT_EQ(plan->at(4).same_as, "preferred") << "preferring one of many is preferring one";
  EXPECT_EQ(plan->at(4).reason, "weaker");
  machine.live = false;
  EXPECT_THAT(plan_variants(Catalogue(), machine, names, "none", probe)->at(4).reason,
              StartsWith("what hwloc-bind does"));
}

}  // namespace
}  // namespace bindgate
