#include "support/generator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace bindgate {
namespace {

TEST(Generator, GivesThePublishedSequenceOfSplitMix64) {
  Generator generator(1234567);
  for (const std::uint64_t expected : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                       4593380528125082431u, 16408922859458223821u})
    EXPECT_EQ(generator.next(), expected);
}

TEST(Generator, GivesUniformNumbersInsideTheirInterval) {
  Generator generator(1);
  double sum = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double value = generator.uniform(2, 4);
    ASSERT_GE(value, 2);
    ASSERT_LT(value, 4);
    sum += value;
  }
  EXPECT_NEAR(sum / 10'000, 3, 0.03);
}

TEST(Generator, GivesNormalNumbersOfMeanZeroAndVarianceOne) {
  Generator generator(2);
  double sum = 0, squares = 0;
  for (int i = 0; i < 20'000; ++i) {
    const double value = generator.normal();
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / 20'000, 0, 0.03);
  EXPECT_NEAR(squares / 20'000, 1, 0.03);
}

TEST(Generator, KeepsBelowItsCountAndReachesAllOfIt) {
  Generator generator(3);
  std::vector<int> seen(7);
  for (int i = 0; i < 700; ++i) ++seen.at(generator.below(7));
  for (const int count : seen) EXPECT_GT(count, 50);
}

TEST(Generator, GivesSymmetricFloatsThatAreExactMultiples) {
  Generator generator(4);
  for (int i = 0; i < 1000; ++i) {
    const float value = generator.symmetric();
    ASSERT_GE(value, -1);
    ASSERT_LT(value, 1);
    ASSERT_EQ(value * 0x1p23f, std::round(value * 0x1p23f));
  }
}

TEST(Bf16, RoundsToTheNearestAndTiesToEven) {
  EXPECT_EQ(bf16_bits(1.0f), 0x3f80);
  EXPECT_EQ(bf16_bits(1.0f + 0x1p-8f), 0x3f80) << "halfway, the even one is below";
  EXPECT_EQ(bf16_bits(1.0f + 0x1p-8f + 0x1p-20f), 0x3f81);
  EXPECT_EQ(bf16_bits(1.0f + 3 * 0x1p-8f), 0x3f82) << "halfway, the even one is above";
  EXPECT_EQ(bf16_bits(-2.5f), 0xc020);
  EXPECT_EQ(from_bf16_bits(0x3f81), 1.0f + 0x1p-7f);
}

}  // namespace
}  // namespace bindgate
