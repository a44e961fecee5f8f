// Known answers by numpy 2.4 and scipy 1.17 for the sample below: mean, std(ddof=1), quantile(p),
// std / mean, 1.4826 * median_abs_deviation / median, gmean.
#include "statistics/summary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace bindgate {
namespace {

const std::vector<double> sample{3.1, 2.7, 4.4, 2.9, 10.5};

TEST(Summary, AgreesWithNumpy) {
  EXPECT_DOUBLE_EQ(mean(sample), 4.72);
  EXPECT_DOUBLE_EQ(standard_deviation(sample), 3.298787656094281);
  EXPECT_DOUBLE_EQ(quantile(sample, 0), 2.7);
  EXPECT_DOUBLE_EQ(quantile(sample, 0.1), 2.78);
  EXPECT_DOUBLE_EQ(quantile(sample, 0.95), 9.28);
  EXPECT_DOUBLE_EQ(quantile(sample, 1), 10.5);
  EXPECT_DOUBLE_EQ(median(sample), 3.1);
  EXPECT_DOUBLE_EQ(coefficient_of_variation(sample), 0.6988956898504832);
  EXPECT_DOUBLE_EQ(mad_coefficient_of_variation(sample), 0.19130322580645154);
  EXPECT_DOUBLE_EQ(geometric_mean(sample), 4.073362738184985);
}

TEST(Summary, OrderDoesNotMatter) {
  std::vector<double> turned(sample.rbegin(), sample.rend());
  EXPECT_DOUBLE_EQ(standard_deviation(turned), standard_deviation(sample));
  EXPECT_EQ(quantile(turned, 0.3), quantile(sample, 0.3));
  EXPECT_DOUBLE_EQ(geometric_mean(turned), geometric_mean(sample));
}

TEST(Summary, OneValueIsItsOwnMeanAndMedian) {
  const std::vector one{7.0};
  EXPECT_EQ(mean(one), 7);
  EXPECT_EQ(median(one), 7);
  EXPECT_EQ(mad_coefficient_of_variation(one), 0);
}

TEST(Summary, TheMedianOfAnEvenNumberLiesHalfway) { EXPECT_EQ(median(std::vector{4.0, 1.0, 2.0, 8.0}), 3); }

TEST(Summary, MadIsBlindToATailThatTheCvSees) {
  std::vector<double> tailed(100, 1.0);
  for (std::size_t i = 0; i < 10; ++i) tailed[i] = 3;
  EXPECT_EQ(mad_coefficient_of_variation(tailed), 0);
  EXPECT_GT(coefficient_of_variation(tailed), 0.4);
}

}  // namespace
}  // namespace bindgate
