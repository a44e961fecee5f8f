#pragma once
// Student's t: how far an estimate may stray from the truth when its own spread had to be estimated.
// A thin wrapper: Boost.Math does the work and stays out of every other file.

namespace bindgate {

/// The value that a t variable stays below with `probability`. Needs 0 < probability < 1 and
/// degrees_of_freedom > 0 (not necessarily whole).
[[nodiscard]] double student_quantile(double probability, double degrees_of_freedom);

/// The probability that a t variable exceeds `t`; an infinite `t` gives 0 or 1.
/// Needs degrees_of_freedom > 0 and a `t` that is a number.
[[nodiscard]] double student_upper_tail(double t, double degrees_of_freedom);

}  // namespace bindgate
