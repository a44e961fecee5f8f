#include "verdict/warm_up.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "statistics/change_point.hpp"
#include "statistics/student.hpp"
#include "statistics/summary.hpp"
#include "verdict/turns.hpp"

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

const CaseRun* measured(const Launch& launch, const std::string& name) {
  for (const CaseRun& run : launch.cases)
    if (run.name == name && run.outcome == CaseOutcome::ok) return &run;
  return nullptr;
}

WarmUpLaunch::Part part_of(const CaseRun& run) {
  WarmUpLaunch::Part part;
  part.first_calls = first_calls(run.warmup_ns);
  if (const auto nanoseconds = median_time(run, Clock::wall)) part.seconds = *nanoseconds * 1e-9;
  return part;
}

bool counts(const Launch& launch, const Run& run, const PlannedProgram& program) {
  return launch.program == program.name && launch.member.purpose == Purpose::measure &&
         run.rounds.contains(launch.round) && !run.abandoned.contains(launch.id);
}

}  // namespace

std::optional<FirstCalls> first_calls(std::span<const std::int64_t> warmup_ns) {
  const std::vector<double> times(warmup_ns.begin(), warmup_ns.end());
  const auto from = steady_from(times);
  if (!from) return std::nullopt;
  const double steady = median(std::span(times).subspan(*from));
  FirstCalls calls{.steady_from = *from, .steady_seconds = steady * 1e-9};
  for (std::size_t i = 0; i < *from; ++i) calls.cost_seconds += (times[i] - steady) * 1e-9;
  return calls;
}

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

void add_first_calls(CaseRanking& ranking, const Run& run, const PlannedProgram& program, const CaseInfo& info) {
  for (RankedVariant& row : ranking.variants) {
    std::vector<WarmUpLaunch> launches;
    std::map<std::string, std::vector<double>> figures;
    for (const Launch& launch : run.launches) {
      const CaseRun* own = measured(launch, info.name);
      if (launch.member.variant != row.variant || !counts(launch, run, program) || !own) continue;
      for (const auto& [name, value] : own->figures) figures[name].push_back(value);
      if (own->warmup_ns.empty()) continue;
      WarmUpLaunch& one = launches.emplace_back(WarmUpLaunch{launch.round, part_of(*own), std::nullopt});
      if (const CaseRun* other = info.against.empty() ? nullptr : measured(launch, info.against))
        one.other = part_of(*other);
    }
    for (const auto& [name, values] : figures) row.figures[name] = median(values);
    if (!launches.empty()) row.warm_up = judge_warm_up(launches, info.against);
  }
}

}  // namespace bindgate
