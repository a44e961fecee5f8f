#pragma once
// From a variant's name and a machine to a placement. Pure: nothing is bound here.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "samples/case_info.hpp"
#include "samples/placement.hpp"
#include "topology/machine.hpp"

namespace bindgate {

struct VariantHelp {
  std::string name;     ///< as typed, "cpus:LIST" for the open one
  std::string meaning;  ///< one line for --help and `variants`
};

/// Every variant there is, the base first, in the order in which equal placements are told apart.
[[nodiscard]] std::vector<VariantHelp> known_variants();

/// The built-in ones that a run of this profile measures where none is named.
[[nodiscard]] std::vector<std::string> default_variants(Profile profile);

/// Plans `names` (empty: all built-in ones) in that order, but for the base variant, which is put first, so that
/// equal placements are measured as the base. What this machine cannot do is `skipped` with its
/// reason; what several placements fulfil alike has all of them as `alternatives`, so that no lucky choice of a node or
/// core decides; the second of two variants with equal placements, and equal alternatives, gets `same_as`.
/// Errors: an unknown name (the nearest is suggested), a CPU that does not exist or is not allowed, a name twice.
[[nodiscard]] Result<std::vector<PlannedVariant>> plan_variants(const Machine& machine,
                                                                std::span<const std::string> names,
                                                                const std::string& base = "none");

/// What to type for the same placement without bindgate; a key is left out where the tool cannot say it.
/// Keys: "taskset", "numactl", "srun".
[[nodiscard]] std::map<std::string, std::string> launch_lines(const Placement& placement, const Machine& machine);

}  // namespace bindgate
