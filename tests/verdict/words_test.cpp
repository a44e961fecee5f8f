#include "verdict/words.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace bindgate {
namespace {

TEST(Words, GiveSharesTwoSignificantDigits) {
  EXPECT_EQ(percent(0.2249), "22 %");
  EXPECT_EQ(percent(0.0909), "9.1 %");
  EXPECT_EQ(percent(0.05), "5 %");
  EXPECT_EQ(percent(0.0045), "0.45 %");
  EXPECT_EQ(percent(-0.31), "31 %");
  EXPECT_EQ(percent(1.5), "150 %");
  EXPECT_EQ(percent(0), "0 %");
  EXPECT_EQ(percent(0.00001), "0.001 %");
}

TEST(Words, ShowOnWhichSideOfALimitAShareLies) {
  EXPECT_EQ(percent(0.0504, 0.05), "5.04 %");
  EXPECT_EQ(percent(0.05001, 0.05), "5.001 %");
}

TEST(Words, ListNamesAsPeopleDo) {
  EXPECT_EQ(listed(std::vector<std::string>{"none"}), "none");
  EXPECT_EQ(listed(std::vector<std::string>{"none", "numactl"}), "none and numactl");
  EXPECT_EQ(listed(std::vector<std::string>{"none", "numactl", "remote"}), "none, numactl and remote");
}

}  // namespace
}  // namespace bindgate
