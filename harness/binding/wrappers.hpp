#pragma once
// What the programs that people bind with really do: each is started with a placement's arguments, and what it left
// its child with is read back. Affinity and memory policy survive exec; nothing else of a wrapper does.

#include <string>
#include <string_view>
#include <vector>

#include "binding/variants.hpp"
#include "core/error.hpp"
#include "samples/placement.hpp"
#include "topology/machine.hpp"

namespace bindgate {

/// The arguments after the program's name, without the command: of "taskset", "numactl" or "hwloc-bind". Errors: the
/// program cannot say this placement.
[[nodiscard]] Result<std::vector<std::string>> wrapper_arguments(const std::string& program,
                                                                 const Placement& asked);

/// What /proc/PID/status and numa_maps, one after the other, say of CPUs and memory policy. `has_policies`: the kernel
/// has numa_maps; without it no mapping is the default policy. Errors: no CPUs, or no policy where there must be one,
/// quoting what stands in its place.
[[nodiscard]] Result<Placement> read_back(std::string_view status_and_numa_maps, bool has_policies = true);

/// The placement that the program really gives when it is asked for this one, written as `asked` where the two are the
/// same. Errors: not installed (naming the package), it ended with an error (its own words), nothing to read.
[[nodiscard]] Result<Wrapped> apply_through(const std::string& program, const Placement& asked);

}  // namespace bindgate
