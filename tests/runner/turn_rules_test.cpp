#include "runner/turn_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace bindgate {
namespace {

TurnPlan plan_for(std::int64_t operation_ns, unsigned turns = 100, unsigned minimum = 12) {
  const std::vector<std::int64_t> warmup{10 * operation_ns, 5 * operation_ns, operation_ns, operation_ns, operation_ns};
  return plan_turns(warmup, turns, minimum);
}

TEST(PlanTurns, BatchesShortOperationsIntoSamplesOfAThirdOfAMillisecond) {
  const TurnPlan plan = plan_for(1'000);
  EXPECT_EQ(plan.batch, 300);
  EXPECT_EQ(plan.samples, 17u);
  EXPECT_EQ(plan.turns, 100u);
}

TEST(PlanTurns, NeverMakesASampleShorterThanItsLimit) {
  for (std::int64_t operation = 1; operation < 3'000'000; operation = operation * 7 / 4 + 1)
    EXPECT_GE(plan_for(operation).batch * operation, shortest_sample_ns) << operation;
}

TEST(PlanTurns, MakesABlockOfFiveMillisecondsOrOneOperation) {
  EXPECT_EQ(plan_for(1'000'000), (TurnPlan{5, 1, 100}));
  EXPECT_EQ(plan_for(5'000'000), (TurnPlan{1, 1, 100}));
  EXPECT_EQ(plan_for(40'000'000).samples, 1u);
}

TEST(PlanTurns, GivesLongOperationsAsManyTurnsAsFitIntoASecondButNeverTooFew) {
  EXPECT_EQ(plan_for(6'000'000).turns, 100u);
  EXPECT_EQ(plan_for(20'000'000).turns, 50u);
  EXPECT_EQ(plan_for(500'000'000).turns, 12u);
  EXPECT_EQ(plan_for(500'000'000, 60, 8).turns, 8u);
}

TEST(PlanTurns, LooksAtTheLastHalfOfTheWarmUpOnly) {
  const std::vector<std::int64_t> warmup{900'000'000, 800'000'000, 1'000'000, 1'000'000};
  EXPECT_EQ(plan_turns(warmup, 100, 12), (TurnPlan{5, 1, 100}));
  EXPECT_EQ(plan_turns(std::vector<std::int64_t>{0}, 100, 12).batch, shortest_sample_ns);
}

TEST(ReferencesOfTurn, AlwaysHaveComputeAndRotateTheOthersEvenly) {
  std::map<ReferenceKernel, int> seen;
  for (unsigned turn = 0; turn < 100; ++turn) {
    const auto kernels = references_of_turn(turn);
    ASSERT_EQ(kernels.size(), 2u);
    EXPECT_EQ(kernels[0], ReferenceKernel::compute);
    ++seen[kernels[1]];
  }
  EXPECT_EQ(seen.size(), 5u);
  for (const auto& [kernel, count] : seen) EXPECT_EQ(count, 20) << name_of(kernel);
}

TEST(OrderOfTurn, IsTheSameOnEveryPlatform) {
  EXPECT_EQ(order_of_turn(42, 1, "bench_matmul", "matmul/f32/m=512", 7, 6),
            (std::vector<std::size_t>{0, 2, 4, 3, 5, 1}));
}

TEST(OrderOfTurn, DependsOnEveryOneOfItsArguments) {
  const auto order = [](std::uint64_t seed, unsigned round, const char* program, const char* moment, unsigned turn) {
    return order_of_turn(seed, round, program, moment, turn, 20);
  };
  const auto reference = order(1, 2, "p", "c", 3);
  EXPECT_EQ(reference, order(1, 2, "p", "c", 3));
  EXPECT_NE(reference, order(9, 2, "p", "c", 3));
  EXPECT_NE(reference, order(1, 9, "p", "c", 3));
  EXPECT_NE(reference, order(1, 2, "q", "c", 3));
  EXPECT_NE(reference, order(1, 2, "p", "d", 3));
  EXPECT_NE(reference, order(1, 2, "p", "c", 9));
}

TEST(OrderOfTurn, PutsEveryMemberEverywhereAboutEquallyOften) {
  static constexpr unsigned turns = 6000;
  std::array<std::array<int, 3>, 3> at{};
  for (unsigned turn = 0; turn < turns; ++turn) {
    const auto order = order_of_turn(5, 0, "program", "case", turn, 3);
    EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), 3u);
    for (std::size_t place = 0; place < 3; ++place) ++at[order[place]][place];
  }
  for (const auto& places : at)
    for (const int count : places) EXPECT_NEAR(count, turns / 3, 200);  // 5.5 standard deviations
}

