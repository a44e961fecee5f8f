#include "topology/hwloc_memory.hpp"

#include <hwloc.h>
#include <hwloc/memattrs.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "topology/hwloc_objects.hpp"
#include "topology/system_files.hpp"

namespace bindgate {
namespace {

std::string told_kind(hwloc_obj_t object) {
  const std::string_view subtype = object->subtype ? object->subtype : "";
  if (subtype == "GPUMemory") return "gpu";
  if (subtype == "MCDRAM" || subtype == "HBM") return "hbm";
  if (subtype.starts_with("CXL") || !info_of(object, "CXLDevice").empty()) return "cxl";
  if (subtype == "DRAM") return "dram";
  return "unknown";
}

// From the CPUs that reach the node best: those are its local ones, and Linux tells of no others.
std::optional<std::uint64_t> best_of(hwloc_topology_t topology, hwloc_obj_t node, hwloc_memattr_id_t attribute,
                                     bool higher_is_better) {
  unsigned count = 0;
  if (hwloc_memattr_get_initiators(topology, attribute, node, 0, &count, nullptr, nullptr) != 0 || count == 0)
    return std::nullopt;
  std::vector<hwloc_location> initiators(count);
  std::vector<hwloc_uint64_t> values(count);
  if (hwloc_memattr_get_initiators(topology, attribute, node, 0, &count, initiators.data(), values.data()) != 0)
    return std::nullopt;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return higher_is_better ? *most : *least;
}

// hwloc calls the mean of reading and writing plainly bandwidth and latency; where only reading is told, that.
void tell_speed(hwloc_topology_t topology, hwloc_obj_t object, Node& node) {
  node.bandwidth_mib_s = best_of(topology, object, HWLOC_MEMATTR_ID_BANDWIDTH, true);
  if (!node.bandwidth_mib_s) node.bandwidth_mib_s = best_of(topology, object, HWLOC_MEMATTR_ID_READ_BANDWIDTH, true);
  node.latency_ns = best_of(topology, object, HWLOC_MEMATTR_ID_LATENCY, false);
  if (!node.latency_ns) node.latency_ns = best_of(topology, object, HWLOC_MEMATTR_ID_READ_LATENCY, false);
}

// hwloc attaches a CPU-less node to the CPUs that are near: nodes that share CPUs share them out, the one with the
// fewest first, ordinary memory before special.
void share_out(std::vector<Node>& nodes) {
  std::vector<Node*> order;
  for (Node& node : nodes) order.push_back(&node);
  const auto special = [](const Node& node) { return node.kind != "unknown" && node.kind != "dram"; };
  std::sort(order.begin(), order.end(), [&](const Node* a, const Node* b) {
    return std::make_tuple(a->cpus.size(), special(*a), a->id) < std::make_tuple(b->cpus.size(), special(*b), b->id);
  });
  IndexSet owned;
  for (Node* node : order) {
    node->cpus = node->cpus - owned;
    owned = owned | node->cpus;
  }
}

}  // namespace

std::vector<Node> nodes_of(hwloc_topology* topology, const std::optional<std::filesystem::path>& root,
                           const IndexSet& online) {
  std::vector<Node> nodes;
  IndexSet missing = root ? listed_nodes(*root) : IndexSet();
  for (const hwloc_obj_t object : objects_of(topology, HWLOC_OBJ_NUMANODE)) {
    Node node;
    node.id = object->os_index == HWLOC_UNKNOWN_INDEX ? object->logical_index : object->os_index;
    node.cpus = to_set(object->cpuset);
    node.memory_bytes = object->attr->numanode.local_memory;
    node.kind = told_kind(object);
    tell_speed(topology, object, node);
    missing = missing - IndexSet{node.id};
    nodes.push_back(std::move(node));
  }
  bool told = root.has_value();
  for (Node& node : nodes) {
    const auto own = root ? node_cpus(*root, node.id) : std::nullopt;
    told = told && own;
    if (own) node.cpus = *own & online;
  }
  if (!told) share_out(nodes);
  // hwloc leaves out a node that does not fit into its tree; its memory is there all the same.
  for (const unsigned id : missing) {
    Node node{id, node_cpus(*root, id).value_or(IndexSet()) & online, node_memory(*root, id), "unknown"};
    nodes.push_back(std::move(node));
  }
  tell_kinds_by_speed(nodes);
  std::sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) { return a.id < b.id; });
  return nodes;
}

// Only nodes without CPUs are judged: those with CPUs are what the others are compared with, and a machine whose
// CPUs sit at fast memory throughout has nothing to compare. Twice the bandwidth is more than unevenly filled memory
// channels explain. Expanders on CXL are both slower and farther than any DRAM; one sign alone would also fit DRAM
// behind another package.
void tell_kinds_by_speed(std::vector<Node>& nodes) {
  constexpr std::uint64_t times_faster = 2;
  std::uint64_t widest = 0, narrowest = UINT64_MAX, slowest = 0;
  for (const Node& node : nodes) {
    if (node.cpus.empty() || (node.kind != "unknown" && node.kind != "dram")) continue;
    if (node.bandwidth_mib_s) widest = std::max(widest, *node.bandwidth_mib_s);
    if (node.bandwidth_mib_s) narrowest = std::min(narrowest, *node.bandwidth_mib_s);
    if (node.latency_ns) slowest = std::max(slowest, *node.latency_ns);
  }
  for (Node& node : nodes) {
    if (!node.cpus.empty() || node.kind != "unknown" || !node.bandwidth_mib_s || widest == 0) continue;
    if (*node.bandwidth_mib_s > times_faster * widest)
      node.kind = "hbm";
    else if (*node.bandwidth_mib_s < narrowest && slowest > 0 && node.latency_ns && 2 * *node.latency_ns >= 3 * slowest)
      node.kind = "cxl";
  }
}

std::vector<std::vector<std::uint64_t>> distances_of(hwloc_topology* topology, const std::vector<Node>& nodes) {
  unsigned count = 1;
  hwloc_distances_s* matrix = nullptr;
  if (hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &count, &matrix,
                                  HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 ||
      count == 0)
    return {};
  std::map<unsigned, std::size_t> positions;
  for (std::size_t i = 0; i < matrix->nbobjs; ++i)
    if (matrix->objs[i]) positions.emplace(matrix->objs[i]->os_index, i);
  std::vector<std::vector<std::uint64_t>> distances;
  const bool complete =
      std::all_of(nodes.begin(), nodes.end(), [&](const Node& node) { return positions.contains(node.id); });
  if (complete)
    for (const Node& from : nodes) {
      auto& row = distances.emplace_back();
      for (const Node& to : nodes)
        row.push_back(matrix->values[positions.at(from.id) * matrix->nbobjs + positions.at(to.id)]);
    }
  hwloc_distances_release(topology, matrix);
  return distances;
}

}  // namespace bindgate
