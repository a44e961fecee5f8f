#pragma once
// One turn of one case: reference readings, an untimed lead-in, a block of samples; and the warm-up before
// all turns. It knows neither the protocol's descriptors nor what the operation is.

#include <cstdint>
#include <functional>
#include <vector>

#include "samples/protocol.hpp"
#include "support/references.hpp"

namespace bindgate {

/// Runs the operation that many times.
using Iterate = std::function<void(std::int64_t count)>;

/// Wall nanoseconds of each iteration, after `first_ns`, that of an iteration already run. Warms up for 0.25 s
/// and 10 iterations, but no longer than 2 s (2 iterations then suffice). Of very short operations
/// the first 1,000 are recorded.
[[nodiscard]] std::vector<std::int64_t> warm_up(const Iterate& iterate, std::int64_t first_ns);

/// Readings in the order asked for, lead-in (one iteration, or 0.3 ms of short ones), then the block:
/// wall, thread and process time of each sample.
[[nodiscard]] Block take_turn(const protocol::Turn& turn, const Iterate& iterate, References& references);

}  // namespace bindgate
