#include "binding/verification.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>

#include "binding/apply.hpp"
#include "binding/child.hpp"
#include "binding/pages.hpp"
#include "support/scratch_directory.hpp"

namespace bindgate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using tests::allowed_cpus;
using tests::WaitingChild;

constexpr std::uint64_t mebibyte = 1u << 20;

Placement on(IndexSet cpus, Memory memory = {}) {
  Placement placement;
  placement.cpus = std::move(cpus);
  placement.memory = std::move(memory);
  return placement;
}

ProcessFacts facts_of(std::vector<ThreadGroup> groups, NodeBytes anonymous = {}) {
  ProcessFacts facts;
  facts.process = 999999999;
  facts.groups = std::move(groups);
  facts.node_bytes = facts.anonymous_node_bytes = std::move(anonymous);
  return facts;
}

TEST(Verify, FitsWhereEveryThreadIsInPlace) {
  const auto facts = facts_of({{{0, 1}, "default", 12, {0}, {"python"}}});
  const Verification found = verify(facts, on({0, 1}), 2);
  EXPECT_EQ(found.status, ProofStatus::held);
  EXPECT_THAT(planned_repair(facts, on({0, 1}), 2), IsEmpty());
}

TEST(Verify, NamesEachGroupThatIsElsewhereAndWhatARepairWouldDo) {
  const auto facts =
      facts_of({{{0, 1}, "default", 1, {0}, {"python"}}, {{0, 1, 2, 3}, "default", 12, {0, 3}, {"omp", "io"}}});
  const Verification found = verify(facts, on({0, 1}), 1);
  EXPECT_EQ(found.status, ProofStatus::violated);
  EXPECT_THAT(found.misfits,
              ElementsAre("12 threads (omp, ...) may run on CPUs 0-3 instead of 0-1", StartsWith("likely: ")));
  EXPECT_THAT(planned_repair(facts, on({0, 1}), 1), ElementsAre("12 threads from CPUs 0-3 to CPUs 0-1"));
}

TEST(Verify, HoldsWorkersAgainstTheirOwnCpus) {
  const auto facts = facts_of({{{0}, "default", 1, {0}, {"trainer"}}, {{1}, "default", 4, {1}, {"worker"}, true}});
  Placement placement = on({0});
  EXPECT_EQ(verify(facts, placement, 1).status, ProofStatus::violated);
  placement.workers = {1};
  EXPECT_EQ(verify(facts, placement, 1).status, ProofStatus::held);
}

TEST(Verify, LetsARuntimeNarrowThreadsWhereTheVariantAsksItTo) {
  auto facts = facts_of({{{0, 1, 2, 3}, "", 1, {0}, {"main"}}, {{2}, "", 3, {2}, {"omp"}}});
  Placement placement = on({0, 1, 2, 3});
  EXPECT_EQ(verify(facts, placement, 1).status, ProofStatus::violated) << "nobody has asked for it";
  using Environment = std::map<std::string, std::string>;
  const Environment close{{"OMP_PLACES", "cores"}, {"OMP_PROC_BIND", "close"}};
  for (const Environment& environment : {close, Environment{{"OMP_PROC_BIND", "true"}}, {{"OMP_PLACES", "cores"}}}) {
    facts.environment = placement.environment = environment;
    EXPECT_THAT(verify(facts, placement, 1).misfits, IsEmpty()) << environment.begin()->first;
    EXPECT_THAT(planned_repair(facts, placement, 1), IsEmpty()) << environment.begin()->first;
  }
  placement.environment = {{"OMP_PLACES", "cores"}, {"OMP_PROC_BIND", "FALSE"}};
  EXPECT_EQ(verify(facts, placement, 1).status, ProofStatus::violated) << "it is asked not to";
  placement.environment = {{"OMP_PROC_BIND", "close"}};
  placement.cpus = {0, 1};
  EXPECT_THAT(verify(facts, placement, 1).misfits, Not(IsEmpty())) << "a wider mask or another is never right";
  EXPECT_EQ(planned_repair(facts, placement, 1).size(), 2u);
}

