#include "support/expected.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>

#include "support/generator.hpp"

namespace bindgate {

void DotProduct::add(double a, double b) {
  value += a * b;
  magnitude += std::abs(a * b);
  ++terms;
}

double error_bound(const DotProduct& expected, Rounding rounding) {
  return 4 * std::sqrt(static_cast<double>(expected.terms)) * rounding.accumulation * expected.magnitude +
         rounding.output * std::abs(expected.value);
}

Result<void> compare(std::string_view where, double found, const DotProduct& expected, Rounding rounding) {
  const double bound = error_bound(expected, rounding);
  if (std::abs(found - expected.value) <= bound) return {};  // false for NaN
  char numbers[128];
  std::snprintf(numbers, sizeof numbers, ": expected %.9g, found %.9g, bound %.3g", expected.value, found, bound);
  return fail(std::string(where) + numbers);
}

std::vector<std::size_t> sampled_positions(std::size_t total, std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> positions;
  if (total <= count) {
    positions.resize(total);
    std::iota(positions.begin(), positions.end(), std::size_t{0});
    return positions;
  }
  Generator generator(seed);
  positions = {0, total - 1};
  while (positions.size() < count) {
    const std::size_t position = generator.next() % total;
    if (std::find(positions.begin(), positions.end(), position) == positions.end()) positions.push_back(position);
  }
  std::sort(positions.begin(), positions.end());
  return positions;
}

}  // namespace bindgate
