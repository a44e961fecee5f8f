#include "verdict/warm_up.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "statistics/student.hpp"
#include "statistics/summary.hpp"

namespace bindgate {
namespace {

constexpr std::size_t fewest_rounds = 2;
constexpr double confidence = 0.95;

struct Interval {
  double middle = 0, low = 0, high = 0;
};

/// Each of the two intervals that a break-even is made of.
Interval interval_of(const std::vector<double>& rounds) {
  const double n = static_cast<double>(rounds.size()), middle = mean(rounds);
  const double reach = student_quantile(1 - (1 - confidence) / 4, n - 1) * standard_deviation(rounds) / std::sqrt(n);
  return {middle, middle - reach, middle + reach};
}

std::vector<double> round_means(const std::map<unsigned, std::vector<double>>& by_round) {
  std::vector<double> means;
  for (const auto& [round, values] : by_round) means.push_back(mean(values));
  return means;
}

std::optional<BreakEven> break_even_of(std::span<const WarmUpLaunch> launches) {
  std::map<unsigned, std::vector<double>> extra, saved;
  for (const WarmUpLaunch& launch : launches) {
    const auto& [round, own, other] = launch;
    if (!other || !own.first_calls || !other->first_calls || !own.seconds || !other->seconds) continue;
    extra[round].push_back(own.first_calls->cost_seconds - other->first_calls->cost_seconds);
    saved[round].push_back(*other->seconds - *own.seconds);
  }
  if (extra.size() < fewest_rounds) return std::nullopt;
  const Interval cost = interval_of(round_means(extra)), saving = interval_of(round_means(saved));
  BreakEven even;
  even.n = static_cast<unsigned>(extra.size());
  even.never = saving.high <= 0;
  if (saving.middle > 0) even.iterations = std::max(0.0, cost.middle) / saving.middle;
  if (saving.high > 0) even.low = std::max(0.0, cost.low) / saving.high;
  if (saving.low > 0) even.high = std::max(0.0, cost.high) / saving.low;
  return even;
}

// By the wall clock, which is the warm-up's.
WarmUpLaunch::Part part_of(const CaseDigest& digest, Clock primary) {
  WarmUpLaunch::Part part{digest.first_calls, std::nullopt};
  if (digest.times && primary == Clock::wall) part.seconds = digest.times->median_ns * 1e-9;
  return part;
}

const SeriesLaunch* measured(const CountedLaunch& launch, const std::string& name) {
  const auto found = launch.cases.find(name);
  return found != launch.cases.end() && found->second.run->outcome == CaseOutcome::ok ? &found->second : nullptr;
}

}  // namespace

WarmUp judge_warm_up(std::span<const WarmUpLaunch> launches, const std::string& against) {
  WarmUp warm_up;
  warm_up.against = against;
  std::vector<double> from, cost, share;
  for (const WarmUpLaunch& launch : launches) {
    ++warm_up.launches;
    const auto& calls = launch.own.first_calls;
    if (!calls) continue;
    from.push_back(static_cast<double>(calls->steady_from));
    cost.push_back(calls->cost_seconds);
    if (calls->steady_seconds > 0) share.push_back(calls->cost_seconds / (warm_up_iterations * calls->steady_seconds));
  }
  warm_up.settled = static_cast<unsigned>(from.size());
  if (from.empty() || 2 * from.size() < launches.size()) return warm_up;
  warm_up.steady_from = median(from);
  warm_up.first_calls_seconds = median(cost);
  if (!share.empty()) warm_up.share = median(share);
  if (!against.empty()) warm_up.break_even = break_even_of(launches);
  return warm_up;
}

void add_first_calls(CaseRanking& ranking, std::span<const CountedLaunch> counted, const CaseInfo& info) {
  for (RankedVariant& row : ranking.variants) {
    std::vector<WarmUpLaunch> launches;
    std::map<std::string, std::vector<double>> figures;
    for (const CountedLaunch& launch : counted) {
      const SeriesLaunch* own = measured(launch, info.name);
      if (launch.launch->member.variant != row.variant || !own) continue;
      for (const auto& [name, value] : own->run->figures) figures[name].push_back(value);
      if (!own->digest->warmed_up) continue;
      WarmUpLaunch& one = launches.emplace_back();
      one.round = launch.launch->round;
      one.own = part_of(*own->digest, info.primary);
      if (const SeriesLaunch* other = info.against.empty() ? nullptr : measured(launch, info.against))
        one.other = part_of(*other->digest, info.primary);
    }
    for (const auto& [name, values] : figures) row.figures[name] = median(values);
    if (!launches.empty()) row.warm_up = judge_warm_up(launches, info.against);
  }
}

}  // namespace bindgate
