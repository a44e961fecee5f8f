#include "verdict/regression.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/names.hpp"
#include "core/units.hpp"
#include "statistics/holm.hpp"
#include "statistics/student.hpp"
#include "statistics/summary.hpp"

namespace bindgate {
namespace {

constexpr double family_level = 0.01, miss_level = 0.05;
constexpr double prior_variance = 0.10 * 0.10, prior_degrees = 20;
constexpr double smallest_target = 0.05, largest_target = 1.0;
constexpr double largest_log = 690;      // its exponential still fits a double
constexpr unsigned longest_wait = 1000;  // nights; beyond, another cure is the honest one

double square(double value) { return value * value; }

/// Holm's level for the first of its family.
double strictest_level(std::size_t family) {
  return family_level / static_cast<double>(std::max<std::size_t>(family, 1));
}

/// A share from a difference of logarithms, finite in any case.
double share(double log_ratio) { return std::expm1(std::clamp(log_ratio, -largest_log, largest_log)); }

/// The logarithm of the change that is seen in 95 of 100 nights when it must clear `level`.
double seen(const NightError& error, double tolerance, double level) {
  return std::log1p(tolerance) +
         (student_quantile(1 - level, error.degrees) + student_quantile(1 - miss_level, error.degrees)) *
             error.standard;
}

/// How many nights more until `enough` holds, as the end of a reason.
template <class Enough>
std::string cure(const NightComparison& comparison, Enough enough) {
  // In steps that grow, as the answer is "about": the error that it rests on is an estimate too.
  for (unsigned more = 1; more <= longest_wait; more += 1 + more / 4)
    if (enough(error_of(comparison, comparison.nights + more)))
      // After one night nothing is known of how nights differ; launches are the least that it can be.
      return "needs " + std::string(comparison.night_variance ? "about " : "at least ") + counted(more, "more night") +
             ": run nightly and accept";
  return "no number of nights within reach decides this: raise the target, or run both sides in one night";
}

}  // namespace

NightMean mean_of(std::span<const NightLaunch> launches) {
  std::map<unsigned, std::vector<double>> by_round;
  for (const NightLaunch& launch : launches) by_round[launch.round].push_back(std::log(launch.median_ns));
  std::vector<double> rounds;
  for (auto& [round, logs] : by_round) {
    std::sort(logs.begin(), logs.end());  // the order in which they are listed must not reach the last digit
    rounds.push_back(mean(logs));
  }
  return {mean(rounds), rounds.size() > 1 ? square(standard_deviation(rounds)) : 0.0,
          static_cast<unsigned>(rounds.size())};
}

std::optional<NightComparison> compare_nights(const NightMean& candidate, std::span<const NightMean> nights) {
  const auto own_degrees = [](const NightMean& night) { return static_cast<double>(night.rounds - 1); };
  double degrees = own_degrees(candidate), squares = degrees * candidate.variance;
  std::vector<double> means;
  for (const NightMean& night : nights) {
    means.push_back(night.log_ns);
    degrees += own_degrees(night);
    squares += own_degrees(night) * night.variance;
  }
  if (degrees == 0) return std::nullopt;
  const double pooled = squares / degrees;
  const auto of_mean = [pooled](const NightMean& night) { return std::max(night.variance, pooled) / night.rounds; };
  NightComparison comparison;
  comparison.nights = static_cast<unsigned>(nights.size());
  comparison.log_ratio = candidate.log_ns - mean(means);
  comparison.candidate_variance = of_mean(candidate);
  for (const NightMean& night : nights) comparison.stored_variance += of_mean(night) / comparison.nights;
  comparison.launch_degrees = degrees;
  if (means.size() > 1) comparison.night_variance = square(standard_deviation(means));
  return comparison;
}

NightError error_of(const NightComparison& comparison, unsigned nights) {
  const double own = comparison.night_variance.value_or(comparison.stored_variance);
  const double own_degrees = nights - 1.0, between_degrees = prior_degrees + own_degrees;
  const double between = (prior_degrees * prior_variance + own_degrees * own) / between_degrees * (1 + 1.0 / nights);
  const double launches = comparison.candidate_variance + comparison.stored_variance / nights;
  const double satterthwaite =
      square(between + launches) / (square(between) / between_degrees + square(launches) / comparison.launch_degrees);
  return {std::sqrt(between + launches), std::min(between_degrees, satterthwaite)};
}

std::vector<RegressionJudgement> judge_nights(std::span<const NightTrial> trials) {
  std::vector<NightError> errors;
  std::vector<double> p_slower, p_faster;
  for (const auto& [comparison, limits] : trials) {
    const NightError& error = errors.emplace_back(error_of(comparison, comparison.nights));
    const double above = (comparison.log_ratio - std::log1p(limits.tolerance)) / error.standard;
    const double below = (comparison.log_ratio - std::log1p(-limits.tolerance)) / error.standard;
    p_slower.push_back(student_upper_tail(above, error.degrees));
    p_faster.push_back(student_upper_tail(-below, error.degrees));
  }
  const std::vector<double> slower = holm_levels(p_slower, family_level), faster = holm_levels(p_faster, family_level);
  const double strictest = strictest_level(trials.size());

  std::vector<RegressionJudgement> judgements;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const auto& [comparison, limits] = trials[i];
    const auto bound = [&, &ratio = comparison.log_ratio](double level) {
      return 1 + share(ratio + student_quantile(level, errors[i].degrees) * errors[i].standard);
    };
    const bool regressed = p_slower[i] <= slower[i], improved = p_faster[i] <= faster[i];
    const double high_level = 1 - (improved ? faster[i] : miss_level);
    RegressionJudgement& own = judgements.emplace_back();
    own.ratio = {1 + share(comparison.log_ratio), bound(slower[i]), 1 - slower[i], bound(high_level), high_level};
    own.smallest_seen = share(seen(errors[i], limits.tolerance, strictest));
    if (limits.target) own.target = limits.target;
    else if (own.smallest_seen <= largest_target) own.target = std::max(own.smallest_seen, smallest_target);
    if (regressed) own.verdict = Verdict::regressed;
    else if (improved) own.verdict = Verdict::improved;
    else if (own.target && own.ratio.high - 1 < *own.target) own.verdict = Verdict::pass;
  }
  return judgements;
}

std::string why_undecided(const NightTrial& trial, const RegressionJudgement& judgement, std::size_t family) {
  const auto& [comparison, limits] = trial;
  const double level = strictest_level(family);
  if (!limits.target)
    return "too few nights: against " + counted(comparison.nights, "night") + " only a change of " +
           format_change(judgement.smallest_seen, 0, 0) + " is sure to be seen; " +
           cure(comparison,
                [&](const NightError& error) { return share(seen(error, limits.tolerance, level)) <= largest_target; });
  const auto decided = [&](const NightError& error) {
    const double upper = comparison.log_ratio + student_quantile(1 - miss_level, error.degrees) * error.standard;
    const double lower = comparison.log_ratio - student_quantile(1 - level, error.degrees) * error.standard;
    return share(upper) < *limits.target || share(lower) > limits.tolerance;
  };
  return "a change of " + format_change(judgement.ratio.high - 1, *limits.target) +
         " cannot be ruled out, the target is " + format_change(*limits.target) + "; " + cure(comparison, decided);
}

}  // namespace bindgate
