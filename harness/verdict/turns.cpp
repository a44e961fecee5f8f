#include "verdict/turns.hpp"

#include <cmath>

#include "statistics/summary.hpp"

namespace bindgate {
namespace {

std::vector<double> undisturbed_samples(const Block& block, Clock clock) {
  const auto samples = block.nanoseconds.find(clock);
  if (!block.disturbed.empty() || samples == block.nanoseconds.end()) return {};
  return {samples->second.begin(), samples->second.end()};
}

}  // namespace

std::vector<const Block*> standing_blocks(const CaseRun& run) {
  std::map<unsigned, const Block*> by_turn;
  for (const Block& block : run.blocks) {
    const Block*& standing = by_turn[block.turn];
    if (!standing || (!standing->disturbed.empty() && block.attempt > standing->attempt)) standing = &block;
  }
  std::vector<const Block*> blocks;
  blocks.reserve(by_turn.size());
  for (const auto& [turn, block] : by_turn) blocks.push_back(block);
  return blocks;
}

TurnTimes turn_times(const CaseRun& run, Clock clock) {
  TurnTimes times;
  for (const Block* block : standing_blocks(run))
    if (const std::vector<double> samples = undisturbed_samples(*block, clock); !samples.empty())
      if (const double middle = median(samples); middle > 0)
        times[block->turn] = std::log(middle / static_cast<double>(run.batch));
  return times;
}

std::optional<double> median_time(const CaseRun& run, Clock clock) {
  std::vector<double> samples;
  for (const Block* block : standing_blocks(run)) {
    const std::vector<double> more = undisturbed_samples(*block, clock);
    samples.insert(samples.end(), more.begin(), more.end());
  }
  if (samples.empty()) return std::nullopt;
  const double middle = median(samples);
  return middle > 0 ? std::optional(middle / static_cast<double>(run.batch)) : std::nullopt;
}

TurnTimes pool(const TurnTimes& base, const TurnTimes& twin) {
  TurnTimes pooled = base;
  for (const auto& [turn, time] : twin)
    if (const auto [place, alone] = pooled.try_emplace(turn, time); !alone) place->second = (place->second + time) / 2;
  return pooled;
}

std::optional<double> log_ratio(const TurnTimes& a, const TurnTimes& b) {
  std::vector<double> ratios;
  for (const auto& [turn, time] : a)
    if (const auto other = b.find(turn); other != b.end()) ratios.push_back(time - other->second);
  if (ratios.empty()) return std::nullopt;
  return median(ratios);
}

}  // namespace bindgate
