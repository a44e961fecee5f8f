#pragma once
// The words of a warning, for every format: the figure and the policy's threshold for a row, and once for all rows
// what to look at next.

#include <string>
#include <vector>

#include "verdict/warnings.hpp"

namespace bindgate {

/// "remote pages: 45 % of the working set (460 MiB of 1022 MiB) lay on node 1 ...; more than 10 % in 3 of 12 launches"
[[nodiscard]] std::string warning_line(const RemotePages& pages);
/// "cache misses: 4.56 per 1,000 instructions, 2.10 times the baseline's 2.17 (warned of above 1.50 times)"
[[nodiscard]] std::string warning_line(const CacheMisses& misses);

/// What to look at then.
inline constexpr const char* next_for_remote_pages =
    "look at free memory of the near node, and at which threads touch the pages first; a variant that binds memory, as "
    "numactl, shows what they cost";
inline constexpr const char* next_for_cache_misses =
    "look at what changed in data sizes, layout and page sizes, and at who else used the cache (R, the frozen code)";

/// One line for each that there is.
[[nodiscard]] std::vector<std::string> warning_lines(const Warnings& warnings);

}  // namespace bindgate
