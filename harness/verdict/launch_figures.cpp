#include "verdict/launch_figures.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <vector>

#include "statistics/summary.hpp"
#include "verdict/turns.hpp"

namespace bindgate {
namespace {

struct Sample {
  unsigned turn;
  double nanoseconds;
};

std::vector<double> times(std::span<const Sample> samples) {
  std::vector<double> nanoseconds;
  nanoseconds.reserve(samples.size());
  for (const Sample& sample : samples) nanoseconds.push_back(sample.nanoseconds);
  return nanoseconds;
}

/// Without the slowest 2 %, at least one, and still in order of turns.
std::vector<Sample> without_slowest(std::vector<Sample> samples) {
  const auto faster = [](const Sample& a, const Sample& b) { return a.nanoseconds < b.nanoseconds; };
  for (std::size_t drop = std::max<std::size_t>(1, samples.size() / 50); drop > 0 && !samples.empty(); --drop)
    samples.erase(std::max_element(samples.begin(), samples.end(), faster));
  return samples;
}

std::optional<Spread> spread_of(std::span<const Sample> kept) {
  if (kept.size() < 2) return std::nullopt;
  const std::vector<double> nanoseconds = times(kept);
  const std::span<const double> all(nanoseconds);
  const double first = median(all.first(all.size() / 2)), second = median(all.subspan(all.size() / 2));
  const double middle = median(all);
  // Below the clock's resolution there is nothing to divide by.
  if (first <= 0 || second <= 0 || middle <= 0) return std::nullopt;
  return Spread{coefficient_of_variation(all), quantile(all, 0.95) / middle - 1, std::abs(std::log(first / second))};
}

/// Standard deviation about the turn's own mean over all turns with two samples or more, as a share of that mean.
std::optional<double> within_turn_cv(std::span<const Sample> kept) {
  std::map<unsigned, std::vector<double>> by_turn;
  for (const Sample& sample : kept) by_turn[sample.turn].push_back(sample.nanoseconds);
  double squares = 0, freedom = 0;
  for (const auto& [turn, nanoseconds] : by_turn) {
    const double centre = mean(nanoseconds);
    if (nanoseconds.size() < 2 || centre <= 0) continue;
    for (const double value : nanoseconds) squares += (value / centre - 1) * (value / centre - 1);
    freedom += static_cast<double>(nanoseconds.size() - 1);
  }
  if (freedom == 0) return std::nullopt;
  return std::sqrt(squares / freedom);
}

std::optional<Spread> largest_reference(std::span<const Block* const> blocks) {
  static constexpr std::size_t fewest_readings = 30;
  std::map<ReferenceKernel, std::vector<Sample>> readings;
  for (const Block* block : blocks)
    for (const auto& [kernel, nanoseconds] : block->references)
      for (const std::int64_t reading : nanoseconds)
        readings[kernel].push_back({block->turn, static_cast<double>(reading)});
  std::optional<Spread> largest;
  for (const auto& [kernel, samples] : readings) {
    if (samples.size() < fewest_readings) continue;
    const std::optional<Spread> spread = spread_of(without_slowest(samples));
    if (!spread) continue;
    if (!largest) largest.emplace();
    largest->cv = std::max(largest->cv, spread->cv);
    largest->tail = std::max(largest->tail, spread->tail);
    largest->halves = std::max(largest->halves, spread->halves);
  }
  return largest;
}

/// What unclean samples of one block lost to whoever ran instead. A forced switch of unknown length counts as the
/// shortest gap that makes a sample unclean where gaps are measured.
double lost_seconds(const Block& block, const std::vector<bool>& clean, Preemption preemption) {
  const auto wall = block.nanoseconds.find(Clock::wall), thread = block.nanoseconds.find(Clock::thread);
  const bool gaps = preemption == Preemption::cpu_gap && wall != block.nanoseconds.end() &&
                    thread != block.nanoseconds.end();
  double lost = 0;
  for (std::size_t i = 0; i < clean.size(); ++i) {
    if (clean[i]) continue;
    if (gaps) lost += static_cast<double>(wall->second[i] - thread->second[i]) * 1e-9;
    else if (preemption != Preemption::own && i < block.forced.size()) lost += static_cast<double>(block.forced[i]) * 50e-6;
  }
  return gaps ? lost : lost + static_cast<double>(block.steal_ticks) * 0.01;
}

struct Losses {
  double lost = 0, stolen = 0, timed = 0;  ///< seconds, over the launch's blocks
};

/// The machine is to blame when others' CPU time and steal, spread evenly over the launch's life, come to half of
/// what the samples lost. They are known for the launch as a whole only.
Culprit culprit_of(const Launch& launch, const Losses& losses) {
  if (!launch.others_cpu_seconds || !launch.wall_seconds || *launch.wall_seconds <= 0) return Culprit::unknown;
  const double share = std::min(1.0, losses.timed / *launch.wall_seconds);
  const double stolen = std::max(losses.stolen, launch.steal_seconds.value_or(0) * share);
  return *launch.others_cpu_seconds * share + stolen >= losses.lost / 2 ? Culprit::others : Culprit::nobody_else;
}

}  // namespace

LaunchFigures figures_of(const SeriesLaunch& series) {
  const CaseInfo& info = *series.info;
  const double batch = static_cast<double>(series.run->batch);
  const std::vector<const Block*> blocks = standing_blocks(*series.run);
  LaunchFigures figures;
  std::vector<Sample> all, clean;
  Losses losses;
  for (const Block* block : blocks) {
    const auto samples = block->nanoseconds.find(info.primary);
    if (samples == block->nanoseconds.end()) continue;
    const std::vector<bool> is_clean = clean_samples(*block, info.preemption);
    for (std::size_t i = 0; i < samples->second.size(); ++i) {
      all.push_back({block->turn, static_cast<double>(samples->second[i]) / batch});
      if (i < is_clean.size() && is_clean[i]) clean.push_back(all.back());
    }
    losses.lost += lost_seconds(*block, is_clean, info.preemption);
    losses.stolen += static_cast<double>(block->steal_ticks) * 0.01;
    const auto wall = block->nanoseconds.find(Clock::wall);
    for (const std::int64_t time : (wall == block->nanoseconds.end() ? samples : wall)->second)
      losses.timed += static_cast<double>(time) * 1e-9;
  }
  figures.samples = all.size();
  figures.clean = clean.size();
  figures.few_clean = !all.empty() && figures.clean_fraction() < fewest_clean;
  figures.reference = largest_reference(blocks);
  figures.unclean_by = culprit_of(*series.launch, losses);

  std::vector<double> everything;
  for (const Block& block : series.run->blocks)
    if (const auto samples = block.nanoseconds.find(info.primary); samples != block.nanoseconds.end())
      everything.insert(everything.end(), samples->second.begin(), samples->second.end());
  if (everything.size() >= 2 && mean(everything) > 0) figures.plain_cv = coefficient_of_variation(everything);

  const std::vector<Sample>& judged = figures.few_clean ? all : clean;
  const std::vector<Sample> kept = without_slowest(judged);
  figures.spread = spread_of(kept);
  figures.within_turn_cv = within_turn_cv(kept);
  const std::vector<double> unsorted = times(judged);
  if (!unsorted.empty() && median(unsorted) > 0) {
    figures.mad_cv = mad_coefficient_of_variation(unsorted);
    figures.max_over_p50 = *std::max_element(unsorted.begin(), unsorted.end()) / median(unsorted);
  }
  return figures;
}

}  // namespace bindgate
