#pragma once
// The words of a warning, for every format: the figure, the policy's threshold, and what to look at next.

#include <string>
#include <vector>

#include "verdict/warnings.hpp"

namespace bindgate {

/// "remote pages: 45.0 % of the working set (460 MiB of 1.00 GiB) ...; above 10.0 %, ...; look at ..."
[[nodiscard]] std::string warning_line(const RemotePages& pages);
/// "cache misses: 4.56 per 1,000 instructions, 2.10 times the baseline's 2.17; above 1.50 times; look at ..."
[[nodiscard]] std::string warning_line(const CacheMisses& misses);

/// One line for each that there is.
[[nodiscard]] std::vector<std::string> warning_lines(const Warnings& warnings);

}  // namespace bindgate
