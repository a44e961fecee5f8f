#include "verdict/ranking_words.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/units.hpp"
#include "verdict/words.hpp"

namespace bindgate {
namespace {

/// "3.1 to 4.0 %" between two shares of the same sign, neither of them shown as nothing unless it is.
std::string span_of(double a, double b) {
  std::string low = format_change(std::min(std::abs(a), std::abs(b))).substr(1);
  const std::string high = format_change(std::max(std::abs(a), std::abs(b))).substr(1);
  return low == high ? high : low.erase(low.size() - 2) + " to " + high;
}

}  // namespace

std::string say_fastest(const std::string& best, const std::string& next, const Ratio& ratio) {
  return best + " is fastest: " + span_of(1 - ratio.high, 1 - ratio.low) + " less time than the next, " + next;
}

std::string say_tie(std::span<const std::string> names, double within) {
  static constexpr double beyond_use = 2;
  return "tie: " + listed(names) + " cannot be told apart (" +
         (within < beyond_use ? "within " + percent(within - 1) : "not even within 100 %: run more rounds") + ")";
}

std::string say_disturbed(const Ratio& ratio) {
  const bool slower = ratio.low > 1;
  const std::string by = slower ? span_of(ratio.low - 1, ratio.high - 1) : span_of(1 - ratio.high, 1 - ratio.low);
  return "disturbed: the twin, the same code and placement, took " + by + (slower ? " more" : " less") +
         " time than the base";
}

std::string say_one_placement(const std::string& variant, std::span<const std::string> same_as) {
  std::vector<std::string> names{variant};
  names.insert(names.end(), same_as.begin(), same_as.end());
  if (same_as.empty()) return "only " + variant + " was measured";
  return "only one placement here: " + listed(names) + " are the same";
}

}  // namespace bindgate
