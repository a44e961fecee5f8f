#include "verdict/variance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "verdict/simulated.hpp"

namespace bindgate {
namespace {

using Finding = VarianceJudgement::Finding;
using simulated::Random;
using simulated::Series;
using simulated::Settings;
using simulated::Shape;
using testing::HasSubstr;
using testing::StartsWith;

VarianceJudgement judged(const Series& series, const VariancePolicy& policy = {},
                         const VarianceJudgement* twin = nullptr) {
  return series.judged(policy, twin);
}

/// Code of several threads whose samples are unclean in the turns that `where` names.
void interrupt(Series& series, bool (*where)(unsigned turn)) {
  series.info.preemption = Preemption::switches;
  series.info.primary = Clock::wall;
  series.each([=](Block& block) {
    block.forced.assign(block.nanoseconds[Clock::wall].size(), where(block.turn) ? 5 : 0);
  });
}

/// How often a series of this shape comes out as `finding`, in forty of them.
double rate(Finding finding, const Shape& shape, const Settings& settings = {}) {
  Random random(1);
  unsigned found = 0;
  for (unsigned i = 0; i < 40; ++i)
    found += judged(simulated::series(random, shape, settings)).finding == finding ? 1U : 0U;
  return found / 40.0;
}

Settings with_reference(const Shape& reference) {
  Settings settings;
  settings.reference = reference;
  return settings;
}

TEST(VarianceGate, LeavesSteadyCodeAloneOnAQuietMachine) {
  EXPECT_EQ(rate(Finding::quiet, simulated::steady(0.01)), 1);
  EXPECT_GE(rate(Finding::quiet, simulated::steady(0.035)), 0.99);
}

TEST(VarianceGate, FindsEachShapeOfInstabilityOnAQuietMachine) {
  EXPECT_GE(rate(Finding::unstable, simulated::tail(0.20, 0.10)), 0.95);
  EXPECT_GE(rate(Finding::unstable, simulated::tail(0.50, 0.05)), 0.95);
  EXPECT_GE(rate(Finding::unstable, simulated::modes_mixed(0.15)), 0.99);
  EXPECT_GE(rate(Finding::unstable, simulated::modes_dwelling(0.15)), 0.99);
  EXPECT_GE(rate(Finding::unstable, simulated::drift(0.20)), 0.99);
}

TEST(VarianceGate, DoesNotFireForASingleOutlierHoweverLarge) {
  Random random(2);
  Series series = simulated::series(random, simulated::steady(0.01));
  for (const auto& launch : series.launches) {
    Block& block = launch->cases.front().blocks[17];
    for (auto& [clock, samples] : block.nanoseconds) samples[0] *= 50;
  }
  const VarianceJudgement judgement = judged(series);
  EXPECT_EQ(judgement.finding, Finding::quiet);
  EXPECT_EQ(judgement.figures.fired, 0U);
  EXPECT_GT(judgement.figures.max_over_p50.value(), 45);
  EXPECT_GT(judgement.figures.plain_cv.value(), 1);
  EXPECT_LT(judgement.figures.mad_cv.value(), 0.02);
}

TEST(VarianceGate, BlamesTheMachineWhereFrozenCodeVariesAsMuch) {
  const Shape machine = simulated::steady(0.20);
  const Settings disturbed = with_reference(machine);
  EXPECT_EQ(rate(Finding::disturbed, machine, disturbed), 1);
  EXPECT_EQ(rate(Finding::disturbed, simulated::both(simulated::tail(0.20, 0.10), machine), disturbed), 1);
  EXPECT_EQ(rate(Finding::disturbed, simulated::both(simulated::modes_mixed(0.15), machine), disturbed), 1);
  EXPECT_GE(rate(Finding::disturbed, simulated::drift(0.20), with_reference(simulated::drift(0.20))), 0.99);
}

TEST(VarianceGate, StillFindsOnADisturbedMachineWhatExceedsItTwice) {
  EXPECT_GE(rate(Finding::unstable, simulated::modes_mixed(0.80), with_reference(simulated::steady(0.08))), 0.99);
}

TEST(VarianceGate, SaysWhatItWouldHaveCalledOnADisturbedMachine) {
  Random random(3);
  const Series restless = simulated::series(random, simulated::steady(0.20), with_reference(simulated::steady(0.22)));
  EXPECT_THAT(judged(restless).reason, testing::MatchesRegex("disturbed: frozen code varied by 2[0-3] % here; "
                                                     "an instability beyond 4[0-6] % would have been called"));
}

TEST(VarianceGate, NamesTheFigureTheLimitAndTheFrozenCodeOfWhatIsUnstable) {
  Random random(4);
  const VarianceJudgement modes = judged(simulated::series(random, simulated::modes_mixed(0.15)));
  EXPECT_THAT(modes.reason, testing::MatchesRegex("CV [67](\\.[0-9])? % \\(limit 5 %\\) in 6 of 6 launches; "
                                                  "frozen code: 0\\.[0-9]+ %"));
  const VarianceJudgement drifting = judged(simulated::series(random, simulated::drift(0.12)));
  EXPECT_THAT(drifting.reason, StartsWith("halves of a launch "));
}

TEST(VarianceGate, ComparesEachFigureWithTheSameFigureOfFrozenCode) {
  // Frozen code with a tail excuses a tail, not two halves that differ.
  Random random(5);
  const Series series = simulated::series(random, simulated::drift(0.20), with_reference(simulated::tail(0.60, 0.2)));
  const VarianceJudgement judgement = judged(series);
  EXPECT_EQ(judgement.finding, Finding::unstable);
  EXPECT_THAT(judgement.reason, StartsWith("halves"));
}

TEST(VarianceGate, NeedsSevenLaunchesInTenThatFire) {
  Random random(6);
  Series series = simulated::series(random, simulated::modes_mixed(0.15));
  Series quiet = simulated::series(random, simulated::steady(0.01));
  series.launches[0].swap(quiet.launches[0]);
  EXPECT_EQ(judged(series).figures.fired, 5U);
  EXPECT_EQ(judged(series).finding, Finding::unstable);
  series.launches[1].swap(quiet.launches[1]);
  EXPECT_EQ(judged(series).figures.fired, 4U);
  EXPECT_EQ(judged(series).finding, Finding::quiet);
}

TEST(VarianceGate, TakesItsThresholdsFromThePolicy) {
  Random random(7);
  const Series modes = simulated::series(random, simulated::tail(0.15, 0.2));
  VariancePolicy policy;
  policy.threshold = 0.10;
  policy.tail = 1.20;
  EXPECT_EQ(judged(modes, policy).finding, Finding::quiet);
  policy.tail = 1.10;
  EXPECT_THAT(judged(modes, policy).reason, StartsWith("p95 "));

  const Series drifting = simulated::series(random, simulated::drift(0.12));
  policy = {};
  EXPECT_EQ(judged(drifting, policy).finding, Finding::unstable);
  policy.halves = 0.10;
  EXPECT_EQ(judged(drifting, policy).finding, Finding::quiet);
}

TEST(VarianceGate, SwitchedOffStillShowsItsFigures) {
  Random random(8);
  VariancePolicy policy;
  policy.statistic = VariancePolicy::Statistic::off;
  const VarianceJudgement judgement = judged(simulated::series(random, simulated::modes_mixed(0.15)), policy);
  EXPECT_EQ(judgement.finding, Finding::not_judged);
  EXPECT_EQ(judgement.reason, "");
  EXPECT_FALSE(judgement.figures.judged);
  EXPECT_EQ(judgement.figures.fired, 6U);
  EXPECT_TRUE(judgement.figures.clean_cv && judgement.figures.plain_cv && judgement.figures.reference_cv);
}

TEST(VarianceGate, DoesNotJudgeFewerThanFiveLaunches) {
  Random random(9);
  Settings settings;
  settings.launches = 4;
  const VarianceJudgement judgement = judged(simulated::series(random, simulated::modes_mixed(0.15), settings));
  EXPECT_EQ(judgement.finding, Finding::not_judged);
  EXPECT_EQ(judgement.reason, "variance not judged: 4 launches of at least 5; run more rounds");
  EXPECT_TRUE(judgement.figures.clean_cv);
  EXPECT_EQ(judged(Series{}).finding, Finding::not_judged);
}

TEST(VarianceGate, DoesNotJudgeFewerThanTwentySamples) {
  Random random(10);
  Settings settings;
  settings.turns = 19;
  settings.samples = 1;
  const VarianceJudgement few = judged(simulated::series(random, simulated::modes_mixed(0.15), settings));
  EXPECT_EQ(few.finding, Finding::not_judged);
  EXPECT_THAT(few.reason, HasSubstr("0 of 6 launches have 20 samples to judge by"));
  EXPECT_TRUE(few.figures.clean_cv);
  EXPECT_FALSE(few.figures.within_turn_cv) << "one sample a turn has no spread within";

  settings.turns = 23;
  Series series = simulated::series(random, simulated::modes_mixed(0.15), settings);
  interrupt(series, [](unsigned turn) { return turn % 6 == 0; });
  EXPECT_EQ(judged(series).figures.launches, 0U) << "19 of 23 are clean, and judged by themselves";
  interrupt(series, [](unsigned turn) { return turn % 4 == 0; });
  EXPECT_EQ(judged(series).figures.launches, 6U) << "17 of 23 are clean, so that all count";
}

TEST(VarianceGate, DoesNotJudgeTheTailOfFewerThanFiftyCleanSamples) {
  // One in ten samples 16 % slower: a tail beyond 1.10 that leaves the CV below 5 %.
  unsigned turns = 0;
  const Shape tenth = [&](Random& random, double) {
    return simulated::normal(random, 0.002) * (++turns % 10 == 0 ? 1.16 : 1);
  };
  Random random(11);
  Settings settings;
  settings.samples = 1;
  settings.turns = 49;
  EXPECT_EQ(judged(simulated::series(random, tenth, settings)).finding, Finding::quiet);
  settings.turns = 50;
  turns = 0;
  Series fifty = simulated::series(random, tenth, settings);
  EXPECT_EQ(judged(fifty).finding, Finding::unstable);
  interrupt(fifty, [](unsigned turn) { return turn == 0; });
  EXPECT_EQ(judged(fifty).finding, Finding::quiet) << "49 are clean";
  interrupt(fifty, [](unsigned) { return true; });
  EXPECT_EQ(judged(fifty).finding, Finding::unstable) << "none is, so that all count";
}

TEST(VarianceGate, SaysWhenNoFrozenCodeCanTellCodeFromMachine) {
  Random random(12);
  Settings settings;
  settings.readings = 0;
  const VarianceJudgement blind = judged(simulated::series(random, simulated::modes_mixed(0.15), settings));
  EXPECT_EQ(blind.finding, Finding::not_judged);
  EXPECT_THAT(blind.reason, HasSubstr("too few reference readings"));
  EXPECT_FALSE(blind.figures.reference_cv);
  EXPECT_EQ(judged(simulated::series(random, simulated::steady(0.01), settings)).finding, Finding::quiet);
}

TEST(VarianceGate, TakesTheReferenceKernelThatVariesMost) {
  Random random(13);
  Series series = simulated::series(random, simulated::steady(0.2));
  unsigned reading = 0;
  series.each([&](Block& block) {
    block.references[ReferenceKernel::dram] = {++reading % 2 == 0 ? 1'000'000 : 1'500'000, 1'000'000};
    block.references[ReferenceKernel::faults] = {1'000'000};
    block.references[ReferenceKernel::chase] = {};
    if (block.turn < 14) block.references[ReferenceKernel::chase] = {1'000'000, 9'000'000};  // too few to believe
  });
  const VarianceJudgement judgement = judged(series);
  EXPECT_EQ(judgement.finding, Finding::disturbed);
  EXPECT_NEAR(judgement.figures.reference_cv.value(), 0.19, 0.01);
}

/// Code that never waits but in the turns that `where` names: there, for a share of its time.
void wait(Series& series, double share, bool (*where)(unsigned turn)) {
  series.info.primary = Clock::wall;
  series.each([=](Block& block) {
    if (where(block.turn))
      for (std::int64_t& time : block.nanoseconds[Clock::wall]) time += std::llround(share * static_cast<double>(time));
  });
}

bool every_third(unsigned turn) { return turn % 3 == 0; }
bool most(unsigned turn) { return turn % 5 != 0; }
bool all(unsigned) { return true; }

/// Waits of 30 % in a third of the samples.
Series hesitant(Random& random, const Settings& settings = {}) {
  Series series = simulated::series(random, simulated::steady(0.01), settings);
  wait(series, 0.30, every_third);
  return series;
}

TEST(VarianceGate, CallsAProgramThatWaitsAtRandomUnstable) {
  Random random(14);
  const VarianceJudgement judgement = judged(hesitant(random));
  EXPECT_EQ(judgement.finding, Finding::unstable);
  EXPECT_THAT(judgement.reason,
              testing::MatchesRegex("CV 13 % \\(limit 5 %\\) in 6 of 6 launches; frozen code: 0\\.[0-9]+ %; "
                                    "only 67 % of samples are clean, and others' CPU time does not account for it: "
                                    "the code waits by itself"));
  EXPECT_NEAR(judgement.figures.clean_fraction.value(), 2.0 / 3, 0.01);
  EXPECT_NEAR(judgement.figures.clean_cv.value(), 0.13, 0.01) << "of all samples";
  EXPECT_NEAR(judgement.figures.p95_over_p50.value(), 1.30, 0.03);
  EXPECT_NEAR(judgement.figures.max_over_p50.value(), 1.32, 0.03);
  EXPECT_GT(judgement.figures.mad_cv.value(), 0.012);
  EXPECT_LT(judgement.figures.within_turn_cv.value(), 0.012) << "whole turns wait";
}

TEST(VarianceGate, LeavesAProgramAloneThatAlwaysWaitsTheSame) {
  Random random(15);
  Series series = simulated::series(random, simulated::steady(0.01));
  wait(series, 1, all);
  const VarianceJudgement judgement = judged(series);
  EXPECT_EQ(judgement.finding, Finding::quiet);
  EXPECT_TRUE(judgement.figures.judged);
  EXPECT_EQ(judgement.figures.clean_fraction, 0);
  EXPECT_EQ(judgement.figures.fired, 0U);
  EXPECT_NEAR(judgement.figures.clean_cv.value(), 0.01, 0.002);
}

TEST(VarianceGate, LeavesCodeAloneWhoseForcedSwitchesCostNothing) {
  Random random(18);
  Series series = simulated::series(random, simulated::steady(0.03));
  interrupt(series, most);
  const VarianceJudgement judgement = judged(series);
  EXPECT_NEAR(judgement.figures.clean_fraction.value(), 0.2, 0.01);
  EXPECT_EQ(judgement.finding, Finding::quiet);
  EXPECT_EQ(judgement.figures.fired, 0U);
}

TEST(VarianceGate, SetsUncleanSamplesAsideOnlyWhileTheyAreAFifthAtMost) {
  Random random(26);
  Series series = simulated::series(random, simulated::steady(0.01));
  wait(series, 0.30, [](unsigned turn) { return turn % 5 == 0; });
  EXPECT_EQ(judged(series).finding, Finding::quiet);
  EXPECT_LT(judged(series).figures.clean_cv.value(), 0.012);
  wait(series, 0.30, [](unsigned turn) { return turn == 1; });
  EXPECT_EQ(judged(series).finding, Finding::unstable);
}

TEST(VarianceGate, ComparesCodeThatWaitsWithFrozenCodeToo) {
  Random random(27);
  const VarianceJudgement judgement = judged(hesitant(random, with_reference(simulated::steady(0.20))));
  EXPECT_EQ(judgement.finding, Finding::disturbed);
  EXPECT_EQ(judgement.figures.fired, 6U);
  EXPECT_THAT(judgement.reason, HasSubstr("frozen code"));
  Settings blind;
  blind.readings = 0;
  EXPECT_THAT(judged(hesitant(random, blind)).reason, HasSubstr("too few reference readings"));
}

TEST(VarianceGate, BlamesWhoeverTookTheCpu) {
  Random random(16);
  Series series = hesitant(random);
  for (const auto& launch : series.launches) launch->others_cpu_seconds = 3;
  EXPECT_EQ(judged(series).finding, Finding::disturbed);
  EXPECT_EQ(judged(series).figures.beyond_machine, 0U);
  EXPECT_EQ(judged(series).reason, "disturbed: 6 of 6 launches vary with only 67 % of samples clean: "
                                   "others took the CPU; use a quieter machine");
  for (const auto& launch : series.launches) launch->others_cpu_seconds = 0, launch->steal_seconds = 3;
  EXPECT_EQ(judged(series).finding, Finding::disturbed);
  for (const auto& launch : series.launches) launch->others_cpu_seconds = 0.1, launch->steal_seconds = 0;
  EXPECT_EQ(judged(series).finding, Finding::unstable) << "a few ticks of a daemon excuse nothing";
}

TEST(VarianceGate, BlamesByTheCasesOwnTimeWhereThatIsTold) {
  Random random(16);
  Series series = hesitant(random);
  for (const auto& launch : series.launches) {
    launch->others_cpu_seconds = 3;  // during other cases
    launch->cases.front().wall_seconds = 10;
    launch->cases.front().others_cpu_seconds = launch->cases.front().steal_seconds = 0;
  }
  EXPECT_EQ(judged(series).finding, Finding::unstable);
  for (const auto& launch : series.launches) launch->cases.front().others_cpu_seconds = 3;
  EXPECT_EQ(judged(series).finding, Finding::disturbed);
}

TEST(VarianceGate, LeavesSteadyCodeAloneThatOthersInterrupt) {
  Random random(28);
  Series series = simulated::series(random, simulated::steady(0.01));
  interrupt(series, most);
  for (const auto& launch : series.launches) launch->others_cpu_seconds = 3;
  EXPECT_EQ(judged(series).finding, Finding::quiet);
}

TEST(VarianceGate, ExcusesOnlyLaunchesOfFewCleanSamplesByOthersCpuTime) {
  Random random(29);
  Series series = simulated::series(random, simulated::modes_mixed(0.15));
  interrupt(series, [](unsigned turn) { return turn % 6 == 0; });
  for (const auto& launch : series.launches) launch->others_cpu_seconds = 3;
  EXPECT_EQ(judged(series).finding, Finding::unstable);
  EXPECT_THAT(judged(series).reason, testing::Not(HasSubstr("waits by itself")));
}

TEST(VarianceGate, NeedsNoFrozenCodeWhereOthersTookTheCpu) {
  Random random(30);
  Settings blind;
  blind.readings = 0;
  Series series = hesitant(random, blind);
  for (const auto& launch : series.launches) launch->others_cpu_seconds = 3;
  EXPECT_EQ(judged(series).finding, Finding::disturbed);
}

TEST(VarianceGate, BlamesNobodyWhereOthersTimeCannotBeRead) {
  Random random(17);
  Series series = hesitant(random);
  for (const auto& launch : series.launches) launch->others_cpu_seconds.reset();
  EXPECT_EQ(judged(series).finding, Finding::disturbed);
  EXPECT_THAT(judged(series).reason, HasSubstr("could not be read"));
  series.launches.back()->others_cpu_seconds = 3;
  EXPECT_THAT(judged(series).reason, HasSubstr("others took the CPU"));
}

TEST(VarianceGate, TakesStolenTicksForOthersTime) {
  Random random(31);
  Series series = simulated::series(random, simulated::modes_mixed(0.15));
  interrupt(series, every_third);
  EXPECT_EQ(judged(series).finding, Finding::unstable);
  series.each([](Block& block) { block.steal_ticks = every_third(block.turn) ? 1 : 0; });
  EXPECT_EQ(judged(series).finding, Finding::disturbed);
}

TEST(VarianceGate, LeavesOutWhatWasMeasuredAgain) {
  Random random(19);
  Series series = simulated::series(random, simulated::steady(0.01));
  for (const auto& launch : series.launches) {
    std::vector<Block>& blocks = launch->cases.front().blocks;
    for (std::size_t i = 0; i < 12; ++i) {
      Block again = blocks[i * 5];
      blocks[i * 5].disturbed = "a stranger ran";
      for (auto& [clock, samples] : blocks[i * 5].nanoseconds)
        for (std::int64_t& time : samples) time *= 3;
      again.attempt = 1;
      blocks.push_back(again);
    }
  }
  const VarianceJudgement judgement = judged(series);
  EXPECT_EQ(judgement.finding, Finding::quiet);
  EXPECT_LT(judgement.figures.clean_cv.value(), 0.015);
  EXPECT_GT(judgement.figures.plain_cv.value(), 0.1);
}

TEST(VarianceGate, DoesNotCareAboutTheOrderOfLaunches) {
  Random random(20);
  Series series = simulated::series(random, simulated::tail(0.20, 0.06));
  const VarianceJudgement before = judged(series);
  std::shuffle(series.launches.begin(), series.launches.end(), random);
  EXPECT_EQ(judged(series), before);
}

TEST(VarianceGate, DoesNotBelieveABaseWhoseTwinIsQuiet) {
  Random random(21);
  const Series restless = simulated::series(random, simulated::modes_mixed(0.15));
  const Series calm = simulated::series(random, simulated::steady(0.01));
  const VarianceJudgement twin = judged(calm);
  EXPECT_EQ(judged(restless, {}, &twin).finding, Finding::disturbed);
  EXPECT_EQ(judged(restless, {}, &twin).reason,
            "disturbed: 6 of 6 launches vary, and 0 of 6 of the twin, the same code in the same turns");
  const VarianceJudgement other = judged(restless);
  EXPECT_EQ(judged(calm, {}, &other).finding, Finding::disturbed);
}

TEST(VarianceGate, BelievesABaseWhoseTwinVariesToo) {
  Random random(22);
  const VarianceJudgement twin = judged(simulated::series(random, simulated::modes_mixed(0.15)));
  Series base = simulated::series(random, simulated::modes_mixed(0.15));
  EXPECT_EQ(judged(base, {}, &twin).finding, Finding::unstable);
  Series quiet = simulated::series(random, simulated::steady(0.01));
  for (std::size_t i : {0, 1}) base.launches[i].swap(quiet.launches[i]);
  EXPECT_EQ(judged(base).finding, Finding::quiet);
  EXPECT_EQ(judged(base, {}, &twin).finding, Finding::unstable) << "ten launches in twelve vary";
  Settings few;
  few.launches = 2;
  const VarianceJudgement unknown = judged(simulated::series(random, simulated::modes_mixed(0.15), few));
  EXPECT_EQ(judged(base, {}, &unknown).finding, Finding::quiet) << "a twin that was not judged says nothing";
}

TEST(VarianceGate, KnowsItsFiguresFromAnExampleDoneByHand) {
  // 1 to 2 ms in ten turns of two: 1.0 1.1 | 1.1 1.2 | ... | 1.9 2.0; the slowest sample is dropped.
  Random random(23);
  Settings settings;
  settings.turns = 10;
  settings.samples = 2;
  settings.launches = 1;
  Series series = simulated::series(random, simulated::steady(0), settings);
  series.each([](Block& block) {
    for (auto& [clock, samples] : block.nanoseconds)
      samples = {1'000'000 + 100'000 * block.turn, 1'100'000 + 100'000 * block.turn};
  });
  const Variance figures = judged(series).figures;
  EXPECT_NEAR(figures.clean_cv.value(), 0.1917184, 1e-6);
  EXPECT_NEAR(figures.plain_cv.value(), 0.1994143, 1e-6);
  EXPECT_NEAR(figures.p95_over_p50.value(), 1.9 / 1.5, 1e-9);
  EXPECT_NEAR(figures.halves.value(), std::log(1.7 / 1.2), 1e-9);
  EXPECT_NEAR(figures.max_over_p50.value(), 2.0 / 1.5, 1e-9);
  EXPECT_NEAR(figures.mad_cv.value(), 1.4826 * 0.25 / 1.5, 1e-9);
}

TEST(VarianceGate, ShowsNothingWhereTheClockSawNothing) {
  Random random(24);
  Series series = simulated::series(random, simulated::steady(0.01));
  series.each([](Block& block) {
    for (auto& [clock, samples] : block.nanoseconds) samples.assign(samples.size(), 0);
  });
  const VarianceJudgement judgement = judged(series);
  EXPECT_EQ(judgement.finding, Finding::not_judged);
  EXPECT_FALSE(judgement.figures.clean_cv || judgement.figures.plain_cv || judgement.figures.max_over_p50 ||
               judgement.figures.mad_cv || judgement.figures.within_turn_cv || judgement.figures.halves);
}

TEST(VarianceGate, AcceptsSamplesThatAreAllEqual) {
  Random random(25);
  const Settings frozen = with_reference(simulated::steady(0));
  const VarianceJudgement judgement = judged(simulated::series(random, simulated::steady(0), frozen));
  EXPECT_EQ(judgement.finding, Finding::quiet);
  EXPECT_EQ(judgement.figures.clean_cv.value(), 0);
  EXPECT_EQ(judgement.figures.within_turn_cv.value(), 0);
}

}  // namespace
}  // namespace bindgate
