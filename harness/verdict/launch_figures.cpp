#include "verdict/launch_figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "statistics/summary.hpp"

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

/// Samples of one launch in order of turns, and once more by size, so that every figure is had from one sorting.
struct Ordered {
  std::vector<Sample> by_turn;
  std::vector<double> ascending;

  explicit Ordered(std::vector<Sample> samples) : by_turn(std::move(samples)), ascending(times(by_turn)) {
    std::sort(ascending.begin(), ascending.end());
  }

  /// Needs a sample.
  [[nodiscard]] double middle() const { return quantile_of_sorted(ascending, 0.5); }

  /// The slowest 2 %, at least one; of equal ones the earlier go first.
  void drop_slowest() {
    if (by_turn.empty()) return;
    const std::size_t keep = ascending.size() - std::max<std::size_t>(1, ascending.size() / 50);
    const double limit = ascending[keep];
    const auto last = ascending.begin() + static_cast<std::ptrdiff_t>(keep);
    auto ties = std::upper_bound(last, ascending.end(), limit) - last;
    ascending.resize(keep);
    std::erase_if(by_turn, [&](const Sample& sample) {
      if (sample.nanoseconds == limit && ties > 0) return ties-- > 0;
      return sample.nanoseconds > limit;
    });
  }
};

std::optional<Spread> spread_of(const Ordered& kept) {
  if (kept.ascending.size() < 2) return std::nullopt;
  const std::vector<double> nanoseconds = times(kept.by_turn);
  const std::span<const double> all(nanoseconds);
  const double first = median(all.first(all.size() / 2)), second = median(all.subspan(all.size() / 2));
  const double middle = kept.middle();
  // Below the clock's resolution there is nothing to divide by.
  if (first <= 0 || second <= 0 || middle <= 0) return std::nullopt;
  return Spread{coefficient_of_variation(all), quantile_of_sorted(kept.ascending, 0.95) / middle - 1,
                std::abs(std::log(first / second))};
}

/// Standard deviation about the turn's own mean over all turns with two samples or more, as a share of that mean.
/// `kept` is in order of turns.
std::optional<double> within_turn_cv(std::span<const Sample> kept) {
  double squares = 0, freedom = 0;
  for (auto first = kept.begin(); first != kept.end();) {
    const auto last = std::find_if(first, kept.end(), [&](const Sample& other) { return other.turn != first->turn; });
    const double count = static_cast<double>(last - first);
    double sum = 0;
    for (auto sample = first; sample != last; ++sample) sum += sample->nanoseconds;
    const double centre = sum / count;
    if (count >= 2 && centre > 0) {
      for (; first != last; ++first) squares += (first->nanoseconds / centre - 1) * (first->nanoseconds / centre - 1);
      freedom += count - 1;
    }
    first = last;
  }
  if (freedom == 0) return std::nullopt;
  return std::sqrt(squares / freedom);
}

std::optional<Spread> largest_reference(std::span<const Block* const> blocks) {
  static constexpr std::size_t fewest_readings = 30;
  std::array<std::vector<Sample>, std::size(reference_kernels)> readings;
  for (const Block* block : blocks)
    for (const auto& [kernel, nanoseconds] : block->references)
      for (const std::int64_t reading : nanoseconds)
        readings[static_cast<std::size_t>(kernel)].push_back({block->turn, static_cast<double>(reading)});
  std::optional<Spread> largest;
  for (std::vector<Sample>& samples : readings) {
    if (samples.size() < fewest_readings) continue;
    Ordered kept(std::move(samples));
    kept.drop_slowest();
    const std::optional<Spread> spread = spread_of(kept);
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
    else if (preemption != Preemption::own && i < block.forced.size())
      lost += static_cast<double>(block.forced[i]) * 50e-6;
  }
  return gaps ? lost : lost + static_cast<double>(block.steal_ticks) * 0.01;
}

}  // namespace

Culprit culprit_of(const Launch& launch, const CaseRun& run, const Losses& losses) {
  const bool by_case = run.wall_seconds && run.others_cpu_seconds;
  const auto& wall = by_case ? run.wall_seconds : launch.wall_seconds;
  const auto& others = by_case ? run.others_cpu_seconds : launch.others_cpu_seconds;
  const auto& steal = by_case ? run.steal_seconds : launch.steal_seconds;
  if (!others || !wall || *wall <= 0) return Culprit::unknown;
  const double share = std::min(1.0, losses.timed / *wall);
  const double stolen = std::max(losses.stolen, steal.value_or(0) * share);
  return *others * share + stolen >= losses.lost / 2 ? Culprit::others : Culprit::nobody_else;
}

LaunchFigures figures_of(const CaseRun& run, std::span<const Block* const> standing, const CaseInfo& info) {
  const double batch = static_cast<double>(run.batch);
  LaunchFigures figures;
  std::vector<Sample> all, clean;
  Losses& losses = figures.losses;
  for (const Block* block : standing) {
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
  figures.reference = largest_reference(standing);

  std::vector<double> everything;
  for (const Block& block : run.blocks)
    if (const auto samples = block.nanoseconds.find(info.primary); samples != block.nanoseconds.end())
      everything.insert(everything.end(), samples->second.begin(), samples->second.end());
  if (everything.size() >= 2 && mean(everything) > 0) figures.plain_cv = coefficient_of_variation(everything);

  Ordered judged(std::move(figures.few_clean ? all : clean));
  if (!judged.by_turn.empty())
    if (const double middle = judged.middle(); middle > 0) {
      figures.mad_cv = mad_coefficient_of_variation(judged.ascending, middle);
      figures.max_over_p50 = judged.ascending.back() / middle;
    }
  judged.drop_slowest();
  figures.spread = spread_of(judged);
  figures.within_turn_cv = within_turn_cv(judged.by_turn);
  return figures;
}

}  // namespace bindgate
