#include "topology/from_hwloc.hpp"

#include <hwloc.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <set>
#include <string_view>
#include <utility>

#include "core/units.hpp"
#include "topology/system_files.hpp"

namespace bindgate {
namespace {

IndexSet to_set(hwloc_const_bitmap_t bitmap) {
  IndexSet set;
  if (!bitmap || hwloc_bitmap_weight(bitmap) < 0) return set;  // absent or infinitely set
  for (int id = hwloc_bitmap_first(bitmap); id >= 0; id = hwloc_bitmap_next(bitmap, id))
    set.insert(static_cast<unsigned>(id));
  return set;
}

std::string info(hwloc_obj_t object, const char* key) {
  const char* value = object ? hwloc_obj_get_info_by_name(object, key) : nullptr;
  std::string text;
  for (const char c : std::string_view(value ? value : ""))  // vendors pad their names with blanks
    if (!std::isspace(static_cast<unsigned char>(c)) || (!text.empty() && text.back() != ' ')) text += c;
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

template <class Action>
void for_each(hwloc_topology_t topology, hwloc_obj_type_t type, Action action) {
  for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_obj_by_type(topology, type, object));) action(object);
}

// The operating system's ids, or positions where it gives none or gives one twice.
std::vector<unsigned> ids_of(hwloc_topology_t topology, hwloc_obj_type_t type) {
  std::vector<unsigned> ids, positions;
  for_each(topology, type, [&](hwloc_obj_t object) {
    ids.push_back(object->os_index);
    positions.push_back(object->logical_index);
  });
  const std::set<unsigned> distinct(ids.begin(), ids.end());
  return distinct.size() == ids.size() && !distinct.contains(HWLOC_UNKNOWN_INDEX) ? ids : positions;
}

std::string node_kind(hwloc_obj_t object) {
  const std::string_view subtype = object->subtype ? object->subtype : "";
  if (subtype == "GPUMemory") return "gpu";
  if (subtype == "MCDRAM" || subtype == "HBM") return "hbm";
  if (subtype.starts_with("CXL") || !info(object, "CXLDevice").empty()) return "cxl";
  if (subtype == "DRAM") return "dram";
  return "unknown";
}

std::vector<Node> nodes_of(hwloc_topology_t topology, const std::optional<std::filesystem::path>& root,
                           const IndexSet& online) {
  std::vector<Node> nodes;
  for_each(topology, HWLOC_OBJ_NUMANODE, [&](hwloc_obj_t object) {
    Node node;
    node.id = object->os_index == HWLOC_UNKNOWN_INDEX ? object->logical_index : object->os_index;
    node.cpus = to_set(object->cpuset);
    node.memory_bytes = object->attr->numanode.local_memory;
    node.kind = node_kind(object);
    nodes.push_back(std::move(node));
  });
  bool told = root.has_value();
  for (Node& node : nodes) {
    const auto own = root ? node_cpus(*root, node.id) : std::nullopt;
    told = told && own;
    if (own) node.cpus = *own & online;
  }
  if (!told) {
    // hwloc attaches a CPU-less node to the CPUs that are near: of nodes that share CPUs, those CPUs are the
    // own of the one with the fewest, ordinary memory first.
    std::vector<Node*> order;
    for (Node& node : nodes) order.push_back(&node);
    const auto special = [](const Node& node) { return node.kind != "unknown" && node.kind != "dram"; };
    std::sort(order.begin(), order.end(), [&](const Node* a, const Node* b) {
      return std::make_tuple(a->cpus.size(), special(*a), a->id) < std::make_tuple(b->cpus.size(), special(*b), b->id);
    });
    IndexSet owned;
    for (Node* node : order) {
      if (owned.contains(node->cpus)) node->cpus = {};
      owned = owned | node->cpus;
    }
  }
  std::sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) { return a.id < b.id; });
  return nodes;
}

// "performance" for the strongest kind, "efficiency" for all others; "" where there is one kind only.
std::string core_kind(hwloc_topology_t topology, hwloc_const_bitmap_t cpus) {
  const int kinds = hwloc_cpukinds_get_nr(topology, 0);
  const int kind = kinds > 1 ? hwloc_cpukinds_get_by_cpuset(topology, cpus, 0) : -1;
  int efficiency = -1;
  if (kind < 0) return "";  // also where one core's threads are of several kinds
  if (hwloc_cpukinds_get_info(topology, static_cast<unsigned>(kind), nullptr, &efficiency, nullptr, nullptr, 0) != 0)
    return "";
  return efficiency < 0 ? "" : efficiency == kinds - 1 ? "performance" : "efficiency";
}

