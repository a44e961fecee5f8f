#include "runner/proc_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

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

TEST(ChildrenOf, AreFoundAndRecognisedByTheirSettings) {
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
  const std::string path = std::string("PATH=") + std::getenv("PATH");
  EXPECT_TRUE(has_setting(child, path));
  EXPECT_FALSE(has_setting(child, path.substr(0, path.size() - 1)));
  close(hold[0]);
  close(hold[1]);
  waitpid(child, nullptr, 0);
}

TEST(FreeBytesOfNode, AreNothingForANodeThatDoesNotExist) { EXPECT_FALSE(free_bytes_of_node(1'000'000)); }

}  // namespace
}  // namespace bindgate
