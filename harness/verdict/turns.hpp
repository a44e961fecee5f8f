#pragma once
// Launches side by side. Blocks of one turn were taken within moments of each other, so that what the machine
// did to one it did to the other; their ratio is what a round has to say. Rounds are put together elsewhere.

#include <optional>
#include <span>
#include <vector>

#include "samples/launch.hpp"

namespace bindgate {

/// The block that stands for each turn, in order of turns: the first attempt, or its repetition where the first
/// was disturbed. A turn whose attempts were all disturbed keeps the last one, still marked.
[[nodiscard]] std::vector<const Block*> standing_blocks(const CaseRun& run);

struct TurnTime {
  unsigned turn = 0;
  double log_ns = 0;  ///< natural logarithm of the nanoseconds per iteration
  bool operator==(const TurnTime&) const = default;
};
/// In order of turns, each turn once.
using TurnTimes = std::vector<TurnTime>;

/// The median of each of these standing blocks by `clock`. Turns that stayed disturbed and medians of 0 ns, below
/// the clock's resolution, are left out. `batch`: iterations per sample.
[[nodiscard]] TurnTimes turn_times(std::span<const Block* const> standing, std::int64_t batch, Clock clock);

/// The two launches as one denominator: their mean in turns that both have, else the one that is there.
[[nodiscard]] TurnTimes pool(const TurnTimes& base, const TurnTimes& twin);

/// Median over the turns that both have of ln(a / b); nothing where they share none.
[[nodiscard]] std::optional<double> log_ratio(const TurnTimes& a, const TurnTimes& b);

}  // namespace bindgate