std::vector<Core> cores_of(hwloc_topology_t topology, const Machine& machine) {
  std::vector<Core> cores;
  const auto add = [&](hwloc_obj_t object) {
    Core core;
    core.cpus = to_set(object->cpuset);
    for (const Package& package : machine.packages)
      if (package.cpus.intersects(core.cpus)) core.package = package.id;
    for (const Node& node : machine.nodes)
      if (node.cpus.intersects(core.cpus)) core.nodes.insert(node.id);
    if (core.nodes.empty()) core.nodes = to_set(object->nodeset);
    for (const L3Cache& cache : machine.l3)
      if (cache.cpus.intersects(core.cpus)) core.l3 = cache.id;
    core.kind = core_kind(topology, object->cpuset);
    cores.push_back(std::move(core));
  };
  for_each(topology, HWLOC_OBJ_CORE, add);
  IndexSet in_cores;
  for (const Core& core : cores) in_cores = in_cores | core.cpus;
  for_each(topology, HWLOC_OBJ_PU, [&](hwloc_obj_t object) {
    if (!in_cores.contains(object->os_index)) add(object);
  });
  std::sort(cores.begin(), cores.end(), [](const Core& a, const Core& b) { return a.cpus.first() < b.cpus.first(); });
  return cores;
}

std::vector<std::vector<std::uint64_t>> distances_of(hwloc_topology_t topology, const std::vector<Node>& nodes) {
  unsigned count = 1;
  hwloc_distances_s* matrix = nullptr;
  if (hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &count, &matrix,
                                  HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 ||
      count == 0)
    return {};
  std::vector<std::vector<std::uint64_t>> distances;
  const auto position = [&](unsigned id) {
    const auto end = matrix->objs + matrix->nbobjs;
    const auto found = std::find_if(matrix->objs, end, [id](hwloc_obj_t node) { return node && node->os_index == id; });
    return found == end ? std::optional<std::size_t>() : static_cast<std::size_t>(found - matrix->objs);
  };
  bool complete = true;
  for (const Node& from : nodes) {
    auto& row = distances.emplace_back();
    for (const Node& to : nodes) {
      const auto i = position(from.id), j = position(to.id);
      complete = complete && i && j;
      row.push_back(i && j ? matrix->values[*i * matrix->nbobjs + *j] : 0);
    }
  }
  hwloc_distances_release(topology, matrix);
  return complete ? distances : std::vector<std::vector<std::uint64_t>>{};
}

std::string device_kind(hwloc_obj_t pci) {
  constexpr unsigned display_class = 0x03, network_class = 0x02;
  const unsigned base_class = pci->attr->pcidev.class_id >> 8u;
  if (base_class == display_class) return "gpu";
  if (base_class == network_class) return "nic";
  for (hwloc_obj_t child = pci->io_first_child; child; child = child->next_sibling)
    if (child->type == HWLOC_OBJ_OS_DEVICE &&
        (child->attr->osdev.type == HWLOC_OBJ_OSDEV_NETWORK || child->attr->osdev.type == HWLOC_OBJ_OSDEV_OPENFABRICS))
      return "nic";
  return "other";
}

std::string device_name(hwloc_obj_t pci) {
  std::string system_names;
  for (hwloc_obj_t child = pci->io_first_child; child; child = child->next_sibling)
    if (child->type == HWLOC_OBJ_OS_DEVICE && child->name)
      system_names += (system_names.empty() ? "" : ", ") + std::string(child->name);
  std::string product = info(pci, "PCIVendor");
  if (const std::string device = info(pci, "PCIDevice"); !device.empty())
    product += (product.empty() ? "" : " ") + device;
  if (const auto& ids = pci->attr->pcidev; product.empty() && ids.vendor_id != 0) {
    char text[16];
    std::snprintf(text, sizeof text, "%04x:%04x", unsigned{ids.vendor_id}, unsigned{ids.device_id});
    product = text;
  }
  if (product.empty() || system_names.empty()) return product + system_names;
  return product + " (" + system_names + ')';
}

