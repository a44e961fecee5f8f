#pragma once
// What the first calls of a case cost in a fresh process, as one launch's recorded warm-up tells it. Launches are put
// together elsewhere.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace bindgate {

struct FirstCalls {
  std::size_t steady_from = 0;  ///< iterations before the steady state
  double steady_seconds = 0;    ///< median of the recorded iterations from there on
  double cost_seconds = 0;      ///< what the iterations before took beyond that; below 0 where they were faster
  bool operator==(const FirstCalls&) const = default;
};
/// Of a launch's recorded warm-up, in n^2 steps; nothing where it did not settle.
[[nodiscard]] std::optional<FirstCalls> first_calls(std::span<const std::int64_t> warmup_ns);

}  // namespace bindgate
