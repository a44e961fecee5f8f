#include "support/expected.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "support/generator.hpp"

namespace bindgate {
namespace {

using testing::HasSubstr;

DotProduct product_of(const std::vector<double>& a, const std::vector<double>& b) {
  DotProduct product;
  for (std::size_t i = 0; i < a.size(); ++i) product.add(a[i], b[i]);
  return product;
}

TEST(ErrorBound, FollowsItsFormula) {
  const DotProduct product = product_of({1, -2, 3, -4}, {5, 6, 7, 8});  // 5 - 12 + 21 - 32
  EXPECT_EQ(product.value, -18);
  EXPECT_EQ(product.magnitude, 70);
  EXPECT_DOUBLE_EQ(error_bound(product, {0x1p-24, 0x1p-8}), 4 * 2 * 0x1p-24 * 70 + 0x1p-8 * 18);
}

TEST(ErrorBound, HoldsForAPlainSumInSinglePrecision) {
  Generator generator(1);
  for (int trial = 0; trial < 50; ++trial) {
    DotProduct expected;
    float found = 0;
    for (int i = 0; i < 4096; ++i) {
      const float a = generator.symmetric(), b = generator.symmetric();
      expected.add(a, b);
      found += a * b;
    }
    EXPECT_TRUE(compare("sum", found, expected, {})) << trial;
  }
}

TEST(Compare, CatchesALostTermADoubledTermAndAWrongRounding) {
  Generator generator(2);
  DotProduct expected;
  std::vector<float> terms;
  for (int i = 0; i < 4096; ++i) {
    const float a = generator.symmetric(), b = generator.symmetric();
    expected.add(a, b);
    terms.push_back(a * b);
  }
  float sum = 0, rounded = 0;
  for (const float term : terms) {
    sum += term;
    rounded = from_bf16_bits(bf16_bits(rounded + term));
  }
  EXPECT_TRUE(compare("c", sum, expected, {}));
  EXPECT_FALSE(compare("c", sum - terms[17], expected, {})) << terms[17];
  EXPECT_FALSE(compare("c", sum + terms[99], expected, {})) << terms[99];
  EXPECT_FALSE(compare("c", rounded, expected, {unit_f32, unit_bf16})) << "a running sum in bf16";
}

TEST(Compare, SaysWhereWhatItExpectedAndWhatItFound) {
  const auto result = compare("element [0, 3, 5]", 11, product_of({2}, {5}), {});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("element [0, 3, 5]: expected 10, found 11, bound "));
}

TEST(Compare, RefusesWhatIsNoNumber) {
  EXPECT_FALSE(compare("x", std::numeric_limits<double>::quiet_NaN(), product_of({2}, {5}), {}));
  EXPECT_FALSE(compare("x", std::numeric_limits<double>::infinity(), product_of({2}, {5}), {}));
}

TEST(SampledPositions, AreDistinctSortedSeededAndHoldBothEnds) {
  const auto positions = sampled_positions(100'000, 64, 5);
  ASSERT_EQ(positions.size(), 64u);
  EXPECT_EQ(positions.front(), 0u);
  EXPECT_EQ(positions.back(), 99'999u);
  for (std::size_t i = 1; i < positions.size(); ++i) EXPECT_LT(positions[i - 1], positions[i]);
  EXPECT_EQ(positions, sampled_positions(100'000, 64, 5));
  EXPECT_NE(positions, sampled_positions(100'000, 64, 6));
}

TEST(SampledPositions, AreAllOfThemWhenThereAreFew) {
  EXPECT_EQ(sampled_positions(3, 64, 1), (std::vector<std::size_t>{0, 1, 2}));
}

}  // namespace
}  // namespace bindgate
