#pragma once
// What a placement says of where threads may run: one rule for what bindgate started and for what others did. Nothing
// is read here; why a thread strays is guessed in stray_cause.

#include "samples/placement.hpp"

namespace bindgate {

/// Where a thread of the launch belongs or, where it is a `descendant`'s, one of a process that the launch started.
[[nodiscard]] const IndexSet& cpus_for(bool descendant, const Placement& placement);

/// Whether a thread that may run on `cpus` is where it belongs: on exactly those CPUs, or on some of them where the
/// variant itself asks the OpenMP runtime to bind its threads. GCC's and LLVM's do so for OMP_PROC_BIND, unless it is
/// false, and, where that is not set, for OMP_PLACES (the manual of libgomp, "OMP_PROC_BIND").
[[nodiscard]] bool is_in_place(const IndexSet& cpus, bool descendant, const Placement& placement);

}  // namespace bindgate
