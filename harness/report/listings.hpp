#pragma once
// What there is, as text: cases, variants, the machine. No measurement is shown here.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "report/table.hpp"
#include "samples/placement.hpp"
#include "samples/run.hpp"
#include "topology/machine.hpp"

namespace bindgate {

/// For each variant what to type without bindgate, as `launch_lines` of binding gives it; in the variants' order.
using LaunchLines = std::vector<std::map<std::string, std::string>>;

/// Every variant's placement with its launch lines, or why it has none. `lines` may be shorter than `variants`.
[[nodiscard]] std::string variants_table(const std::vector<PlannedVariant>& variants, const LaunchLines& lines,
                                         const Style& style);

[[nodiscard]] std::string topology_text(const Machine& machine, const Style& style);

/// Cases by program: work per iteration, profile, what to know.
[[nodiscard]] std::string list_table(std::span<const PlannedProgram> programs, const Style& style);

}  // namespace bindgate