TEST(Verify, WantsTheEnvironmentThatTheVariantSets) {
  auto facts = facts_of({{{0, 1}, "", 1, {0}, {"python"}}});
  Placement placement = on({0, 1});
  placement.environment = {{"OMP_PLACES", "cores"}, {"OMP_PROC_BIND", "close"}};
  EXPECT_EQ(verify(facts, placement, 1).status, ProofStatus::unverifiable) << "it could not be read";
  facts.environment = {{"OMP_PLACES", "threads"}, {"HOME", "/"}};
  EXPECT_THAT(verify(facts, placement, 1).misfits,
              ElementsAre("environment: OMP_PLACES=threads, the variant sets OMP_PLACES=cores; only a restart helps",
                          "environment: OMP_PROC_BIND is not set, the variant sets OMP_PROC_BIND=close; only a restart "
                          "helps"));
  facts.environment = placement.environment;
  EXPECT_EQ(verify(facts, placement, 1).status, ProofStatus::held);
}

TEST(Verify, TakesOfAlikePlacementsTheOneWhereTheMemoryLies) {
  const std::vector<Node> nodes{{0, {0, 1}, 1 << 30, "dram"}, {1, {2, 3}, 1 << 30, "dram"}};
  const auto unbound = facts_of({{{0, 1, 2, 3}, "", 6, {0}, {"python"}}}, {{0, mebibyte}, {1, 68 * mebibyte}});
  PlannedVariant taskset;
  taskset.alternatives = {on({0, 1}), on({2, 3})};
  EXPECT_EQ(nearest_placement(taskset, unbound, nodes), on({2, 3}));
  const Memory at_0{MemoryPolicy::bind, {0}}, at_1{MemoryPolicy::bind, {1}};
  PlannedVariant remote;
  remote.alternatives = {on({2, 3}, at_0), on({0, 1}, at_1)};
  EXPECT_EQ(nearest_placement(remote, unbound, nodes), on({0, 1}, at_1)) << "least is to be moved";
  const auto bound = facts_of({{{0, 1}, "", 6, {0}, {"python"}}}, {{1, 68 * mebibyte}});
  EXPECT_EQ(nearest_placement(taskset, bound, nodes), on({0, 1})) << "what fits comes first";
}

TEST(Verify, DoesNotUndoWhatARuntimeWasAskedToDo) {
  if (allowed_cpus().size() < 2) GTEST_SKIP() << "needs two CPUs, one is allowed";
  const IndexSet first{*allowed_cpus().first()};
  const WaitingChild child([&first] {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(*first.first(), &mask);
    return static_cast<std::uint64_t>(sched_setaffinity(0, sizeof mask, &mask));
  });
  Placement placement = on(allowed_cpus());
  placement.environment["OMP_PROC_BIND"] = "close";
  const auto done = repair(child.pid(), placement, 1);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(*done, IsEmpty());
  EXPECT_EQ(read_process(child.pid())->groups.at(0).cpus, first);
}

TEST(Verify, JudgesAnonymousMemoryWhereTheVariantBindsIt) {
  const auto facts = facts_of({{{0}, "default", 1, {0}, {"a"}}}, {{0, 30 * mebibyte}, {1, 10 * mebibyte}});
  const Placement bound = on({0}, {MemoryPolicy::bind, {1}});
  const Verification found = verify(facts, bound, 2);
  EXPECT_THAT(found.misfits, ElementsAre("memory: 30.0 MiB of 40.0 MiB on node 0 instead of 1"));
  EXPECT_THAT(found.notes, ElementsAre(HasSubstr("memory policy default, not bind:1")));
  EXPECT_THAT(planned_repair(facts, bound, 2), ElementsAre("30.0 MiB of anonymous memory to node 1"));
  EXPECT_EQ(verify(facts, bound, 1).status, ProofStatus::held) << "on one node memory has nowhere else to be";

  const Verification wish = verify(facts, on({0}, {MemoryPolicy::preferred, {1}}), 2);
  EXPECT_EQ(wish.status, ProofStatus::held);
  EXPECT_THAT(wish.notes, ElementsAre("a wish only: 30.0 MiB of 40.0 MiB on node 0 instead of 1",
                                      HasSubstr("memory policy default, not prefer:1")));
  const auto tied = facts_of({{{0}, "bind:1", 1, {0}, {"a"}}}, {{1, 10 * mebibyte}});
  EXPECT_THAT(verify(tied, on({0}), 2).notes, ElementsAre(HasSubstr("memory policy bind:1, not default")));
}

