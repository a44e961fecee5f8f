#include "topology/from_hwloc.hpp"

#include <hwloc.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "core/units.hpp"
#include "topology/contradictions.hpp"
#include "topology/hwloc_memory.hpp"
#include "topology/hwloc_objects.hpp"
#include "topology/hypervisor.hpp"
#include "topology/system_files.hpp"

namespace bindgate {
namespace {

// Which of several disjoint sets a CPU is in, without looking through all of them for each CPU.
class OwnerOfCpu {
 public:
  template <class T>
  explicit OwnerOfCpu(const std::vector<T>& owners) {
    for (const T& owner : owners)
      for (const unsigned cpu : owner.cpus) {
        if (cpu >= ids_.size()) ids_.resize(cpu + 1);
        ids_[cpu] = owner.id;
      }
  }
  [[nodiscard]] std::optional<unsigned> of(unsigned cpu) const {
    return cpu < ids_.size() ? ids_[cpu] : std::nullopt;
  }
  [[nodiscard]] IndexSet of(const IndexSet& cpus) const {
    IndexSet ids;
    for (const unsigned cpu : cpus)
      if (const auto id = of(cpu)) ids.insert(*id);
    return ids;
  }

 private:
  std::vector<std::optional<unsigned>> ids_;
};

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

// `contested`: CPUs of which hwloc's tree does not know the node either. Others that no node has as its own still have
// nodes near them.
std::vector<Core> cores_of(hwloc_topology_t topology, const Machine& machine, const IndexSet& contested) {
  const OwnerOfCpu packages(machine.packages), nodes(machine.nodes), caches(machine.l3);
  std::vector<Core> cores;
  std::set<unsigned> in_cores;
  const auto add = [&](hwloc_obj_t object) {
    Core core;
    core.cpus = to_set(object->cpuset);
    if (core.cpus.empty()) return;  // all of its threads are offline
    core.package = packages.of(core.cpus).last();
    core.nodes = nodes.of(core.cpus);
    if (core.nodes.empty() && !contested.intersects(core.cpus)) core.nodes = to_set(object->nodeset);
    core.l3 = caches.of(core.cpus).last();
    core.kind = core_kind(topology, object->cpuset);
    in_cores.insert(core.cpus.begin(), core.cpus.end());
    cores.push_back(std::move(core));
  };
  for (const hwloc_obj_t object : objects_of(topology, HWLOC_OBJ_CORE)) add(object);
  for (const hwloc_obj_t object : objects_of(topology, HWLOC_OBJ_PU))
    if (!in_cores.contains(object->os_index)) add(object);
  std::sort(cores.begin(), cores.end(), [](const Core& a, const Core& b) { return a.cpus.first() < b.cpus.first(); });
  return cores;
}

std::vector<Die> dies_of(hwloc_topology_t topology, const Machine& machine) {
  const OwnerOfCpu packages(machine.packages);
  std::vector<Die> dies;
  std::map<std::optional<unsigned>, IndexSet> ids;
  for (const hwloc_obj_t object : objects_of(topology, HWLOC_OBJ_DIE)) {
    Die die{object->os_index, std::nullopt, to_set(object->cpuset)};
    die.package = packages.of(die.cpus).last();
    IndexSet& taken = ids[die.package];
    if (die.id == HWLOC_UNKNOWN_INDEX || taken.contains(die.id)) die.id = taken.empty() ? 0 : *taken.last() + 1;
    taken.insert(die.id);
    dies.push_back(std::move(die));
  }
  const auto alone = [](const auto& package) { return package.second.size() < 2; };
  if (std::all_of(ids.begin(), ids.end(), alone)) dies.clear();
  std::sort(dies.begin(), dies.end(), [](const Die& a, const Die& b) {
    return std::make_pair(a.package, a.id) < std::make_pair(b.package, b.id);
  });
  return dies;
}

// hwloc's tree has a cluster as a group, or not at all where it is the same as the cores of one L2; a description
// without the kernel's files keeps only that.
std::vector<Cluster> clusters_in_tree(hwloc_topology_t topology) {
  std::vector<hwloc_obj_t> objects;
  for (const hwloc_obj_t object : objects_of(topology, HWLOC_OBJ_GROUP))
    if (object->subtype && std::string_view(object->subtype) == "Cluster") objects.push_back(object);
  if (objects.empty() && hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_L3CACHE) > 0)
    objects = objects_of(topology, HWLOC_OBJ_L2CACHE);
  const std::vector<unsigned> ids = ids_of(objects);
  std::vector<Cluster> clusters;
  for (std::size_t i = 0; i < objects.size(); ++i) clusters.push_back({ids[i], to_set(objects[i]->cpuset)});
  return clusters;
}

// Of one core, or of all cores of a package: those say nothing that cores and packages do not.
std::vector<Cluster> telling(std::vector<Cluster> clusters, const Machine& machine) {
  std::vector<unsigned> core_of(machine.online.empty() ? 0 : *machine.online.last() + 1);
  for (unsigned i = 0; i < machine.cores.size(); ++i)
    for (const unsigned cpu : machine.cores[i].cpus) core_of[cpu] = i;
  const OwnerOfCpu packages(machine.packages);
  std::map<unsigned, std::size_t> sizes;
  for (const Package& package : machine.packages) sizes[package.id] = package.cpus.size();
  const auto says_nothing = [&](const Cluster& cluster) {
    const auto other_core = [&](unsigned cpu) { return core_of[cpu] != core_of[*cluster.cpus.first()]; };
    if (std::none_of(cluster.cpus.begin(), cluster.cpus.end(), other_core)) return true;
    const auto package = packages.of(*cluster.cpus.first());
    return package && sizes[*package] == cluster.cpus.size();
  };
  std::erase_if(clusters, says_nothing);
  std::sort(clusters.begin(), clusters.end(), [](const Cluster& a, const Cluster& b) { return a.id < b.id; });
  return clusters;
}

// "32 KiB x 8", the largest first where sizes differ.
std::string caches(hwloc_topology_t topology, hwloc_obj_type_t type) {
  std::map<std::uint64_t, unsigned, std::greater<>> counts;
  for (const hwloc_obj_t cache : objects_of(topology, type)) ++counts[cache->attr->cache.size];
  std::string text;
  for (const auto& [bytes, count] : counts)
    text += (text.empty() ? "" : ", ") + format_bytes(bytes) + " x " + std::to_string(count);
  return text;
}

std::map<std::string, std::string> traits_of(hwloc_topology_t topology,
                                             const std::optional<std::filesystem::path>& root) {
  std::map<std::string, std::string> traits;
  const auto tell = [&traits](const std::string& name, const std::string& value) {
    if (!value.empty()) traits.emplace(name, value);
  };
  const hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
  tell("architecture", info_of(hwloc_get_root_obj(topology), "Architecture"));
  tell("cpu_vendor", info_of(package, "CPUVendor"));
  tell("cpu_family", info_of(package, "CPUFamilyNumber"));
  tell("cpu_number", info_of(package, "CPUModelNumber"));
  tell("l1i", caches(topology, HWLOC_OBJ_L1ICACHE));
  tell("l1d", caches(topology, HWLOC_OBJ_L1CACHE));
  tell("l2", caches(topology, HWLOC_OBJ_L2CACHE));
  tell("l3", caches(topology, HWLOC_OBJ_L3CACHE));
  if (root) tell("isa", instruction_set(*root));
  return traits;
}

// Online, offline, set aside and allowed.
void fill_cpus(Machine& machine, hwloc_topology_t topology, const std::optional<std::filesystem::path>& root) {
  machine.online = to_set(hwloc_topology_get_topology_cpuset(topology));
  machine.allowed_cpus = to_set(hwloc_topology_get_allowed_cpuset(topology)) & machine.online;
  // An XML file may have lost its disallowed CPUs too, and then does not tell the two apart.
  const bool disallowed_are_kept = root || machine.allowed_cpus != machine.online;
  const IndexSet complete = to_set(hwloc_topology_get_complete_cpuset(topology));
  const IndexSet present = root ? cpu_list(*root, "present").value_or(complete) : complete;
  if (disallowed_are_kept) machine.offline = present - machine.online;
  if (!root) return;
  // Possible but absent CPUs can be set aside too, and are nothing to anybody.
  const auto set_aside = [&](const char* name) {
    auto cpus = cpu_list(*root, name);
    if (cpus) cpus = *cpus & (machine.online | present);
    return cpus;
  };
  machine.isolated = set_aside("isolated");
  machine.no_tick = set_aside("nohz_full");
}

// hwloc keeps one of several nodes that claim the same CPUs, so a cpuset is only seen where it takes from the rest.
void fill_allowed_nodes(Machine& machine, hwloc_topology_t topology) {
  machine.allowed_nodes = to_set(hwloc_topology_get_allowed_nodeset(topology));
  const IndexSet known = to_set(hwloc_topology_get_topology_nodeset(topology));
  if (machine.allowed_nodes != known) return;
  for (const Node& node : machine.nodes) machine.allowed_nodes.insert(node.id);
}

}  // namespace

