#pragma once
// One turn of one case: reference readings, an untimed lead-in, a block of samples; and the warm-up before
// all turns. It knows neither the protocol's descriptors nor what the operation is.

#include <cstdint>
#include <functional>
#include <vector>

#include "samples/protocol.hpp"
#include "support/event_counts.hpp"
#include "support/references.hpp"
#include "support/workers.hpp"

namespace bindgate {

/// Runs the operation that many times; gives the nanoseconds of the intervals that it timed itself, or 0.
using Iterate = std::function<std::int64_t(std::int64_t count)>;

/// An operation as turns drive it.
struct Driven {
  Iterate iterate;
  bool times_itself = false;  ///< blocks have the clock `interval`
};

/// Wall nanoseconds of each iteration, after `first_ns`, that of an iteration already run. Warms up for 0.25 s
/// and 10 iterations, but no longer than 2 s (2 iterations then suffice). Of very short operations
/// the first 1,000 are recorded.
[[nodiscard]] std::vector<std::int64_t> warm_up(const Iterate& iterate, std::int64_t first_ns);

/// Readings in the order asked for, lead-in (one iteration, or 0.3 ms of short ones), then the block:
/// wall, thread and process time of each sample, that of the process tree where there are `workers`, and intervals;
/// the counts of `events` over the whole block.
[[nodiscard]] Block take_turn(const protocol::Turn& turn, const Driven& driven, References& references,
                              const Workers* workers = nullptr, const EventCounts* events = nullptr);

}  // namespace bindgate
