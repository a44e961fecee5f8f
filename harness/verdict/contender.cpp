#include "verdict/contender.hpp"

#include <algorithm>
#include <cmath>

#include "statistics/student.hpp"
#include "statistics/summary.hpp"

namespace bindgate {

void Contender::troubled(Trouble found, std::string why) {
  if (found <= trouble) return;
  trouble = found;
  problem = std::move(why);
}

void Contender::take_in(const CountedLaunch& counted, const CaseInfo& info) {
  const Launch& launch = *counted.launch;
  const auto found = counted.cases.find(info.name);
  const CaseRun* run = found == counted.cases.end() ? nullptr : found->second.run;
  if (!run || run->outcome == CaseOutcome::unfinished) {
    const bool failed = !launch.failure.empty();
    return troubled(failed ? Trouble::failed : Trouble::not_run,
                    failed ? "failed: " + launch.failure : "not run: its launch ended before it");
  }
  if (run->outcome == CaseOutcome::failed) return troubled(Trouble::failed, "failed: " + run->reason);
  if (run->outcome == CaseOutcome::not_run) return troubled(Trouble::not_run, "not run: " + run->reason);
  if (!run->proof) return troubled(Trouble::unverifiable, "unverifiable: the journal holds no proof");
  if (run->proof->status == ProofStatus::unverifiable)
    return troubled(Trouble::unverifiable, "unverifiable: " + run->proof->detail);
  if (run->proof->status == ProofStatus::violated)
    return troubled(Trouble::violated, "binding violated: " + run->proof->detail);
  launches.push_back(found->second);
  if (const TurnTimes& times = found->second.digest->turns; !times.empty()) rounds[launch.round] = times;
}

std::vector<double> log_ratios(const Rounds& a, const Rounds& b) {
  std::vector<double> ratios;
  for (const auto& [round, times] : a)
    if (const auto other = b.find(round); other != b.end())
      if (const auto ratio = log_ratio(times, other->second)) ratios.push_back(*ratio);
  return ratios;
}

std::optional<Ratio> ratio_of(const std::vector<double>& rounds, double level) {
  if (rounds.size() < fewest_rounds) return std::nullopt;
  const double n = static_cast<double>(rounds.size()), middle = mean(rounds);
  const double reach = student_quantile(level, n - 1) * standard_deviation(rounds) / std::sqrt(n);
  // Two rounds and many pairs can reach so far that exp would no longer give a number.
  const auto factor = [](double logarithm) { return std::exp(std::clamp(logarithm, -100.0, 100.0)); };
  return Ratio{.estimate = factor(middle), .low = factor(middle - reach), .low_level = level,
               .high = factor(middle + reach), .high_level = level};
}

}  // namespace bindgate
