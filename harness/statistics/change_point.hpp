#pragma once
// Where a recorded series of times stops being a start and becomes what the code does for good. The series itself
// says so, not a fixed count; whether anybody minds the start is not decided here.

#include <cstddef>
#include <optional>
#include <span>

namespace bindgate {

/// The first iteration of the steady state: 0 if it is steady from the start, nothing if it never settles or is too
/// short to tell. Steady is what lies within 5 % of the last level, or within twice the noise where that is more; it
/// must be reached for at least 3 iterations and the last quarter of the series. Isolated slow iterations, and slower
/// stretches that come back to where they came from, are the machine's and no start.
///
/// Logarithms of the times are cut into stretches of constant level at the least sum of bounded squares plus a penalty
/// for each cut (Fearnhead and Rigaill: Changepoint detection in the presence of outliers, JASA 114, 2019; levels are
/// taken from the observed ones, which makes it an exact search in n^2 steps). Noise is estimated from second
/// differences, which neither steps nor slopes reach. The last level as the steady one is from Barrett et al.: Virtual
/// machine warmup blows hot and cold, OOPSLA 2017. Times below 1 count as 1.
[[nodiscard]] std::optional<std::size_t> steady_from(std::span<const double> times);

}  // namespace bindgate
