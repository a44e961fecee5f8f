#pragma once
// What a description says twice and differently: each becomes a finding, and what depends on it is taken out of the
// machine rather than guessed, so that no variant is planned on it.

#include <filesystem>

#include "core/error.hpp"
#include "topology/machine.hpp"

namespace bindgate {

/// Errors: two nodes of one number, which no machine can have. They do not name the source.
[[nodiscard]] Result<void> check_numbers(const Machine& machine);

/// CPUs that several nodes claim belong to none afterwards, and are returned. To be called before cores and devices
/// get their nodes.
IndexSet settle_nodes(Machine& machine);

/// A list of CPUs in the system's files below `root` that is none, in place of which hwloc takes what it can.
void find_unreadable_lists(Machine& machine, const std::filesystem::path& root);

/// All other findings on a complete machine; distances and sizes of memory that make no sense are dropped.
void settle_rest(Machine& machine);

}  // namespace bindgate
