#include "cli/progress.hpp"

#include <gtest/gtest.h>

namespace bindgate {
namespace {

Progress example_progress() {
  Progress progress;
  progress.round = 1;
  progress.rounds = 6;
  progress.case_name = "matmul/f32/512x512x512";
  progress.case_index = 2;
  progress.cases = 6;
  progress.variant = "numactl";
  progress.done = 0.414;
  progress.left = std::chrono::seconds(130);
  return progress;
}

TEST(ProgressLine, SaysWhereTheRunIsAndHowLongItTakes) {
  EXPECT_EQ(progress_line(example_progress(), 200),
            "round 2/6  matmul/f32/512x512x512 (3/6)  numactl  41 %  2 min 10 s left");
}

TEST(ProgressLine, SaysNothingOfTimeWhileItIsTooEarly) {
  Progress progress = example_progress();
  progress.left.reset();
  EXPECT_EQ(progress_line(progress, 200), "round 2/6  matmul/f32/512x512x512 (3/6)  numactl  41 %");
}

TEST(ProgressLine, IsCutToTheWidthSoThatItNeverWraps) {
  const std::string whole = progress_line(example_progress(), std::string::npos);
  for (std::size_t width = 0; width <= whole.size() + 1; ++width)
    EXPECT_EQ(progress_line(example_progress(), width), whole.substr(0, width));
}

}  // namespace
}  // namespace bindgate