Block block_with(std::int64_t wall, std::int64_t process, std::int64_t forced) {
  Block block;
  block.nanoseconds[Clock::wall] = {wall, wall};
  block.nanoseconds[Clock::process] = {process, process};
  block.nanoseconds[Clock::thread] = {process / 2, process / 2};
  block.indicators.forced_switches = forced;
  return block;
}

TEST(IsEnough, AsksForFiftyCleanSamplesOrForSoManyThatTheCleanOnesAreTooFewToBeJudgedBy) {
  EXPECT_FALSE(is_enough({49, 49}));
  EXPECT_TRUE(is_enough({50, 50}));
  EXPECT_FALSE(is_enough({50, 0})) << "fifty is what is asked of clean ones";
  EXPECT_FALSE(is_enough({62, 49})) << "79 %, but the next may be clean";
  EXPECT_TRUE(is_enough({62, 50}));
  EXPECT_TRUE(is_enough({63, 49}));
  EXPECT_TRUE(is_enough({63, 0}));
}

TEST(IsEnough, LeavesTheGateFiftySamplesToJudgeByWhateverShareIsClean) {
  for (std::int64_t all = 1; all < 200; ++all)
    for (std::int64_t clean = 0; clean <= all; ++clean) {
      if (!is_enough({all, clean})) continue;
      const bool few_clean = static_cast<double>(clean) / static_cast<double>(all) < fewest_clean;
      EXPECT_GE(few_clean ? all : clean, enough_samples) << clean << " of " << all << " are clean";
    }
}

TEST(CpuShare, UsesTheWidestClockOfTheProcess) {
  EXPECT_DOUBLE_EQ(*cpu_share(block_with(1000, 1900, 0)), 1.9);
  Block block = block_with(1000, 1900, 0);
  block.nanoseconds[Clock::tree] = {3000, 3000};
  EXPECT_DOUBLE_EQ(*cpu_share(block), 3.0);
  block.nanoseconds.erase(Clock::wall);
  EXPECT_FALSE(cpu_share(block));
}

TEST(UndisturbedShare, IsUnknownBeforeThereIsEnoughToTell) {
  EXPECT_FALSE(undisturbed_share(std::vector<double>{1, 1}));
  EXPECT_DOUBLE_EQ(*undisturbed_share(std::vector<double>{1.0, 0.2, 0.9}), 0.9);
}

TEST(UndisturbedShare, IsSeenThroughAMachineThatDisturbsMostBlocks) {
  EXPECT_DOUBLE_EQ(*undisturbed_share(std::vector<double>{0.3, 1.9, 0.4, 0.5, 0.3, 1.9, 0.4, 1.9, 0.5}), 1.9);
}

TEST(WhatDisturbed, IsAForcedSwitchOfACaseThatHadNoReasonForOne) {
  const Block switched = block_with(1000, 1000, 2);
  EXPECT_EQ(what_disturbed(switched, Preemption::cpu_gap, 1, 1, {}), "2 forced switches by others");
  EXPECT_EQ(what_disturbed(switched, Preemption::switches, 2, 4, {}), "2 forced switches by others");
  EXPECT_EQ(what_disturbed(block_with(1000, 1000, 0), Preemption::cpu_gap, 1, 1, {}), "");
}

TEST(WhatDisturbed, IsNotTheOwnSwitchOfACaseThatFillsItsCpus) {
  const Block switched = block_with(1000, 4000, 5);
  EXPECT_EQ(what_disturbed(switched, Preemption::switches, 4, 4, {}), "");
  EXPECT_EQ(what_disturbed(switched, Preemption::switches, 8, 4, {}), "");
  EXPECT_EQ(what_disturbed(switched, Preemption::own, 1, 4, {}), "") << "its threads preempt each other";
}

TEST(WhatDisturbed, IsMissingCpuTimeAgainstTheCaseItself) {
  EXPECT_EQ(what_disturbed(block_with(1000, 1400, 0), Preemption::switches, 2, 2, 2.0),
            "CPU/wall 1.40, undisturbed 2.00");
  EXPECT_EQ(what_disturbed(block_with(1000, 1600, 0), Preemption::switches, 2, 2, 2.0), "");
  EXPECT_EQ(what_disturbed(block_with(1000, 1400, 0), Preemption::switches, 2, 2, {}), "");
}

TEST(WhatDisturbed, IsNotTheWaitingOfACaseThatWaitsByDesign) {
  EXPECT_EQ(what_disturbed(block_with(1000, 100, 0), Preemption::switches, 1, 2, 0.3), "");
}

}  // namespace
}  // namespace bindgate
