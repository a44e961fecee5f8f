#include <nlohmann/json.hpp>

#include "topology/machine.hpp"

namespace bindgate {
namespace {

template <class T>
nlohmann::json value_or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

// The empty set is told, too.
nlohmann::json list_or_null(const std::optional<IndexSet>& set) {
  return set ? nlohmann::json(set->list()) : nlohmann::json();
}

nlohmann::json text_or_null(const std::string& text) { return text.empty() ? nlohmann::json() : nlohmann::json(text); }

}  // namespace

nlohmann::json to_json(const Machine& machine) {
  const Fingerprint fingerprint = fingerprint_of(machine);
  const nlohmann::json none = nlohmann::json::array();
  nlohmann::json packages = none, dies = none, nodes = none, cores = none, l3 = none, clusters = none, devices = none;
  for (const Package& package : machine.packages)
    packages.push_back({{"id", package.id}, {"cpus", package.cpus.list()}});
  for (const Die& die : machine.dies)
    dies.push_back({{"id", die.id}, {"package", value_or_null(die.package)}, {"cpus", die.cpus.list()}});
  for (const Node& node : machine.nodes)
    nodes.push_back({{"id", node.id},
                     {"cpus", node.cpus.list()},
                     {"memory_bytes", node.memory_bytes},
                     {"kind", node.kind},
                     {"bandwidth_mib_s", value_or_null(node.bandwidth_mib_s)},
                     {"latency_ns", value_or_null(node.latency_ns)}});
  for (const Core& core : machine.cores)
    cores.push_back({{"cpus", core.cpus.list()},
                     {"package", value_or_null(core.package)},
                     {"nodes", core.nodes.list()},
                     {"l3", value_or_null(core.l3)},
                     {"kind", text_or_null(core.kind)}});
  for (const L3Cache& cache : machine.l3)
    l3.push_back({{"id", cache.id}, {"cpus", cache.cpus.list()}, {"bytes", cache.bytes}});
  for (const Cluster& cluster : machine.clusters)
    clusters.push_back({{"id", cluster.id}, {"cpus", cluster.cpus.list()}});
  for (const Device& device : machine.devices)
    devices.push_back(
        {{"pci", device.pci}, {"kind", device.kind}, {"name", device.name}, {"node", value_or_null(device.node)}});
  return {{"source", machine.source},
          {"live", machine.live},
          {"cpu", machine.cpu_model},
          {"fingerprint", fingerprint.id()},
          {"fingerprint_fields", fingerprint.fields},
          {"allowed", {{"cpus", machine.allowed_cpus.list()}, {"nodes", machine.allowed_nodes.list()}}},
          {"hypervisor", text_or_null(machine.hypervisor)},
          {"online", machine.online.list()},
          {"offline", list_or_null(machine.offline)},
          {"isolated", list_or_null(machine.isolated)},
          {"nohz_full", list_or_null(machine.no_tick)},
          {"quota_cpus", value_or_null(machine.quota_cpus)},
          {"packages", packages},
          {"dies", dies},
          {"nodes", nodes},
          {"cores", cores},
          {"l3", l3},
          {"clusters", clusters},
          {"distances", machine.distances.empty() ? nlohmann::json() : nlohmann::json(machine.distances)},
          {"devices", devices},
          {"findings", machine.findings}};
}

}  // namespace bindgate
