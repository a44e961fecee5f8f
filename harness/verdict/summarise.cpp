#include "verdict/summarise.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>

#include "statistics/summary.hpp"
#include "verdict/series.hpp"
#include "verdict/turns.hpp"

namespace bindgate {
namespace {

double six_digits(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.5e", value);
  return std::strtod(text.data(), nullptr);
}

std::optional<NightLaunch> summarise(const SeriesLaunch& series) {
  std::vector<double> samples;
  std::map<ReferenceKernel, std::vector<double>> readings;
  const std::vector<const Block*> blocks = standing_blocks(*series.run);
  const auto undisturbed = std::count_if(blocks.begin(), blocks.end(),
                                         [](const Block* block) { return block->disturbed.empty(); });
  // What is left of a launch that the machine disturbed most of the time is no fair sample of it.
  if (2 * static_cast<std::size_t>(undisturbed) < blocks.size()) return std::nullopt;
  for (const Block* block : blocks) {
    if (!block->disturbed.empty()) continue;
    if (const auto own = block->nanoseconds.find(series.info->primary); own != block->nanoseconds.end())
      samples.insert(samples.end(), own->second.begin(), own->second.end());
    for (const auto& [kernel, times] : block->references) {
      auto& all = readings[kernel];
      all.insert(all.end(), times.begin(), times.end());
    }
  }
  if (samples.empty() || median(samples) <= 0) return std::nullopt;
  NightLaunch launch;
  launch.round = series.launch->round;
  launch.role = series.launch->member.role;
  launch.median_ns = six_digits(median(samples) / static_cast<double>(series.run->batch));
  launch.spread = six_digits(mad_coefficient_of_variation(samples));
  for (const auto& [kernel, times] : readings)
    if (!times.empty() && median(times) > 0) launch.references_ns[kernel] = six_digits(median(times));
  return launch;
}

}  // namespace

std::vector<CaseHistory> summarise(const Run& run) {
  std::map<std::string, CaseHistory> cases;
  for (const Series& series : series_of(run)) {
    std::vector<NightLaunch> launches;
    for (const auto* part : {&series.launches, &series.twins})
      for (const SeriesLaunch& one : *part)
        if (auto launch = summarise(one)) launches.push_back(std::move(*launch));
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
      if (variant.name == series.variant) history.nights.front().placements[variant.name] = describe(variant);
  }
  std::vector<CaseHistory> sorted;
  for (auto& [name, history] : cases) sorted.push_back(std::move(history));
  return sorted;
}

}  // namespace bindgate
