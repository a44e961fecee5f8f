#pragma once
// From a variant's name and a machine to a placement. Pure: nothing is bound here.

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "binding/catalogue.hpp"
#include "core/error.hpp"
#include "samples/placement.hpp"
#include "topology/machine.hpp"

namespace bindgate {

/// What a real program (taskset, numactl, hwloc-bind) makes of this placement, and in what that differs from it ("").
struct Wrapped {
  Placement placement;
  std::string difference;
};
using WrapperProbe = std::function<Result<Wrapped>(const std::string& program, const Placement& asked)>;

/// Plans `names` (empty: all that profile thorough measures unasked) in that order, but for the base variant, which is
/// put first, so that equal placements are measured as the base. What this machine cannot do is `skipped` with its
/// reason; what several placements fulfil alike has all of them as `alternatives`, so that no lucky choice of a node or
/// core decides; equal placements are marked as find_equals does. `probe`: asked for variants that a wrapper applies;
/// without it, and on a machine that is not live, those are skipped.
/// Errors: as Catalogue::named, and a base that cannot be had.
[[nodiscard]] Result<std::vector<PlannedVariant>> plan_variants(const Catalogue& catalogue, const Machine& machine,
                                                                std::span<const std::string> names,
                                                                const std::string& base = "none",
                                                                const WrapperProbe& probe = {});
/// Of the built-in ones.
[[nodiscard]] Result<std::vector<PlannedVariant>> plan_variants(const Machine& machine,
                                                                std::span<const std::string> names,
                                                                const std::string& base = "none");

/// The placements that fulfil one variant alike, at least one. Errors: why this machine has none.
[[nodiscard]] Result<std::vector<Placement>> placements_for(const Variant& variant, const Ground& ground);

/// Sets `same_as` of each variant that can be had to the first before it with equal placement and alternatives; ranks,
/// which work beside others, equal nothing.
void find_equals(std::span<PlannedVariant> variants);

/// Skips all ranks of a group of which one is skipped: the others would be another measurement.
void skip_incomplete_groups(std::span<PlannedVariant> variants);

/// What to type for the same placement without bindgate; a key is left out where the tool cannot say it.
/// Keys: "taskset", "numactl", "srun". The last takes a whole node of a cluster; with `at_once`, for a rank that works
/// beside others, it shares the node of the job that it is typed in.
[[nodiscard]] std::map<std::string, std::string> launch_lines(const Placement& placement, const Machine& machine,
                                                              bool at_once = false);

/// Why no placement on this machine has a line for srun; "" where it may have one.
[[nodiscard]] std::string why_no_srun(const Machine& machine);

}  // namespace bindgate
