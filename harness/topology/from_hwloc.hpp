#pragma once
// From a loaded hwloc topology to our own data. What hwloc derives for its tree and the kernel says otherwise
// (a CPU-less node's CPUs, a device's node) is taken from the files below `root`, where there are any.

#include <filesystem>
#include <optional>

#include "topology/machine.hpp"

struct hwloc_topology;

namespace bindgate {

/// `root`: the directory that holds the described system's /proc and /sys; nothing for XML and synthetic ones.
/// source, live, the quota, devices, and the findings on the whole are the caller's to fill.
[[nodiscard]] Machine from_hwloc(hwloc_topology* topology, const std::optional<std::filesystem::path>& root);

}  // namespace bindgate
