#include "verdict/turns.hpp"

#include <algorithm>
#include <cmath>

#include "statistics/summary.hpp"

namespace bindgate {

std::vector<const Block*> standing_blocks(const CaseRun& run) {
  std::vector<const Block*> blocks;
  blocks.reserve(run.blocks.size());
  for (const Block& block : run.blocks) blocks.push_back(&block);
  std::stable_sort(blocks.begin(), blocks.end(), [](const Block* a, const Block* b) { return a->turn < b->turn; });
  std::size_t turns = 0;
  for (const Block* block : blocks) {
    if (turns == 0 || blocks[turns - 1]->turn != block->turn) {
      blocks[turns++] = block;
      continue;
    }
    const Block*& standing = blocks[turns - 1];
    if (!standing->disturbed.empty() && block->attempt > standing->attempt) standing = block;
  }
  blocks.resize(turns);
  return blocks;
}

TurnTimes turn_times(std::span<const Block* const> standing, std::int64_t batch, Clock clock) {
  TurnTimes times;
  times.reserve(standing.size());
  std::vector<double> samples;
  for (const Block* block : standing) {
    const auto timed = block->nanoseconds.find(clock);
    if (!block->disturbed.empty() || timed == block->nanoseconds.end() || timed->second.empty()) continue;
    samples.assign(timed->second.begin(), timed->second.end());
    if (const double middle = median(samples); middle > 0)
      times.push_back({block->turn, std::log(middle / static_cast<double>(batch))});
  }
  return times;
}

TurnTimes pool(const TurnTimes& base, const TurnTimes& twin) {
  TurnTimes pooled;
  pooled.reserve(std::max(base.size(), twin.size()));
  auto other = twin.begin();
  for (const TurnTime& own : base) {
    for (; other != twin.end() && other->turn < own.turn; ++other) pooled.push_back(*other);
    const bool both = other != twin.end() && other->turn == own.turn;
    pooled.push_back({own.turn, both ? (own.log_ns + other++->log_ns) / 2 : own.log_ns});
  }
  pooled.insert(pooled.end(), other, twin.end());
  return pooled;
}

std::optional<double> log_ratio(const TurnTimes& a, const TurnTimes& b) {
  std::vector<double> ratios;
  ratios.reserve(std::min(a.size(), b.size()));
  auto other = b.begin();
  for (const TurnTime& own : a) {
    while (other != b.end() && other->turn < own.turn) ++other;
    if (other != b.end() && other->turn == own.turn) ratios.push_back(own.log_ns - other->log_ns);
  }
  if (ratios.empty()) return std::nullopt;
  return median(ratios);
}

}  // namespace bindgate
