#pragma once
// What a description says twice and differently: each becomes a finding, and what depends on it is taken out of the
// machine rather than guessed, so that no variant is planned on it.

#include "topology/machine.hpp"

namespace bindgate {

/// CPUs that several nodes claim belong to none afterwards, and are returned. To be called before cores and devices
/// get their nodes.
IndexSet settle_nodes(Machine& machine);

/// All other findings on a complete machine; distances that make no sense are dropped.
void settle_rest(Machine& machine);

}  // namespace bindgate
