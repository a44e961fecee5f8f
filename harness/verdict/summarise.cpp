#include "verdict/summarise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>

#include "verdict/series.hpp"

namespace bindgate {
namespace {

double six_digits(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.5e", value);
  return std::strtod(text.data(), nullptr);
}

// Misses are told in at most three digits, that a launch keeps to its 200 bytes; what lies below says nothing.
double three_digits(double value) {
  constexpr double smallest = 1e-4;
  const double unit = std::max(smallest, std::pow(10.0, std::floor(std::log10(std::max(value, smallest))) - 2));
  return six_digits(std::round(value / unit) * unit);
}

std::optional<NightLaunch> summarise(const SeriesLaunch& series) {
  const CaseDigest& digest = *series.digest;
  // What is left of a launch that the machine disturbed most of the time is no fair sample of it.
  if (digest.mostly_disturbed || !digest.times) return std::nullopt;
  NightLaunch launch;
  launch.round = series.launch->round;
  launch.role = series.launch->member.role;
  launch.median_ns = six_digits(digest.times->median_ns);
  launch.spread = six_digits(digest.times->spread);
  for (const ReferenceKernel kernel : reference_kernels)
    if (const auto reading = digest.times->references_ns[static_cast<std::size_t>(kernel)])
      launch.references_ns[kernel] = six_digits(*reading);
  if (digest.mpki) launch.mpki = three_digits(*digest.mpki);
  return launch;
}

}  // namespace

std::vector<CaseHistory> summarise(const Evidence& evidence) {
  const Run& run = evidence.run;
  std::map<std::string, CaseHistory> cases;
  for (const Series& series : series_of(evidence)) {
    std::vector<NightLaunch> launches;
    for (const auto* part : {&series.launches, &series.twins})
      for (const SeriesLaunch& one : *part)
        if (auto launch = summarise(one)) launches.push_back(std::move(*launch));
    // Without one of its rounds the mean of a variant whose placements take turns is of other shares than it says.
    if (series.rotates && launches.size() < series.launches.size() + series.twins.size()) continue;
    if (launches.empty()) continue;
    const auto seat = [](const NightLaunch& launch) { return std::tuple(launch.round, launch.role); };
    std::stable_sort(launches.begin(), launches.end(),
                     [&](const NightLaunch& a, const NightLaunch& b) { return seat(a) < seat(b); });
    CaseHistory& history = cases[series.info->name];
    if (history.nights.empty()) {
      history.case_name = series.info->name;
      history.fingerprint = run.fingerprint;
      history.clock = series.info->primary;
      Night& night = history.nights.emplace_back();
      night.run = run.id;
      night.measured = run.started;
      night.environment = run.environment;
    }
    history.nights.front().variants[series.variant] = std::move(launches);
    for (const PlannedVariant& variant : run.plan.variants)
      if (variant.name == series.variant)
        history.nights.front().placements[variant.name] = describe(variant, run.rounds, run.plan.variants);
  }
  std::vector<CaseHistory> sorted;
  for (auto& [name, history] : cases) sorted.push_back(std::move(history));
  return sorted;
}

}  // namespace bindgate
