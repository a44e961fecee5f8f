#include "topology/pci_files.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <system_error>

#include "core/files.hpp"

namespace bindgate {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& root, const std::string& pci) { return root / "sys/bus/pci/devices" / pci; }

bool is_address(const std::string& name) {
  unsigned domain = 0, bus = 0, device = 0, function = 0;
  return std::sscanf(name.c_str(), "%8x:%2x:%2x.%1x", &domain, &bus, &device, &function) == 4;
}

// "0x030200" without its first two characters.
std::string digits_of(const fs::path& file) {
  const std::string text = read_line_of(file);
  return text.starts_with("0x") ? text.substr(2) : text;
}

}  // namespace

std::vector<std::string> pci_addresses(const fs::path& root) {
  std::vector<std::string> addresses;
  std::error_code missing;
  for (fs::directory_iterator entry(root / "sys/bus/pci/devices", missing), end; entry != end; entry.increment(missing))
    if (const std::string name = entry->path().filename(); is_address(name)) addresses.push_back(name);
  std::sort(addresses.begin(), addresses.end());
  return addresses;
}

std::optional<int> device_node(const fs::path& root, const std::string& pci) {
  const std::string text = read_line_of(folder_of(root, pci) / "numa_node");
  int node = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), node);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return node;
}

std::optional<std::string> bridge_of(const fs::path& root, const std::string& pci) {
  std::error_code missing;
  const fs::path target = fs::read_symlink(folder_of(root, pci), missing);
  const std::string above = target.parent_path().filename();
  return !missing && is_address(above) ? std::optional(above) : std::nullopt;
}

PciFacts pci_facts(const fs::path& root, const std::string& pci) {
  const fs::path folder = folder_of(root, pci);
  const std::string text = digits_of(folder / "class");
  unsigned value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return {value >> 8u, digits_of(folder / "vendor") + ':' + digits_of(folder / "device")};
}

}  // namespace bindgate
