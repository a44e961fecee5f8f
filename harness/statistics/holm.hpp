#pragma once
// Many comparisons, one promise: how often a whole family of true hypotheses may be wronged.

#include <span>
#include <vector>

namespace bindgate {

/// For each p-value the level at which Holm's step-down procedure judges it: a hypothesis is rejected when its
/// p-value is at most its level, and the chance that any true one is rejected is at most `family_level`,
/// however the comparisons depend on each other. Once one is kept, all larger p-values share its level.
/// Needs p-values that are numbers. Source: Holm 1979, A simple sequentially rejective multiple test procedure.
[[nodiscard]] std::vector<double> holm_levels(std::span<const double> p_values, double family_level);

}  // namespace bindgate
