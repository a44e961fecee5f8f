#include "verdict/twin.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "statistics/student.hpp"
#include "statistics/summary.hpp"
#include "verdict/words.hpp"

namespace bindgate {
namespace {

constexpr double family_level = 0.01;

/// ln(twin / base), one for each round that has both.
std::vector<double> differences(std::span<const NightLaunch> launches) {
  struct Pair {
    std::optional<double> base, twin;
  };
  std::map<unsigned, Pair> rounds;
  for (const NightLaunch& launch : launches)
    (launch.role == Role::twin ? rounds[launch.round].twin : rounds[launch.round].base) = std::log(launch.median_ns);
  std::vector<double> differences;
  for (const auto& [round, pair] : rounds)
    if (pair.base && pair.twin) differences.push_back(*pair.twin - *pair.base);
  return differences;
}

std::string why_it_fires(const std::vector<double>& rounds, double level, double tolerance) {
  const double n = static_cast<double>(rounds.size()), middle = mean(rounds);
  const double reach = student_quantile(1 - level / 2, n - 1) * standard_deviation(rounds) / std::sqrt(n);
  const double least = std::abs(middle) - reach;
  if (least <= std::log1p(tolerance)) return "";
  return "disturbed: the twin, the same code in the same turns, took " + percent(std::expm1(middle)) +
         (middle > 0 ? " longer" : " less") + " over " + std::to_string(rounds.size()) +
         " rounds; run again, on a quieter machine";
}

}  // namespace

std::vector<std::string> why_twins_fire(std::span<const TwinTrial> trials) {
  std::vector<std::vector<double>> all;
  for (const TwinTrial& trial : trials) all.push_back(differences(trial.launches));
  const auto family = std::count_if(all.begin(), all.end(), [](const auto& rounds) { return rounds.size() >= 2; });
  std::vector<std::string> reasons;
  for (std::size_t i = 0; i < trials.size(); ++i)
    reasons.push_back(all[i].size() < 2 ? "" : why_it_fires(all[i], family_level / static_cast<double>(family), trials[i].tolerance));
  return reasons;
}

}  // namespace bindgate
