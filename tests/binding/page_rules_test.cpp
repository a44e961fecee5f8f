#include "binding/page_rules.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "binding/circumstances.hpp"
#include "binding/stray_cause.hpp"
#include "support/scratch_directory.hpp"

namespace bindgate {
namespace {

constexpr std::uint64_t mebibyte = 1u << 20;

NodeBytes lying(std::uint64_t on_0, std::uint64_t on_1) {
  NodeBytes bytes;
  if (on_0 > 0) bytes[0] = on_0 * mebibyte;
  if (on_1 > 0) bytes[1] = on_1 * mebibyte;
  return bytes;
}

TEST(PageRules, BindEveryPageOfABinding) {
  const Memory memory{MemoryPolicy::bind, {1}};
  EXPECT_EQ(misplaced(memory, lying(0, 64), {}), "");
  EXPECT_EQ(misplaced(memory, lying(1, 63), {}), "1.00 MiB of 64.0 MiB on node 0 instead of 1");
}

TEST(PageRules, CallWishesNeverMisplaced) {
  for (const MemoryPolicy policy : {MemoryPolicy::default_policy, MemoryPolicy::local, MemoryPolicy::preferred,
                                    MemoryPolicy::preferred_many}) {
    EXPECT_FALSE(binds_pages(policy));
    EXPECT_EQ(misplaced({policy, {1}}, lying(64, 0), {}), "");
  }
  EXPECT_EQ(off_the_wish({1}, lying(16, 48)), "16.0 MiB of 64.0 MiB on node 0 instead of 1");
  EXPECT_EQ(off_the_wish({0, 1}, lying(16, 48)), "");
}

TEST(PageRules, LeaveMemoryAloneThatAsksToBeLocalItself) {
  const Memory bound{MemoryPolicy::bind, IndexSet{1}};
  const BesideMapping heap{"heap", "bind:1", {{1, 4 * mebibyte}}}, buffer{"", "local", {{0, 3 * mebibyte}}},
      early{"", "default", {{0, 2 * mebibyte}}};
  const std::set<std::string> threads{"bind:1"};
  const BesideFindings both = judge_beside(bound, std::vector{heap, buffer, early}, threads);
  EXPECT_EQ(both.misplaced,
            "beside the reported ranges, in its largest mappings: 2.00 MiB of 6.00 MiB on node 0 instead of 1");
  EXPECT_EQ(both.local, "beside the reported ranges, in memory that the program or a library asked to be local: 3.00 "
                        "MiB of 3.00 MiB on node 0 instead of 1");
  EXPECT_EQ(judge_beside(bound, std::vector{heap, buffer}, threads).misplaced, "");
  const BesideFindings left = judge_beside(bound, std::vector{heap, buffer}, {"bind:1", "local"});
  EXPECT_NE(left.misplaced.find("3.00 MiB of 7.00 MiB on node 0"), std::string::npos) << "the program left its binding";
  EXPECT_EQ(left.local, "");
  EXPECT_EQ(judge_beside({MemoryPolicy::preferred, IndexSet{1}}, std::vector{early}, {}), BesideFindings{});
}

TEST(PageRules, WantHalfAFairShareOfInterleaving) {
  const Memory memory{MemoryPolicy::interleave, {0, 1}};
  EXPECT_EQ(misplaced(memory, lying(48, 16), {}), "");
  EXPECT_EQ(misplaced(memory, lying(49, 15), {}), "only 15.0 MiB of 64.0 MiB on node 1, its share is 32.0 MiB");
  EXPECT_EQ(misplaced(memory, lying(15, 0), {}), "") << "too little to be judged";
}

TEST(PageRules, JudgeWeightedInterleavingByItsWeightsOrByPresenceAlone) {
  const Memory memory{MemoryPolicy::weighted_interleave, {0, 1}};
  EXPECT_EQ(misplaced(memory, lying(63, 1), {}), "") << "unknown weights may be any";
  EXPECT_EQ(misplaced(memory, lying(64, 0), {}), "only 0 B of 64.0 MiB on node 1");
  const NodeWeights weights{{0, 3}, {1, 1}};
  EXPECT_EQ(misplaced(memory, lying(48, 16), weights), "");
  EXPECT_EQ(misplaced(memory, lying(57, 7), weights), "only 7.00 MiB of 64.0 MiB on node 1, its share is 16.0 MiB");
}

TEST(PageRules, TellAMoveFromGrowingAndShrinking) {
  EXPECT_EQ(moved_between(lying(0, 300), lying(300, 0)), "300 MiB from node 1 to node 0");
  EXPECT_EQ(moved_between(lying(0, 300), lying(20, 300)), "");
  EXPECT_EQ(moved_between(lying(20, 300), lying(0, 300)), "");
  EXPECT_EQ(moved_between(lying(0, 300), lying(2, 298)), "") << "below a hundredth";
  EXPECT_EQ(moved_between({}, lying(20, 300)), "");
}

TEST(PageRules, TellTheKernelsCountOfMovesFromAHundredthOfThePagesOn) {
  EXPECT_EQ(balanced_without_trace(lying(0, 300), 3 << 20),
            "numa_balancing moved 3.00 MiB for its threads during the case");
  EXPECT_EQ(balanced_without_trace(lying(0, 300), 2 << 20), "");
  EXPECT_EQ(balanced_without_trace({}, 4096), "numa_balancing moved 4.00 KiB for its threads during the case");
  EXPECT_EQ(balanced_without_trace({}, 0), "");
}

TEST(PageRules, KnowTheKernelsWords) {
  EXPECT_TRUE(is_policy({MemoryPolicy::bind, {0, 1}}, "bind:0-1"));
  EXPECT_TRUE(is_policy({MemoryPolicy::bind, {1}}, "bind=static:1"));
  EXPECT_TRUE(is_policy({MemoryPolicy::preferred_many, {0, 1}}, "prefer (many):0-1"));
  EXPECT_TRUE(is_policy({MemoryPolicy::default_policy, {}}, "default"));
  EXPECT_FALSE(is_policy({MemoryPolicy::bind, {1}}, "bind:0-1"));
  EXPECT_FALSE(is_policy({MemoryPolicy::bind, {1}}, "default"));
}

TEST(PageRules, ReadWeightsWhereTheKernelTellsThem) {
  const testing::ScratchDirectory root;
  EXPECT_TRUE(read_weights(root.path()).empty());
  testing::write_text(root / "sys/devices/system/node/node0/cpulist", "0\n");
  testing::write_text(root / "sys/devices/system/node/node2/cpulist", "1\n");
  testing::write_text(root / "sys/kernel/mm/mempolicy/weighted_interleave/node0", "4\n");
  testing::write_text(root / "sys/kernel/mm/mempolicy/weighted_interleave/node2", "1\n");
  EXPECT_EQ(read_weights(root.path()), (NodeWeights{{0, 4}, {2, 1}}));
}

TEST(Circumstances, AreAbsentWhereNothingTellsThem) {
  const testing::ScratchDirectory root;
  EXPECT_EQ(read_circumstances(root.path()), Circumstances{});
  EXPECT_EQ(read_frequencies(root.path(), {0, 1}), std::nullopt);
  EXPECT_EQ(balances_nodes(root.path()), std::nullopt);
}

TEST(Circumstances, AddUpTheGroupsAndKnowBothVersions) {
  const testing::ScratchDirectory root;
  testing::write_text(root / "proc/self/cgroup", "0::/a/b\n");
  testing::write_text(root / "proc/self/mountinfo", "30 29 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  testing::write_text(root / "sys/fs/cgroup/a/b/cpu.stat", "throttled_usec 500000\n");
  testing::write_text(root / "sys/fs/cgroup/a/cpu.stat", "nr_throttled 3\nthrottled_usec 250000\n");
  EXPECT_EQ(read_circumstances(root.path()).throttled_seconds, 0.75);
  testing::write_text(root / "proc/self/cgroup", "4:cpu,cpuacct:/a\n");
  testing::write_text(root / "proc/self/mountinfo",
                      "30 29 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n");
  testing::write_text(root / "sys/fs/cgroup/cpu/a/cpu.stat", "throttled_time 2000000000\n");
  EXPECT_EQ(read_circumstances(root.path()).throttled_seconds, 2.0);
}

TEST(Circumstances, GiveTheSpanOfTheClocks) {
  const testing::ScratchDirectory root;
  testing::write_text(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "1800000\n");
  testing::write_text(root / "sys/devices/system/cpu/cpu2/cpufreq/scaling_cur_freq", "3200000\n");
  EXPECT_EQ(read_frequencies(root.path(), {0, 1, 2}), (Frequencies{1'800'000, 3'200'000}));
  testing::write_text(root / "proc/sys/kernel/numa_balancing", "1\n");
  EXPECT_EQ(balances_nodes(root.path()), true);
}

ThreadState on(IndexSet cpus) {
  ThreadState thread;
  thread.cpus = std::move(cpus);
  return thread;
}

TEST(LikelyCause, IsASettingThatBindsThreads) {
  const std::vector<ThreadState> strays{on({0})};
  EXPECT_EQ(likely_cause({{0, 1}, strays, 0, false, false, {{"OMP_PROC_BIND", "close"}}}),
            "OMP_PROC_BIND=close is in its environment");
  const std::vector<ThreadState> wider{on({0, 1, 2})};
  EXPECT_EQ(likely_cause({{0, 1}, wider, 0, false, false, {{"OMP_PROC_BIND", "close"}}}),
            "the program, a library or its launcher has set its own mask");
}

TEST(LikelyCause, KnowsTheMainThreadThatWasPinnedFirst) {
  const std::vector<ThreadState> strays{on({0}), on({0}), on({0})};
  EXPECT_TRUE(likely_cause({{0, 1}, strays, 0, false, false, {}}).starts_with("every thread is narrowed to one CPU"));
  EXPECT_EQ(likely_cause({{0, 1}, strays, 1, true, false, {}}), "the program or a library narrows its threads itself");
}

TEST(LikelyCause, KnowsThreadsOlderThanTheBinding) {
  const std::vector<ThreadState> strays{on({0, 1, 2, 3}), on({0, 1, 2, 3})};
  EXPECT_TRUE(likely_cause({{0, 1}, strays, 1, true, false, {}}).starts_with("its main thread is in place"));
  EXPECT_EQ(likely_cause({{0, 1}, strays, 1, true, true, {}}),
            "the program or a library has set its mask while it ran");
}

}  // namespace
}  // namespace bindgate
