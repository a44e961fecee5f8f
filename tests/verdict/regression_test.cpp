// Known answers by numpy 2.4 and scipy 1.17, with for candidate c and nights x_1..x_K of logarithms
//   pooled = sum of squared deviations from each night's own mean / df, v(x) = max(x.var(ddof=1), pooled) / len(x),
//   vb = (20 * .01 + (K - 1) * means.var(ddof=1)) / (19 + K) * (1 + 1/K), vl = v(c) + mean(v(x_k)) / K,
//   se = sqrt(vb + vl), dof = min(19 + K, (vb + vl)**2 / (vb**2 / (19 + K) + vl**2 / df)), then stats.t.isf.
#include "verdict/regression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace bindgate {
namespace {

using testing::HasSubstr;

NightMean night(const std::vector<double>& medians) {
  std::vector<NightLaunch> launches;
  for (const double median : medians)
    launches.push_back({static_cast<unsigned>(launches.size()), Role::base, median, 0.01, {}});
  return mean_of(launches);
}

RegressionJudgement judge(const NightMean& candidate, const std::vector<NightMean>& nights, const Limits& limits = {}) {
  const auto comparison = compare_nights(candidate, nights);
  EXPECT_TRUE(comparison);
  return judge_nights(std::vector<NightTrial>{{comparison.value_or(NightComparison{}), limits}}).front();
}

/// Why a trial with this answer, alone in its family, is inconclusive.
std::string reason(const NightMean& candidate, const std::vector<NightMean>& nights, const Limits& limits) {
  const NightTrial trial{*compare_nights(candidate, nights), limits};
  const auto judgement = judge_nights(std::vector{trial}).front();
  EXPECT_EQ(judgement.verdict, Verdict::inconclusive);
  return why_undecided(trial, judgement, 1);
}

/// `count` nights that differ by `spread` (a difference of logarithms) in turns, of two rounds 0.2 % apart.
std::vector<NightMean> quiet_nights(unsigned count, double spread = 0.001) {
  std::vector<NightMean> nights;
  for (unsigned i = 0; i < count; ++i) {
    const double median = 100 * std::exp(i % 2 == 0 ? spread : -spread);
    nights.push_back(night({median * 0.999, median * 1.001}));
  }
  return nights;
}

TEST(NightMean, BaseAndTwinOfOneRoundAreOneValue) {
  const std::vector<NightLaunch> launches{{0, Role::base, 100, 0, {}},
                                          {0, Role::twin, 121, 0, {}},
                                          {1, Role::base, 110, 0, {}},
                                          {1, Role::twin, 110, 0, {}}};
  const NightMean own = mean_of(launches);
  EXPECT_EQ(own.rounds, 2U);
  EXPECT_NEAR(own.log_ns, std::log(110), 1e-12);
  EXPECT_NEAR(own.variance, 0, 1e-12);
}

TEST(NightMean, OrderOfLaunchesDoesNotMatter) {
  const std::vector<NightLaunch> launches{{0, Role::base, 101.1, 0, {}},
                                          {0, Role::twin, 97.3, 0, {}},
                                          {1, Role::base, 100.7, 0, {}},
                                          {2, Role::base, 113.9, 0, {}},
                                          {2, Role::twin, 99.01, 0, {}}};
  const std::vector<NightLaunch> turned(launches.rbegin(), launches.rend());
  EXPECT_EQ(mean_of(launches), mean_of(turned));
}

TEST(Regression, OneNightAgreesWithScipy) {
  const auto own = judge(night({103, 101, 102}), {night({100, 102, 101})});
  EXPECT_NEAR(own.ratio.estimate, 1.009901634049961, 1e-12);
  EXPECT_NEAR(own.ratio.low, 0.7059309626084534, 1e-10);
  EXPECT_NEAR(own.ratio.high, 1.2893796358624632, 1e-10);
  EXPECT_NEAR(own.smallest_seen, 0.8447603253002481, 1e-9);
  EXPECT_EQ(own.ratio.low_level, 0.99);
  EXPECT_EQ(own.ratio.high_level, 0.95);
  EXPECT_EQ(own.verdict, Verdict::pass);
  EXPECT_EQ(own.target, own.smallest_seen);
}

TEST(Regression, ThreeNightsAgreeWithScipy) {
  const auto own = judge(night({130, 128, 140, 131}), {night({100, 102}), night({90, 95, 97}), night({105, 106})});
  EXPECT_NEAR(own.ratio.estimate, 1.3212491934284756, 1e-12);
  EXPECT_NEAR(own.ratio.low, 0.9914274486043468, 1e-10);
  EXPECT_NEAR(own.ratio.high, 1.6083032172288425, 1e-10);
  EXPECT_NEAR(own.smallest_seen, 0.6384317901302949, 1e-9);
  EXPECT_EQ(own.verdict, Verdict::pass) << "p = 0.014";
}

TEST(Regression, AThreefoldTimeIsRegressed) {
  const auto own = judge(night({300, 310, 290}), {night({100, 102, 101}), night({99, 98, 97})});
  EXPECT_EQ(own.verdict, Verdict::regressed);
  EXPECT_NEAR(own.ratio.low, 2.220008852210726, 1e-9);
  EXPECT_NEAR(own.ratio.high, 3.715336468612685, 1e-9);
}

// Two wild rounds say little of how launches differ: 3.9 degrees of freedom, by Satterthwaite.
TEST(Regression, NoisyLaunchesCostDegreesOfFreedom) {
  const auto own = judge(night({150, 100, 220}), {night({100, 180})});
  EXPECT_NEAR(own.ratio.low, 0.2428175904464483, 1e-9);
  EXPECT_NEAR(own.ratio.high, 2.6197495039673693, 1e-8);
  EXPECT_EQ(own.target, std::nullopt);
  EXPECT_EQ(own.verdict, Verdict::inconclusive);
}

TEST(Regression, SwappingSidesInvertsTheRatio) {
  const NightMean a = night({130, 128, 140}), b = night({100, 102, 101});
  const Ratio there = judge(a, {b}).ratio, back = judge(b, {a}).ratio;
  EXPECT_NEAR(there.estimate * back.estimate, 1, 1e-12);
  const auto error = [](const NightMean& candidate, const NightMean& stored) {
    return error_of(*compare_nights(candidate, std::vector{stored}), 1);
  };
  EXPECT_NEAR(error(a, b).standard, error(b, a).standard, 1e-15);
  EXPECT_NEAR(error(a, b).degrees, error(b, a).degrees, 1e-12);
}

TEST(Regression, OrderOfNightsDoesNotMatter) {
  const NightMean a = night({100, 102}), b = night({90, 95, 97}), c = night({105, 106}), own = night({101, 103});
  const Ratio one = judge(own, {a, b, c}).ratio, other = judge(own, {c, b, a}).ratio;
  EXPECT_DOUBLE_EQ(one.low, other.low);
  EXPECT_DOUBLE_EQ(one.high, other.high);
}

TEST(Regression, AFasterNightIsImprovedAndItsUpperBoundSaysSo) {
  const auto own = judge(night({30, 31}), quiet_nights(5));
  EXPECT_EQ(own.verdict, Verdict::improved);
  EXPECT_EQ(own.ratio.high_level, 0.99);
  EXPECT_LT(own.ratio.high, 0.99);
}

TEST(Regression, AChangeOfToleranceNeverFailsHoweverSure) {
  Limits limits;
  limits.tolerance = 0.5;
  EXPECT_EQ(judge(night({149.9, 150}), quiet_nights(1000), limits).verdict, Verdict::pass);
  EXPECT_EQ(judge(night({160, 161}), quiet_nights(1000), limits).verdict, Verdict::regressed);
}

TEST(Regression, AToleranceOfEverythingHasNoImprovementAndNoNaN) {
  Limits limits;
  limits.tolerance = 1;
  const auto own = judge(night({1, 1.001}), quiet_nights(5), limits);
  EXPECT_NE(own.verdict, Verdict::improved);
  EXPECT_TRUE(std::isfinite(own.smallest_seen) && std::isfinite(own.ratio.high));
}

TEST(Regression, TheAutomaticTargetIsNeverBelowFivePerCent) {
  // Only the prior's weight keeps the error up; this many nights outweigh it.
  const auto own = judge(night({100, 100.1}), quiet_nights(40'000, 1e-5));
  EXPECT_LT(own.smallest_seen, 0.05);
  EXPECT_EQ(own.target, 0.05);
  EXPECT_EQ(own.verdict, Verdict::pass);
}

TEST(Regression, AboveAHundredPerCentThereAreTooFewNights) {
  const NightComparison one_night = *compare_nights(night({100, 101}), quiet_nights(1));
  const auto family = judge_nights(std::vector<NightTrial>(60, {one_night, {}}));
  EXPECT_EQ(family[0].verdict, Verdict::inconclusive);
  EXPECT_EQ(family[0].target, std::nullopt);
  EXPECT_THAT(why_undecided({one_night, {}}, family[0], 60),
              HasSubstr("too few nights: against 1 night only a change of +138 % is sure to be seen; "
                        "needs at least 2 more nights: run nightly and accept"));
  const auto alone = judge_nights(std::vector<NightTrial>{{one_night, {}}});
  EXPECT_EQ(alone[0].verdict, Verdict::pass) << "a single comparison needs no correction";
}

TEST(Regression, ARegressionIsSeenEvenWhereNothingCanPass) {
  const auto comparison = compare_nights(night({400, 401}), quiet_nights(1));
  EXPECT_EQ(judge_nights(std::vector<NightTrial>(60, {*comparison, {}})).front().verdict, Verdict::regressed);
}

TEST(Regression, AStrictTargetPassesOnlyWhatItCanRuleOut) {
  Limits limits;
  limits.target = 0.3;
  EXPECT_EQ(judge(night({100, 100.1}), quiet_nights(1), limits).verdict, Verdict::pass);
  limits.target = 0.2;
  EXPECT_EQ(judge(night({100, 100.1}), quiet_nights(1), limits).target, 0.2);
  EXPECT_THAT(reason(night({100, 100.1}), quiet_nights(1), limits),
              HasSubstr("a change of +27.6 % cannot be ruled out, the target is +20.0 %; needs at least"));
}

TEST(Regression, TheCureIsAsManyNightsAsItTakes) {
  Limits limits;
  limits.target = 0.2;
  const std::string why = reason(night({100, 100.1}), quiet_nights(2, 0.02), limits);
  const auto place = why.find("needs about ");
  ASSERT_NE(place, std::string::npos) << why;
  const auto more = static_cast<unsigned>(std::stoul(why.substr(place + 12)));
  EXPECT_EQ(judge(night({100, 100.1}), quiet_nights(2 + 2 * ((more + 1) / 2), 0.02), limits).verdict, Verdict::pass);
}

TEST(Regression, WhereNoNumberOfNightsHelpsTheCureIsAnother) {
  Limits limits;
  limits.target = 0.05;
  EXPECT_THAT(reason(night({100, 130}), quiet_nights(2), limits), HasSubstr("no number of nights within reach"));
}

TEST(Regression, AnUpperBoundAtTheTargetDoesNotPassAndTheReasonShowsTheDigits) {
  Limits limits;
  limits.target = judge(night({100, 101}), quiet_nights(3)).ratio.high - 1;
  EXPECT_EQ(judge(night({100, 101}), quiet_nights(3), limits).verdict, Verdict::inconclusive);
  *limits.target += 1e-9;
  EXPECT_EQ(judge(night({100, 101}), quiet_nights(3), limits).verdict, Verdict::pass);
}

TEST(Regression, OneRoundEverywhereSaysNothingOfLaunches) {
  EXPECT_FALSE(compare_nights(night({100}), std::vector{night({100}), night({101})}));
  EXPECT_TRUE(compare_nights(night({100}), std::vector{night({100}), night({101, 102})}));
}

TEST(Regression, HolmFreesTheOthersOfWhatIsAlreadyDecided) {
  const NightComparison slow = *compare_nights(night({900, 901}), quiet_nights(5));
  const NightComparison same = *compare_nights(night({100, 101}), quiet_nights(5));
  const auto judged = judge_nights(std::vector<NightTrial>{{same, {}}, {slow, {}}, {same, {}}});
  EXPECT_EQ(judged[1].ratio.low_level, 1 - 0.01 / 3);
  EXPECT_EQ(judged[0].ratio.low_level, 1 - 0.01 / 2);
  EXPECT_EQ(judged[2].ratio.low_level, 1 - 0.01 / 2);
}

TEST(Regression, ConstantAndAbsurdTimesStayFinite) {
  for (const auto& own : {judge(night({5, 5}), {night({5, 5})}), judge(night({1e15, 1e-6}), {night({1e-6, 1e15})}),
                          judge(night({1e-6, 1e-6}), {night({1e15, 1e15})})})
    for (const double value : {own.ratio.estimate, own.ratio.low, own.ratio.high, own.smallest_seen})
      EXPECT_TRUE(std::isfinite(value)) << value;
}

TEST(Regression, NoTrialsNoJudgements) { EXPECT_TRUE(judge_nights({}).empty()); }

}  // namespace
}  // namespace bindgate
