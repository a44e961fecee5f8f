#pragma once
// What `show` says under a case of its first calls and of what it found out beside its times. Whether that is worth
// a line is decided here; all of it stands in the JSON.

#include <string>
#include <vector>

#include "verdict/judgement.hpp"

namespace bindgate {

/// "warm-up: steady from iteration 4; the first calls cost 118 ms, 5.2 % of 1,000 iterations; pays off against
/// script/eager/mlp after 2,300 iterations (1,900 to 2,800)", of the base (of the first that has one, without a base).
/// "" where the case stands against none and its first calls come to less than 1 % of 1,000 iterations.
[[nodiscard]] std::string warm_up_line(const CaseRanking& ranking, const std::string& base);

/// "share_waiting 0.31", or "share_waiting: none 0.31, cpus:0 0.05", one line for each figure.
[[nodiscard]] std::vector<std::string> figure_lines(const CaseRanking& ranking);

}  // namespace bindgate
