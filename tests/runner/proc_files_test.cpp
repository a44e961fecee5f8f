#include "runner/proc_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "topology/system_root.hpp"

namespace bindgate {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;

TEST(CpuTicks, AddUpTheCpusAskedFor) {
  const std::string stat =
      "cpu  999 999 999 999 999 999 999 999 0 0\n"
      "cpu0 100 10 20 5000 7 1 2 30 0 0\n"
      "cpu1 1000 0 0 5000 0 0 0 4 0 0\n"
      "cpu12 10000 0 0 5000 0 0 0 1 0 0\n"
      "intr 1 2 3\ncpu13 77777 0 0 0 0 0 0 0 0 0\n";
  const CpuTicks ticks = parse_cpu_ticks(stat, {0, 12, 13});
  EXPECT_EQ(ticks.busy, 10133);
  EXPECT_EQ(ticks.steal, 31);
}

TEST(CpuTicks, AreReadWhereTheLastLineHasNoEnd) {
  EXPECT_EQ(parse_cpu_ticks("cpu0 1 1 1 9 9 1 1 5", {0}).steal, 5);
  EXPECT_EQ(parse_cpu_ticks("cpu0 1 1", {0}).busy, 2);
}

TEST(CpuTicks, OfNoReadableFileAreNone) { EXPECT_EQ(parse_cpu_ticks("", {0}).busy, 0); }

TEST(LoadedObjects, AreTheSharedObjectsOnceEach) {
  const std::string maps =
      "7f00-7f01 r--p 00000000 fd:00 1 /usr/lib/libm.so.6\n"
      "7f01-7f02 r-xp 00000000 fd:00 1 /usr/lib/libm.so.6\n"
      "7f02-7f03 r-xp 00000000 fd:00 2 /opt/a b/libtorch_cpu.so\n"
      "7f03-7f04 r--p 00000000 fd:00 3 /usr/lib/locale/C.utf8/LC_CTYPE\n"
      "7f04-7f05 rw-p 00000000 00:00 0 [heap]\n"
      "7f05-7f06 rw-p 00000000 00:00 0 \n";
  EXPECT_THAT(parse_loaded_objects(maps), ElementsAre("/opt/a b/libtorch_cpu.so", "/usr/lib/libm.so.6"));
  EXPECT_THAT(loaded_objects(getpid()), Contains(EndsWith("libc.so.6")));
}

TEST(CpuNanoseconds, AreToldOfTheLivingOnly) {
  EXPECT_GT(cpu_nanoseconds(getpid()).value_or(0), 0);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(cpu_nanoseconds(child));
}

TEST(ChildrenOf, AreFound) {
  int hold[2];
  ASSERT_EQ(pipe(hold), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(hold[1]);
    char byte;
    [[maybe_unused]] const auto n = read(hold[0], &byte, 1);
    _exit(0);
  }
  EXPECT_THAT(children_of(getpid()), ElementsAre(child));
  close(hold[0]);
  close(hold[1]);
  waitpid(child, nullptr, 0);
}

TEST(ProcessStat, IsReadPastANameWithParentheses) {
  const auto stat = parse_process_stat("7 (a) b) (c) S 5 7 7 0 -1 4194560 10 20 0 0 100 200 30 4 20 0 1 0 99 1 2");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->parent, 5);
  EXPECT_EQ(stat->reaped_ticks, 34);
  EXPECT_FALSE(parse_process_stat(""));
  EXPECT_FALSE(parse_process_stat("7 (a) S 5 7"));
}

// A child whose own child takes CPU time: it says when that has happened, and when it was waited for.
TEST(TreeCpuSeconds, CountDescendantsLivingOrWaitedFor) {
  static constexpr double taken = 0.05;
  int said[2], hold[2];
  ASSERT_EQ(pipe(said) + pipe(hold), 0);
  const auto wait_for_word = [](int from) {
    char byte = 0;
    return read(from, &byte, 1) == 1;
  };
  const pid_t child = fork();
  if (child == 0) {
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      while (static_cast<double>(cpu_nanoseconds(getpid()).value_or(0)) < 1e9 * taken) {
      }
      if (write(said[1], "x", 1) != 1 || !wait_for_word(hold[0])) _exit(1);
      _exit(0);
    }
    waitpid(grandchild, nullptr, 0);
    if (write(said[1], "x", 1) != 1 || !wait_for_word(hold[0])) _exit(1);
    _exit(0);
  }
  ASSERT_TRUE(wait_for_word(said[0]));
  EXPECT_GE(tree_cpu_seconds(child).value_or(0), taken);
  EXPECT_EQ(write(hold[1], "x", 1), 1);
  ASSERT_TRUE(wait_for_word(said[0]));
  EXPECT_GE(tree_cpu_seconds(child).value_or(0), taken - 2 * tick_seconds()) << "whole ticks only";
  EXPECT_EQ(write(hold[1], "x", 1), 1);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(tree_cpu_seconds(child));
  for (const int end : {said[0], said[1], hold[0], hold[1]}) close(end);
}

TEST(FreeBytesOfNode, AreNothingForANodeThatDoesNotExist) { EXPECT_FALSE(free_bytes_of_node(1'000'000)); }

TEST(RoomOfAGroup, IsItsLimitLessWhatItsPagesHoldForGood) {
  EXPECT_EQ(parse_group_room("1000", "700", "anon 500\ninactive_file 150\nactive_file 50\n"), 450);
  EXPECT_EQ(parse_group_room("1000", "700", "inactive_file 10\ntotal_inactive_file 150\n"), 450) << "version 1";
  EXPECT_EQ(parse_group_room("1000", "1200", ""), 0);
  EXPECT_EQ(parse_group_room("1000", "100", "inactive_file 200\n"), 1000);
}

TEST(RoomOfAGroup, IsNothingWithoutALimit) {
  EXPECT_FALSE(parse_group_room("max", "700", ""));
  EXPECT_FALSE(parse_group_room("9223372036854771712", "700", ""));
  EXPECT_FALSE(parse_group_room("", "", ""));
}

TEST(FreeBytesOfGroups, AreTheLeastUpTheChain) {
  tests::SystemRoot root;
  root.put("proc/self/mountinfo", "35 24 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw");
  root.put("proc/self/cgroup", "0::/a/b");
  EXPECT_FALSE(free_bytes_of_groups(root.path()));
  root.put("sys/fs/cgroup/a/memory.max", "1000").put("sys/fs/cgroup/a/memory.current", "900");
  root.put("sys/fs/cgroup/a/b/memory.max", "500").put("sys/fs/cgroup/a/b/memory.current", "100");
  EXPECT_EQ(free_bytes_of_groups(root.path()), 100);
  root.put("sys/fs/cgroup/a/memory.stat", "inactive_file 600");
  EXPECT_EQ(free_bytes_of_groups(root.path()), 400);
}

TEST(FreeBytesOfGroups, AreReadFromVersion1) {
  tests::SystemRoot root;
  root.put("proc/self/mountinfo", "35 24 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory");
  root.put("proc/self/cgroup", "4:memory:/job\n1:cpu:/");
  root.put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1000");
  root.put("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "300");
  EXPECT_EQ(free_bytes_of_groups(root.path()), 700);
}

}  // namespace
}  // namespace bindgate
