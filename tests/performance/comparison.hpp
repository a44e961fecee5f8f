#pragma once
// What every program here prints: a ratio of two things timed by turns in one process, with its goal. Nothing here
// decides a test: a shared machine's ratios are for people.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "statistics/summary.hpp"

namespace bindgate {

inline constexpr double no_limit = 1e9;
struct Goal {
  double low = 0, high = no_limit;
};

/// Prints "NAME: 1.0002 +- 0.0001 over 2000 UNITS (goal 0.999 to 1.001): met". The half width is a 95 % interval of the
/// median by its standard error under normality, 1.2533 s / sqrt(n), s from the MAD.
inline void print_comparison(const std::string& name, const char* units, const std::vector<double>& ratios,
                             Goal goal) {
  const double middle = median(ratios);
  const double half_width = 1.96 * 1.2533 * middle * mad_coefficient_of_variation(ratios) /
                            std::sqrt(static_cast<double>(ratios.size()));
  const bool met = middle >= goal.low && middle <= goal.high;
  char wanted[64];
  std::snprintf(wanted, sizeof wanted, goal.high < no_limit ? "%.4g to %.4g" : "at least %.4g", goal.low, goal.high);
  std::printf("%s: %.4f +- %.4f over %zu %s (goal %s): %s\n", name.c_str(), middle, half_width, ratios.size(), units,
              wanted, met ? "met" : "NOT MET");
  std::fflush(stdout);
}

[[noreturn]] inline void give_up(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(EXIT_FAILURE);
}

}  // namespace bindgate
