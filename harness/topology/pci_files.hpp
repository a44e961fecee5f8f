#pragma once
// What Linux tells of a PCI device below a root directory. Also for the devices in domains above 0xffff (Intel's VMD
// makes them), which hwloc leaves out.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace bindgate {

/// All addresses, as "0000:81:00.0".
[[nodiscard]] std::vector<std::string> pci_addresses(const std::filesystem::path& root);

/// The device's numa_node as it stands there: -1 means that firmware does not say; nothing: no such file.
[[nodiscard]] std::optional<int> device_node(const std::filesystem::path& root, const std::string& pci);

/// The address of the bridge that the device is behind; nothing for one directly on its host's bus.
[[nodiscard]] std::optional<std::string> bridge_of(const std::filesystem::path& root, const std::string& pci);

struct PciFacts {
  unsigned class_id = 0;  ///< base class and subclass, as 0x0302
  std::string ids;        ///< vendor and device, as "10de:1db8"
  bool operator==(const PciFacts&) const = default;
};
[[nodiscard]] PciFacts pci_facts(const std::filesystem::path& root, const std::string& pci);

}  // namespace bindgate
