#include "verdict/twin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace bindgate {
namespace {

using testing::HasSubstr;

/// Rounds in which the twin takes `factors[round]` times the base's time.
std::vector<NightLaunch> launches(const std::vector<double>& factors) {
  std::vector<NightLaunch> made;
  for (unsigned round = 0; round < factors.size(); ++round) {
    const double base = 100 + 20 * round;
    made.push_back({round, Role::twin, base * factors[round], 0, {}});
    made.push_back({round, Role::base, base, 0, {}});
  }
  return made;
}

std::string why(const std::vector<NightLaunch>& own, double tolerance = 0.01) {
  return why_twins_fire(std::vector<TwinTrial>{{own, tolerance}}).front();
}

TEST(Twin, FiresWhereItDiffersInEveryRound) {
  EXPECT_THAT(why(launches({1.10, 1.11, 1.09, 1.10})), HasSubstr("took 10 % longer over 4 rounds"));
  EXPECT_THAT(why(launches({0.90, 0.91, 0.89, 0.90})), HasSubstr("took 10 % less over 4 rounds"));
}

TEST(Twin, IsQuietWhereItDiffersNowAndThen) { EXPECT_EQ(why(launches({1.3, 0.8, 1.0, 1.1})), ""); }

TEST(Twin, ADifferenceWithinToleranceIsNone) {
  EXPECT_EQ(why(launches({1.009, 1.0091, 1.0092, 1.009})), "");
  EXPECT_NE(why(launches({1.009, 1.0091, 1.0092, 1.009}), 0.005), "");
}

// Differences of 8, 9, 10, 11 and 12 %: t = 13.3 with 4 degrees of freedom (scipy: stats.ttest_1samp(log(..), log(1.01)),
// p = 0.00019 for both sides), which is beyond 1 % alone and not beyond 1 % / 60.
TEST(Twin, IsCorrectedForAllThatAreTried) {
  const auto own = launches({1.08, 1.09, 1.10, 1.11, 1.12});
  EXPECT_NE(why(own), "");
  EXPECT_EQ(why_twins_fire(std::vector<TwinTrial>(60, {own, 0.01})).front(), "");
}

TEST(Twin, OneRoundOrOneSideNeverFires) {
  EXPECT_EQ(why(launches({2.0})), "");
  EXPECT_EQ(why({{0, Role::base, 100, 0, {}}, {1, Role::base, 200, 0, {}}, {2, Role::twin, 100, 0, {}}}), "");
  EXPECT_EQ(why({}), "");
}

TEST(Twin, EqualTimesAreQuietAndConstantDifferencesAreNot) {
  EXPECT_EQ(why(launches({1, 1, 1})), "");
  EXPECT_NE(why(launches({2, 2, 2})), "");
}

TEST(Twin, FiresByChanceInAtMostOneFamilyOfAHundred) {
  std::mt19937 engine(20260131);
  std::normal_distribution<double> normal(0, 0.05);
  unsigned fired = 0;
  for (unsigned family = 0; family < 1000; ++family) {
    std::vector<std::vector<NightLaunch>> all;
    for (int i = 0; i < 6; ++i) {
      std::vector<double> factors(6);
      for (double& factor : factors) factor = std::exp(normal(engine));
      all.push_back(launches(factors));
    }
    std::vector<TwinTrial> trials;
    for (const auto& own : all) trials.push_back({own, 0.01});
    const auto reasons = why_twins_fire(trials);
    fired += std::any_of(reasons.begin(), reasons.end(), [](const std::string& reason) { return !reason.empty(); });
  }
  EXPECT_LE(fired, 10U);
}

}  // namespace
}  // namespace bindgate
