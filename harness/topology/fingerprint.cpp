#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/units.hpp"
#include "topology/machine.hpp"

namespace bindgate {
namespace {

// Firmware and kernel keep a part that varies from boot to boot, so the figure is rounded.
std::uint64_t nearest_power_of_two(std::uint64_t bytes) {
  if (bytes < 2) return bytes;
  const std::uint64_t below = std::bit_floor(bytes);
  return bytes - below < below / 2 ? below : below * 2;
}

std::string threads_per_core(const Machine& machine) {
  if (machine.cores.empty()) return "";
  const auto narrower = [](const Core& a, const Core& b) { return a.cpus.size() < b.cpus.size(); };
  const auto [fewest, most] = std::minmax_element(machine.cores.begin(), machine.cores.end(), narrower);
  const std::string low = std::to_string(fewest->cpus.size()), high = std::to_string(most->cpus.size());
  return low == high ? low : low + " to " + high;
}

}  // namespace

Fingerprint fingerprint_of(const Machine& machine) {
  Fingerprint fingerprint;
  fingerprint.fields = machine.traits;
  fingerprint.fields["cpu"] = machine.cpu_model;
  fingerprint.fields["packages"] = std::to_string(machine.packages.size());
  fingerprint.fields["cores"] = std::to_string(machine.cores.size());
  fingerprint.fields["threads_per_core"] = threads_per_core(machine);
  // A GPU's memory is a node only while its driver is loaded.
  std::size_t nodes = 0;
  std::uint64_t memory = 0;
  for (const Node& node : machine.nodes)
    if (node.kind != "gpu") ++nodes, memory += node.memory_bytes;
  fingerprint.fields["nodes"] = std::to_string(nodes);
  fingerprint.fields["memory"] = format_bytes(nearest_power_of_two(memory));
  return fingerprint;
}

}  // namespace bindgate