Machine from_hwloc(hwloc_topology* topology, const std::optional<std::filesystem::path>& root) {
  Machine machine;
  const hwloc_obj_t top = hwloc_get_root_obj(topology);
  for (hwloc_obj_t object : {hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0), top})
    if (machine.cpu_model.empty()) machine.cpu_model = info_of(object, "CPUModel");
  machine.hypervisor = root ? hypervisor_of(*root)
                            : hypervisor_of(info_of(top, "OSRelease"), info_of(top, "DMISysVendor"),
                                            info_of(top, "DMIProductName"));
  fill_cpus(machine, topology, root);

  const auto by_id = [](const auto& a, const auto& b) { return a.id < b.id; };
  const auto packages = objects_of(topology, HWLOC_OBJ_PACKAGE), caches_l3 = objects_of(topology, HWLOC_OBJ_L3CACHE);
  const auto package_ids = ids_of(packages), l3_ids = ids_of(caches_l3);
  for (std::size_t i = 0; i < packages.size(); ++i)
    machine.packages.push_back({package_ids[i], to_set(packages[i]->cpuset)});
  for (std::size_t i = 0; i < caches_l3.size(); ++i)
    machine.l3.push_back({l3_ids[i], to_set(caches_l3[i]->cpuset), caches_l3[i]->attr->cache.size});
  std::sort(machine.packages.begin(), machine.packages.end(), by_id);
  std::sort(machine.l3.begin(), machine.l3.end(), by_id);
  machine.nodes = nodes_of(topology, root, machine.online);
  const IndexSet contested = settle_nodes(machine);
  fill_allowed_nodes(machine, topology);
  machine.cores = cores_of(topology, machine, contested);
  machine.dies = dies_of(topology, machine);
  const auto clusters = root ? kernel_clusters(*root, machine.online) : clusters_in_tree(topology);
  machine.clusters = telling(clusters.value_or(std::vector<Cluster>()), machine);
  machine.distances = distances_of(topology, machine.nodes);
  machine.traits = traits_of(topology, root);
  return machine;
}

}  // namespace bindgate
