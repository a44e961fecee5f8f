#pragma once
// PCI devices with the node they are at. A node is only given where everything that is told agrees: binding to a
// device's node is not worth having when the node may be another one.

#include <filesystem>
#include <optional>
#include <string_view>

#include "topology/machine.hpp"

struct hwloc_topology;

namespace bindgate {

/// Fills `machine.devices` (by rising address) and adds what contradicts itself to its findings. Needs its nodes.
void add_devices(hwloc_topology* topology, Machine& machine, const std::optional<std::filesystem::path>& root);

/// The devices of an XML file in domains above 0xffff, which this hwloc leaves out: without their place in the tree.
void add_devices_of_wide_domains(std::string_view xml, Machine& machine);

}  // namespace bindgate
