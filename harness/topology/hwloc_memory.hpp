#pragma once
// The memory nodes: their own CPUs, size, speed and kind, and how far apart they are. What hwloc derives for its
// tree and the kernel says otherwise is taken from the kernel's files, where there are any.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "topology/machine.hpp"

struct hwloc_topology;

namespace bindgate {

/// By rising id. `root`: as for from_hwloc. Nodes may still claim the same CPUs: see settle_nodes.
[[nodiscard]] std::vector<Node> nodes_of(hwloc_topology* topology, const std::optional<std::filesystem::path>& root,
                                         const IndexSet& online);

/// Names the kind of nodes without CPUs whose kind is not told, where firmware's figures leave no doubt.
void tell_kinds_by_speed(std::vector<Node>& nodes);

/// As Machine::distances; empty unless every one of `nodes` has a row.
[[nodiscard]] std::vector<std::vector<std::uint64_t>> distances_of(hwloc_topology* topology,
                                                                   const std::vector<Node>& nodes);

}  // namespace bindgate