std::vector<Device> devices_of(hwloc_topology_t topology, const Machine& machine,
                               const std::optional<std::filesystem::path>& root) {
  std::vector<Device> devices;
  for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_pcidev(topology, object));) {
    const auto& pci = object->attr->pcidev;
    char address[32];
    std::snprintf(address, sizeof address, "%04x:%02x:%02x.%x", unsigned{pci.domain}, unsigned{pci.bus},
                  unsigned{pci.dev}, unsigned{pci.func});
    Device device{address, device_kind(object), device_name(object), {}};
    if (const auto told = root ? device_node(*root, address) : std::nullopt) {
      if (*told >= 0) device.node = static_cast<unsigned>(*told);
    } else {
      IndexSet near = to_set(hwloc_get_non_io_ancestor_obj(topology, object)->nodeset);
      for (const Node& node : machine.nodes)
        if (node.cpus.empty()) near = near - IndexSet{node.id};  // it is merely attached to the same CPUs
      if (near.size() == 1) device.node = near.first();
    }
    devices.push_back(std::move(device));
  }
  std::sort(devices.begin(), devices.end(), [](const Device& a, const Device& b) { return a.pci < b.pci; });
  return devices;
}

// "32 KiB x 8", the largest first where sizes differ.
std::string caches(hwloc_topology_t topology, hwloc_obj_type_t type) {
  std::map<std::uint64_t, unsigned, std::greater<>> counts;
  for_each(topology, type, [&](hwloc_obj_t cache) { ++counts[cache->attr->cache.size]; });
  std::string text;
  for (const auto& [bytes, count] : counts)
    text += (text.empty() ? "" : ", ") + format_bytes(static_cast<double>(bytes)) + " x " + std::to_string(count);
  return text;
}

}  // namespace

Machine from_hwloc(hwloc_topology* topology, const std::optional<std::filesystem::path>& root) {
  Machine machine;
  const hwloc_obj_t top = hwloc_get_root_obj(topology);
  const hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
  for (hwloc_obj_t object : {package, top})
    if (machine.cpu_model.empty()) machine.cpu_model = info(object, "CPUModel");
  machine.online = to_set(hwloc_topology_get_topology_cpuset(topology));
  machine.allowed_cpus = to_set(hwloc_topology_get_allowed_cpuset(topology)) & machine.online;
  machine.allowed_nodes = to_set(hwloc_topology_get_allowed_nodeset(topology));

  const auto package_ids = ids_of(topology, HWLOC_OBJ_PACKAGE);
  for_each(topology, HWLOC_OBJ_PACKAGE, [&](hwloc_obj_t object) {
    machine.packages.push_back({package_ids[object->logical_index], to_set(object->cpuset)});
  });
  std::sort(machine.packages.begin(), machine.packages.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  machine.nodes = nodes_of(topology, root, machine.online);
  const auto l3_ids = ids_of(topology, HWLOC_OBJ_L3CACHE);
  for_each(topology, HWLOC_OBJ_L3CACHE, [&](hwloc_obj_t object) {
    machine.l3.push_back({l3_ids[object->logical_index], to_set(object->cpuset), object->attr->cache.size});
  });
  std::sort(machine.l3.begin(), machine.l3.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  machine.cores = cores_of(topology, machine);
  machine.distances = distances_of(topology, machine.nodes);
  machine.devices = devices_of(topology, machine, root);

  const auto tell = [&machine](const std::string& name, const std::string& value) {
    if (!value.empty()) machine.traits.emplace(name, value);
  };
  tell("architecture", info(top, "Architecture"));
  tell("cpu_vendor", info(package, "CPUVendor"));
  tell("cpu_family", info(package, "CPUFamilyNumber"));
  tell("cpu_number", info(package, "CPUModelNumber"));
  tell("l1i", caches(topology, HWLOC_OBJ_L1ICACHE));
  tell("l1d", caches(topology, HWLOC_OBJ_L1CACHE));
  tell("l2", caches(topology, HWLOC_OBJ_L2CACHE));
  tell("l3", caches(topology, HWLOC_OBJ_L3CACHE));
  if (root) tell("isa", instruction_set(*root));
  return machine;
}

}  // namespace bindgate
