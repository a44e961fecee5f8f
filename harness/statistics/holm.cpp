#include "statistics/holm.hpp"

#include <algorithm>
#include <numeric>

namespace bindgate {

std::vector<double> holm_levels(std::span<const double> p_values, double family_level) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> levels(p_values.size());
  std::size_t open = p_values.size();
  for (const std::size_t place : order) {
    levels[place] = family_level / static_cast<double>(open);
    // One that is kept stays open, so every larger p-value meets the same level and is kept too.
    if (p_values[place] <= levels[place]) --open;
  }
  return levels;
}

}  // namespace bindgate