TEST(Verify, IsUnverifiableWhereMemoryMayNotBeRead) {
  auto facts = facts_of({{{0}, "", 1, {0}, {"a"}}});
  facts.memory_refusal = "no permission";
  const Verification found = verify(facts, on({0}, {MemoryPolicy::bind, {1}}), 2);
  EXPECT_EQ(found.status, ProofStatus::unverifiable);
  EXPECT_THAT(found.doubts, ElementsAre("no permission"));
  EXPECT_EQ(verify(facts, on({0}), 2).status, ProofStatus::held) << "it claims nothing about memory";
}

TEST(Verify, ReadsALivingProcessAndRepairsItsThreads) {
  if (allowed_cpus().size() < 2) GTEST_SKIP() << "needs two CPUs, one is allowed";
  const WaitingChild child([] { return std::uint64_t{0}; });
  const IndexSet first{*allowed_cpus().first()};
  auto facts = read_process(child.pid());
  ASSERT_TRUE(facts) << facts.error().message;
  ASSERT_EQ(facts->groups.size(), 1u);
  EXPECT_EQ(facts->groups[0].cpus, allowed_cpus());
  EXPECT_EQ(facts->groups[0].threads, 1u);
  EXPECT_FALSE(facts->groups[0].ran_on.empty());
  EXPECT_EQ(verify(*facts, on(first), 1).status, ProofStatus::violated);
  const auto done = repair(child.pid(), on(first), 1);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(*done, ElementsAre("bound 1 thread"));
  facts = read_process(child.pid());
  EXPECT_EQ(verify(*facts, on(first), 1).status, ProofStatus::held);
  EXPECT_THAT(*repair(child.pid(), on(first), 1), IsEmpty());
}

TEST(Verify, LeavesPagesThatAreInPlaceWhereTheyAre) {
  const WaitingChild child([] { return std::uint64_t{0}; });
  const auto moved = repair(child.pid(), on(allowed_cpus(), {MemoryPolicy::bind, tests::allowed_nodes()}), 2);
  if (!moved) GTEST_SKIP() << moved.error().message;
  EXPECT_THAT(*moved, IsEmpty());
}

TEST(Verify, NamesTheCallThatCannotMovePages) {
  const WaitingChild child([] { return std::uint64_t{0}; });
  const auto moved = migrate_pages_of(child.pid(), tests::allowed_nodes(), {*tests::allowed_nodes().last() + 1});
  ASSERT_FALSE(moved) << "there is no such node";
  EXPECT_THAT(moved.error().message, StartsWith("migrate_pages ("));
}

TEST(Verify, SaysWhatIsMissingForAStrangersProcess) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to have a stranger";
  const WaitingChild child([] { return std::uint64_t{0}; });
  const testing::WithoutPrivileges nobody;
  const auto facts = read_process(child.pid());
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_THAT(facts->memory_refusal, HasSubstr("run as the user of the process, or with CAP_SYS_PTRACE"));
  const auto refused = repair(child.pid(), on({*allowed_cpus().first()}), 1);
  if (allowed_cpus().size() < 2) return;
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("sched_setaffinity (EPERM)"));
  EXPECT_THAT(refused.error().message, HasSubstr("CAP_SYS_NICE"));
}

TEST(Verify, OfNoProcessIsAnError) {
  EXPECT_EQ(read_process(999999999).error().message,
            "process 999999999: there is none; give the id of a running one, as pgrep shows it");
}

}  // namespace
}  // namespace bindgate
