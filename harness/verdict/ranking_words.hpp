#pragma once
// What a ranking comes to, in one sentence each. The comparisons were made elsewhere.

#include <span>
#include <string>

#include "verdict/judgement.hpp"

namespace bindgate {

/// `ratio`: best / next, its upper bound below 1.
/// "one-per-core is fastest: 3.1 to 4.0 % less time than the next, none".
[[nodiscard]] std::string say_fastest(const std::string& best, const std::string& next, const Ratio& ratio);

/// `within`: the largest factor, at least 1, that may lie between two of them.
/// "tie: none, numactl and remote cannot be told apart (within 2.1 %)".
[[nodiscard]] std::string say_tie(std::span<const std::string> names, double within);

/// `ratio`: twin / base, 1 outside its bounds.
/// "disturbed: the twin, the same code and placement, took 1.0 to 2.3 % more time than the base".
[[nodiscard]] std::string say_disturbed(const Ratio& ratio);

/// "only one placement here: none and numactl are the same".
[[nodiscard]] std::string say_one_placement(const std::string& variant, std::span<const std::string> same_as);

}  // namespace bindgate
