// Known answers: quantiles by scipy 1.17 (stats.t.ppf), tails by mpmath with 30 digits
// (betainc(df/2, 1/2, 0, df/(df + t*t), regularized=True)/2).
#include "statistics/student.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace bindgate {
namespace {

TEST(StudentQuantile, AgreesWithScipy) {
  EXPECT_NEAR(student_quantile(0.95, 20), 1.7247182429207866, 1e-10);
  EXPECT_NEAR(student_quantile(1 - .01 / 60, 20), 4.319495059125894, 1e-9);
  EXPECT_NEAR(student_quantile(0.99, 5), 3.3649299989072174, 1e-10);
  EXPECT_NEAR(student_quantile(0.975, 1), 12.706204736174694, 1e-9);
  EXPECT_NEAR(student_quantile(0.95, 3.5), 2.2224334936496004, 1e-10);
  EXPECT_NEAR(student_quantile(1 - .01 / 1000, 39), 4.851314474340316, 1e-9);
}

TEST(StudentQuantile, IsOddAroundTheMedian) {
  EXPECT_EQ(student_quantile(0.5, 7), 0);
  EXPECT_NEAR(student_quantile(0.25, 7), -student_quantile(0.75, 7), 1e-14);
}

TEST(StudentUpperTail, AgreesWithMpmath) {
  EXPECT_NEAR(student_upper_tail(1, 5), 0.1816087338245613, 1e-13);
  EXPECT_NEAR(student_upper_tail(-2, 20), 0.9703672322767148, 1e-13);
  EXPECT_NEAR(student_upper_tail(4.5, 20), 0.0001093856058685913, 1e-16);
  EXPECT_NEAR(student_upper_tail(40, 2.5), 7.097817145246691e-5, 1e-16);
  EXPECT_NEAR(student_upper_tail(0.25, 39), 0.4019497891125684, 1e-13);
}

TEST(StudentUpperTail, UndoesTheQuantile) {
  for (const double p : {0.6, 0.95, 0.999, 1 - 1e-6})
    for (const double df : {1.0, 4.2, 20.0, 1000.0})
      EXPECT_NEAR(student_upper_tail(student_quantile(p, df), df), 1 - p, 1e-12) << p << " with df " << df;
}

TEST(StudentUpperTail, KnowsInfinity) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(student_upper_tail(infinity, 5), 0);
  EXPECT_EQ(student_upper_tail(-infinity, 5), 1);
}

}  // namespace
}  // namespace bindgate
