#include "statistics/summary.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace bindgate {

double mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) {
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double quantile(std::span<const double> values, double p) {
  std::vector<double> ordered(values.begin(), values.end());
  const double place = p * static_cast<double>(ordered.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(place);
  std::nth_element(ordered.begin(), ordered.begin() + below, ordered.end());
  const double low = ordered[static_cast<std::size_t>(below)];
  if (static_cast<std::size_t>(below) + 1 == ordered.size()) return low;
  const double high = *std::min_element(ordered.begin() + below + 1, ordered.end());
  return low + (place - static_cast<double>(below)) * (high - low);
}

double quantile_of_sorted(std::span<const double> ascending, double p) {
  const double place = p * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double low = ascending[below], high = ascending[std::min(below + 1, ascending.size() - 1)];
  return low + (place - static_cast<double>(below)) * (high - low);
}

double median(std::span<const double> values) { return quantile(values, 0.5); }

double coefficient_of_variation(std::span<const double> values) { return standard_deviation(values) / mean(values); }

double mad_coefficient_of_variation(std::span<const double> values) {
  return mad_coefficient_of_variation(values, median(values));
}

double mad_coefficient_of_variation(std::span<const double> values, double centre) {
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values) deviations.push_back(std::abs(value - centre));
  return 1.4826 * median(deviations) / centre;
}

double geometric_mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

}  // namespace bindgate
