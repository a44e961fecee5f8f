#include "verdict/warm_up.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "verdict/gate.hpp"
#include "verdict/simulated.hpp"

namespace bindgate {
namespace {

using Series = std::vector<std::int64_t>;

/// The first ones, then 0.1 ms for good.
Series warmed(std::initializer_list<std::int64_t> first) {
  Series series(first);
  series.resize(100, 100'000);
  return series;
}

WarmUpLaunch::Part part(double cost, double seconds) { return {FirstCalls{2, seconds, cost}, seconds}; }

/// Rounds in which the case costs `cost` more at first and saves `saved` per iteration of 1 ms.
std::vector<WarmUpLaunch> rounds(std::initializer_list<std::pair<double, double>> cost_and_saved) {
  std::vector<WarmUpLaunch> launches;
  for (const auto& [cost, saved] : cost_and_saved)
    launches.push_back({static_cast<unsigned>(launches.size()), part(cost + 0.001, 0.001 - saved), part(0.001, 0.001)});
  return launches;
}

TEST(FirstCalls, AreWhatComesBeforeTheSteadyState) {
  const auto calls = first_calls(warmed({30'000'000, 1'100'000}));
  ASSERT_TRUE(calls);
  EXPECT_EQ(calls->steady_from, 2u);
  EXPECT_DOUBLE_EQ(calls->steady_seconds, 1e-4);
  EXPECT_NEAR(calls->cost_seconds, 0.0309, 1e-12);
}

TEST(FirstCalls, CostNothingWhereTheSeriesIsSteadyFromTheStart) {
  EXPECT_EQ(first_calls(warmed({})), (FirstCalls{0, 1e-4, 0}));
}

TEST(FirstCalls, AreUnknownWhereTheSeriesDoesNotSettle) {
  EXPECT_FALSE(first_calls(Series{}));
  EXPECT_FALSE(first_calls(Series{900, 100}));
  EXPECT_FALSE(first_calls(Series{900, 700, 550, 430, 330, 260, 200, 160, 120, 100}));
}

TEST(WarmUp, IsTheMedianOverLaunches) {
  std::vector<WarmUpLaunch> launches(4);
  launches[0].own.first_calls = FirstCalls{2, 0.001, 0.010};
  launches[1].own.first_calls = FirstCalls{3, 0.001, 0.020};
  launches[2].own.first_calls = FirstCalls{9, 0.001, 0.900};
  const WarmUp warm_up = judge_warm_up(launches, "");
  EXPECT_EQ(warm_up.launches, 4u);
  EXPECT_EQ(warm_up.settled, 3u);
  EXPECT_EQ(warm_up.steady_from, 3);
  EXPECT_EQ(warm_up.first_calls_seconds, 0.020);
  EXPECT_NEAR(warm_up.share.value(), 0.02, 1e-12) << "20 ms of 1,000 iterations of 1 ms";
  EXPECT_FALSE(warm_up.break_even);
}

TEST(WarmUp, IsNotSettledWhereMostLaunchesAreNot) {
  std::vector<WarmUpLaunch> launches(3);
  launches[0].own.first_calls = FirstCalls{2, 0.001, 0.010};
  const WarmUp warm_up = judge_warm_up(launches, "script/eager/mlp");
  EXPECT_EQ(warm_up.settled, 1u);
  EXPECT_FALSE(warm_up.steady_from || warm_up.first_calls_seconds || warm_up.share || warm_up.break_even);
}

TEST(BreakEven, KnowsAnIntervalDoneByHand) {
  // Costs 0.09, 0.10, 0.11 s; savings 0.0009, 0.0010, 0.0011 s; t(0.9875, 2) = 6.205347 and se = 0.01 / sqrt 3.
  const auto launches = rounds({{0.09, 0.0009}, {0.10, 0.0010}, {0.11, 0.0011}});
  const BreakEven even = judge_warm_up(launches, "x").break_even.value();
  const double reach = 6.205347 * 0.1 / std::sqrt(3);
  EXPECT_EQ(even.n, 3u);
  EXPECT_FALSE(even.never);
  EXPECT_NEAR(even.iterations.value(), 100, 1e-9);
  EXPECT_NEAR(even.low.value(), 100 * (1 - reach) / (1 + reach), 1e-4);
  EXPECT_NEAR(even.high.value(), 100 * (1 + reach) / (1 - reach), 1e-4);
}

TEST(BreakEven, IsNeverWhereNothingIsSaved) {
  const BreakEven slower =
      judge_warm_up(rounds({{0.1, -0.0002}, {0.1, -0.00021}, {0.1, -0.0002}}), "x").break_even.value();
  EXPECT_TRUE(slower.never);
  EXPECT_FALSE(slower.iterations || slower.low || slower.high);
}

TEST(BreakEven, HasNoUpperEndWhereItMayBeNever) {
  const BreakEven unclear =
      judge_warm_up(rounds({{0.1, 0.0002}, {0.1, -0.0001}, {0.1, 0.0001}}), "x").break_even.value();
  EXPECT_FALSE(unclear.never);
  EXPECT_TRUE(unclear.low);
  EXPECT_FALSE(unclear.high);
}

TEST(BreakEven, IsAtOnceWhereTheFirstCallsAreNotDearer) {
  const BreakEven even =
      judge_warm_up(rounds({{-0.1, 0.0002}, {-0.1, 0.0002}, {-0.1, 0.0002}}), "x").break_even.value();
  EXPECT_EQ(even.iterations, 0);
  EXPECT_EQ(even.high, 0);
}

TEST(BreakEven, CountsARoundOnceHoweverManyLaunchesItHas) {
  auto launches = rounds({{0.1, 0.0002}, {0.1, 0.0002}});
  for (WarmUpLaunch& launch : launches) launch.round = 0;
  EXPECT_FALSE(judge_warm_up(launches, "x").break_even);
}

TEST(BreakEven, NeedsBothCasesSettledAndTimed) {
  const auto good = rounds({{0.1, 0.0002}, {0.1, 0.0002}});
  ASSERT_TRUE(judge_warm_up(good, "x").break_even);
  for (const auto& spoil : std::vector<void (*)(WarmUpLaunch&)>{
           [](WarmUpLaunch& one) { one.other.reset(); }, [](WarmUpLaunch& one) { one.other->first_calls.reset(); },
           [](WarmUpLaunch& one) { one.other->seconds.reset(); }, [](WarmUpLaunch& one) { one.own.seconds.reset(); }}) {
    auto launches = good;
    spoil(launches[1]);
    EXPECT_FALSE(judge_warm_up(launches, "x").break_even);
  }
}

/// Three rounds of script/eager, at 1 ms, and of script/compiled, at 0.8 ms after a first call of 100 ms.
bindgate::Run scripted() {
  simulated::Random random(1);
  bindgate::Run run = simulated::run(random, {{"none"}, {"numactl"}}, {.rounds = 3});
  std::vector<CaseInfo>& cases = run.plan.programs.front().cases;
  cases.front().name = "script/eager";
  cases.push_back(cases.front());
  cases.back().name = "script/compiled";
  cases.back().against = "script/eager";
  for (Launch& launch : run.launches) {
    CaseRun eager = launch.cases.front();
    eager.name = "script/eager";
    eager.warmup_ns = Series(100, 1'000'000);
    CaseRun compiled = eager;
    compiled.name = "script/compiled";
    compiled.warmup_ns = Series(100, 800'000);
    compiled.warmup_ns.front() = 100'000'000;
    compiled.figures = {{"share_waiting", 0.1 * launch.round}};
    for (Block& block : compiled.blocks)
      for (std::int64_t& time : block.nanoseconds[Clock::wall]) time = time * 8 / 10;
    launch.cases = {eager, compiled};
  }
  return run;
}

TEST(Ranking, SaysWhatTheFirstCallsCostAndWhenTheyHavePaidOff) {
  const auto rankings = rank(evidence_of(scripted()));
  ASSERT_EQ(rankings.size(), 2U);
  for (const RankedVariant& row : rankings[1].variants) {
    ASSERT_TRUE(row.warm_up && row.warm_up->break_even) << row.variant;
    EXPECT_EQ(row.warm_up->steady_from, 1);
    EXPECT_NEAR(row.warm_up->first_calls_seconds.value(), 0.0992, 1e-9);
    EXPECT_EQ(row.warm_up->against, "script/eager");
    EXPECT_NEAR(row.warm_up->break_even->iterations.value(), 0.0992 / 0.0002, 25);
    EXPECT_EQ(row.warm_up->break_even->n, 3u) << "base and twin of a round are one";
    EXPECT_NEAR(row.figures.at("share_waiting"), 0.1, 1e-12);
  }
  EXPECT_EQ(rankings[1].variants.front().warm_up->launches + rankings[1].variants.back().warm_up->launches, 9u);
  EXPECT_EQ(rankings[0].variants.front().warm_up->steady_from, 0);
  EXPECT_FALSE(rankings[0].variants.front().warm_up->break_even);
  EXPECT_TRUE(rankings[0].variants.front().figures.empty());
}

TEST(Ranking, LeavesFirstCallsOfAbandonedAndFailedLaunchesOut) {
  bindgate::Run run = scripted();
  for (Launch& launch : run.launches) {
    if (launch.round == 0) run.abandoned.insert(launch.id);
    if (launch.round == 1) launch.cases[1].outcome = CaseOutcome::failed;
  }
  const auto rankings = rank(evidence_of(run));
  for (const RankedVariant& row : rankings[1].variants) {
    EXPECT_EQ(row.warm_up->launches, row.variant == "none" ? 2u : 1u);
    EXPECT_FALSE(row.warm_up->break_even) << "one round";
    EXPECT_NEAR(row.figures.at("share_waiting"), 0.2, 1e-12);
  }
}

TEST(Ranking, SaysNothingOfFirstCallsThatWereNotRecorded) {
  simulated::Random random(2);
  EXPECT_FALSE(rank(evidence_of(simulated::run(random, {{"none"}, {"numactl"}}))).front().variants.front().warm_up);
}

}  // namespace
}  // namespace bindgate
