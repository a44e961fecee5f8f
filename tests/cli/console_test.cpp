#include "cli/console.hpp"

#include <gtest/gtest.h>

#include "cli/progress.hpp"

namespace bindgate {
namespace {

template <class Say>
std::string said_by(Say say) {
  ::testing::internal::CaptureStderr();
  say(Console(false, false));
  return ::testing::internal::GetCapturedStderr();
}

TEST(Console, LetsNoFileNameSpeakToTheTerminal) {
  const std::string name = "runs/\x1b]0;title\x07";
  EXPECT_EQ(said_by([&](const Console& console) { console.note("go on with: bindgate run --resume " + name); }),
            "go on with: bindgate run --resume runs/?]0;title?\n");
  EXPECT_EQ(said_by([&](const Console& console) { console.error(name + ": there is no run"); }),
            "bindgate: runs/?]0;title?: there is no run\n");
}

TEST(ProgressPrinter, LetsNoProgramSpeakToTheTerminal) {
  EXPECT_EQ(said_by([](const Console& console) {
              ProgressPrinter printer(console);
              printer.output("stderr:\n\x1b[2J\x1b[31mno\tmemory\x9b\n");
              printer.note("bench_x failed: \x1b[8m");
            }),
            "  | stderr:\n  | ?[2J?[31mno memory\xef\xbf\xbd\nbench_x failed: ?[8m\n");
}

}  // namespace
}  // namespace bindgate
