#include "statistics/student.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace bindgate {
namespace {

// Double is enough: a gate that hung on the difference to long double would hang on noise.
using DoubleOnly = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using StudentsT = boost::math::students_t_distribution<double, DoubleOnly>;

}  // namespace

double student_quantile(double probability, double degrees_of_freedom) {
  return boost::math::quantile(StudentsT(degrees_of_freedom), probability);
}

double student_upper_tail(double t, double degrees_of_freedom) {
  if (std::isinf(t)) return t > 0 ? 0 : 1;
  return boost::math::cdf(boost::math::complement(StudentsT(degrees_of_freedom), t));
}

}  // namespace bindgate
