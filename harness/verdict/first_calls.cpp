#include "verdict/first_calls.hpp"

#include <vector>

#include "statistics/change_point.hpp"
#include "statistics/summary.hpp"

namespace bindgate {

std::optional<FirstCalls> first_calls(std::span<const std::int64_t> warmup_ns) {
  const std::vector<double> times(warmup_ns.begin(), warmup_ns.end());
  const auto from = steady_from(times);
  if (!from) return std::nullopt;
  const double steady = median(std::span(times).subspan(*from));
  FirstCalls calls{.steady_from = *from, .steady_seconds = steady * 1e-9};
  for (std::size_t i = 0; i < *from; ++i) calls.cost_seconds += (times[i] - steady) * 1e-9;
  return calls;
}

}  // namespace bindgate
