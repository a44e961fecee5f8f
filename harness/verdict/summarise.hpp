#pragma once
// A run as a baseline would keep it. What is stored and what is judged tonight are made here, by one rule.

#include <vector>

#include "samples/night.hpp"
#include "verdict/evidence.hpp"

namespace bindgate {

/// The run's complete rounds as one night a case: per variant and launch the median by the primary clock, its
/// spread, the reference readings and the cache misses. A turn counts by its last attempt, and not at all if that was
/// disturbed too. Launches that failed, violated their binding or could not prove what they claim are left out, as are
/// medians of 0 ns (below the clock's resolution); cases without a launch that counts are absent, and so is a variant
/// whose placements take turns if a launch of it is left out.
/// Numbers carry six significant digits, the precision of a baseline file (cache misses three, and none below 1e-4).
/// `accepted`, `note` and `level` are whoever accepts's to fill. Sorted by case.
[[nodiscard]] std::vector<CaseHistory> summarise(const Evidence& evidence);

}  // namespace bindgate
