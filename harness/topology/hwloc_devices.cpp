#include "topology/hwloc_devices.hpp"

#include <hwloc.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "topology/hwloc_objects.hpp"
#include "topology/pci_files.hpp"

namespace bindgate {
namespace {

namespace fs = std::filesystem;
using Root = std::optional<fs::path>;

constexpr unsigned largest_hwloc_domain = 0xffff;

std::string kind_of_class(unsigned class_id) {
  constexpr unsigned display = 0x03, network = 0x02;
  const unsigned base = class_id >> 8u;
  return base == display ? "gpu" : base == network ? "nic" : "other";
}

// What hwloc keeps when asked for what is important: storage, network, display, processors, accelerators.
bool is_important(unsigned class_id) {
  const unsigned base = class_id >> 8u;
  return base == 0x01 || base == 0x02 || base == 0x03 || base == 0x0b || base == 0x12;
}

std::string address_of(hwloc_obj_t object) {
  const auto& pci = object->attr->pcidev;
  char address[32];
  std::snprintf(address, sizeof address, "%04x:%02x:%02x.%x", unsigned{pci.domain}, unsigned{pci.bus},
                unsigned{pci.dev}, unsigned{pci.func});
  return address;
}

std::string device_kind(hwloc_obj_t pci) {
  const std::string kind = kind_of_class(pci->attr->pcidev.class_id);
  if (kind != "other") return kind;
  for (hwloc_obj_t child = pci->io_first_child; child; child = child->next_sibling)
    if (child->type == HWLOC_OBJ_OS_DEVICE &&
        (child->attr->osdev.type == HWLOC_OBJ_OSDEV_NETWORK || child->attr->osdev.type == HWLOC_OBJ_OSDEV_OPENFABRICS))
      return "nic";
  return kind;
}

std::string device_name(hwloc_obj_t pci) {
  std::string system_names;
  for (hwloc_obj_t child = pci->io_first_child; child; child = child->next_sibling)
    if (child->type == HWLOC_OBJ_OS_DEVICE && child->name)
      system_names += (system_names.empty() ? "" : ", ") + std::string(child->name);
  std::string product = info_of(pci, "PCIVendor");
  if (const std::string device = info_of(pci, "PCIDevice"); !device.empty())
    product += (product.empty() ? "" : " ") + device;
  if (const auto& ids = pci->attr->pcidev; product.empty() && ids.vendor_id != 0) {
    char text[16];
    std::snprintf(text, sizeof text, "%04x:%04x", unsigned{ids.vendor_id}, unsigned{ids.device_id});
    product = text;
  }
  if (product.empty() || system_names.empty()) return product + system_names;
  return product + " (" + system_names + ')';
}

// Where hwloc's tree has the device: the one node with CPUs there. The top of the tree is also where hwloc puts what
// says nothing.
std::optional<unsigned> node_in_tree(hwloc_topology_t topology, hwloc_obj_t pci, const IndexSet& nodes_without_cpus) {
  const hwloc_obj_t place = hwloc_get_non_io_ancestor_obj(topology, pci);
  if (!place || place == hwloc_get_root_obj(topology)) return std::nullopt;
  const IndexSet near = to_set(place->nodeset) - nodes_without_cpus;
  return near.size() == 1 ? near.first() : std::nullopt;
}

// The kernel's numa_node of a device, unless what it is plugged into or hwloc says otherwise: all of it comes from the
// same firmware, and nothing here can tell which half is right.
std::optional<unsigned> agreed_node(const std::string& address, int told, const std::optional<unsigned>& in_tree,
                                    Machine& machine, const fs::path& root) {
  if (told < 0) return std::nullopt;
  const auto node = static_cast<unsigned>(told);
  const auto doubt = [&](const std::string& other) {
    machine.findings.push_back("device " + address + ": its numa_node is " + std::to_string(node) + ", but " + other +
                               ": its node is unknown here");
    return std::nullopt;
  };
  const auto is_it = [node](const Node& one) { return one.id == node; };
  if (std::none_of(machine.nodes.begin(), machine.nodes.end(), is_it)) return doubt("there is no such node");
  if (const auto bridge = bridge_of(root, address)) {
    const int above = device_node(root, *bridge).value_or(-1);
    if (above >= 0 && above != told) return doubt("bridge " + *bridge + " above it says " + std::to_string(above));
  }
  if (in_tree && *in_tree != node) return doubt("the CPUs near it are those of node " + std::to_string(*in_tree));
  return node;
}

void add_wide_domains(const fs::path& root, Machine& machine) {
  for (const std::string& address : pci_addresses(root)) {
    if (std::stoul(address, nullptr, 16) <= largest_hwloc_domain) continue;
    const PciFacts facts = pci_facts(root, address);
    if (!is_important(facts.class_id)) continue;
    const auto node = agreed_node(address, device_node(root, address).value_or(-1), std::nullopt, machine, root);
    machine.devices.push_back({address, kind_of_class(facts.class_id), facts.ids, node});
  }
}

// An address that several devices have, as where a description was pieced together: the wish for it could mean either.
void settle_doubles(Machine& machine) {
  auto first = machine.devices.begin();
  while (first != machine.devices.end()) {
    const std::string address = first->pci;
    const auto end = std::find_if(first, machine.devices.end(), [&](const Device& one) { return one.pci != address; });
    IndexSet nodes;
    std::for_each(first, end, [&nodes](const Device& one) { if (one.node) nodes.insert(*one.node); });
    if (nodes.size() > 1) {
      machine.findings.push_back("device " + address + ": several have this address, at nodes " + nodes.list() +
                                 ": its node is unknown here");
      std::for_each(first, end, [](Device& one) { one.node.reset(); });
    }
    first = end;
  }
}

}  // namespace

void add_devices(hwloc_topology* topology, Machine& machine, const Root& root) {
  IndexSet without_cpus;
  for (const Node& node : machine.nodes)
    if (node.cpus.empty()) without_cpus.insert(node.id);
  for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_pcidev(topology, object));) {
    Device device{address_of(object), device_kind(object), device_name(object), {}};
    const auto in_tree = node_in_tree(topology, object, without_cpus);
    const auto told = root ? device_node(*root, device.pci) : std::nullopt;
    device.node = told ? agreed_node(device.pci, *told, in_tree, machine, *root) : in_tree;
    machine.devices.push_back(std::move(device));
  }
  if (root) add_wide_domains(*root, machine);
  // By number: the text of a wide domain would sort before that of a narrow one.
  std::sort(machine.devices.begin(), machine.devices.end(), [](const Device& a, const Device& b) {
    return std::make_pair(a.pci.size(), a.pci) < std::make_pair(b.pci.size(), b.pci);
  });
  settle_doubles(machine);
}

void add_devices_of_wide_domains(std::string_view xml, Machine& machine) {
  constexpr std::string_view address_key = "pci_busid=\"", type_key = "pci_type=\"";
  for (auto at = xml.find(address_key); at != std::string_view::npos; at = xml.find(address_key, at)) {
    at += address_key.size();
    const std::string address(xml.substr(at, xml.find('"', at) - at));
    const auto end = xml.find('>', at), type = xml.find(type_key, at);
    if (address.find(':') <= 4 || address.find(':') > 8 || type == std::string_view::npos || type > end) continue;
    unsigned class_id = 0, vendor = 0, product = 0;  // "0108 [144d:a80a] [144d:a801] 00"
    const std::string ids(xml.substr(type + type_key.size(), 16));
    if (std::sscanf(ids.c_str(), "%4x [%4x:%4x]", &class_id, &vendor, &product) != 3 || !is_important(class_id))
      continue;
    machine.devices.push_back({address, kind_of_class(class_id), ids.substr(6, 9), std::nullopt});
  }
}

}  // namespace bindgate
