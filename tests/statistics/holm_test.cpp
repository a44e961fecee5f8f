#include "statistics/holm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace bindgate {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Holm, NothingToJudgeHasNoLevels) { EXPECT_THAT(holm_levels({}, 0.01), IsEmpty()); }

TEST(Holm, OneComparisonGetsTheWholeLevel) { EXPECT_THAT(holm_levels(std::vector{0.5}, 0.01), ElementsAre(0.01)); }

// By hand: ordered 0.005, 0.01, 0.03, 0.04 meet 0.05/4, 0.05/3 and 0.05/2, where 0.03 is kept.
TEST(Holm, StepsDownAsFarAsItRejects) {
  EXPECT_THAT(holm_levels(std::vector{0.01, 0.04, 0.03, 0.005}, 0.05),
              ElementsAre(DoubleEq(0.05 / 3), DoubleEq(0.05 / 2), DoubleEq(0.05 / 2), DoubleEq(0.05 / 4)));
}

TEST(Holm, AfterOneIsKeptNoLargerOneIsRejected) {
  // 0.02 would pass at 0.05 alone, but 0.015 before it is kept at 0.05 / 4.
  const std::vector p{0.015, 0.02, 0.9, 0.9};
  const std::vector levels = holm_levels(p, 0.05);
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_GT(p[i], levels[i]);
}

TEST(Holm, EqualValuesAreJudgedAlike) {
  const std::vector levels = holm_levels(std::vector{0.02, 0.02, 0.02}, 0.05);
  EXPECT_THAT(levels, testing::Each(DoubleEq(0.05 / 3)));
}

TEST(Holm, OrderDoesNotMatter) {
  const std::vector levels = holm_levels(std::vector{0.005, 0.03, 0.04, 0.01}, 0.05);
  EXPECT_THAT(levels, ElementsAre(DoubleEq(0.05 / 4), DoubleEq(0.05 / 2), DoubleEq(0.05 / 2), DoubleEq(0.05 / 3)));
}

TEST(Holm, WrongsTrueHypothesesNoMoreOftenThanPromised) {
  std::mt19937_64 engine(20260131);
  std::uniform_real_distribution<double> uniform;
  unsigned wronged = 0;
  const unsigned families = 20'000;
  for (unsigned family = 0; family < families; ++family) {
    std::vector<double> p(20);
    for (double& value : p) value = uniform(engine);
    p[0] = p[1] = p[2] = 1e-9;  // three real changes, which make the rest easier to reject
    const std::vector levels = holm_levels(p, 0.05);
    bool any = false;
    for (std::size_t i = 3; i < p.size(); ++i) any = any || p[i] <= levels[i];
    wronged += any;
  }
  EXPECT_LT(wronged, 0.055 * families);
  EXPECT_GT(wronged, 0.040 * families) << "17 open hypotheses at 0.05 / 17: it should use nearly all of its level";
}

}  // namespace
}  // namespace bindgate
