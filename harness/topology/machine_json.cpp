#include <nlohmann/json.hpp>

#include "topology/machine.hpp"

namespace bindgate {
namespace {

template <class T>
nlohmann::json value_or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

nlohmann::json text_or_null(const std::string& text) { return text.empty() ? nlohmann::json() : nlohmann::json(text); }

}  // namespace

nlohmann::json to_json(const Machine& machine) {
  const Fingerprint fingerprint = fingerprint_of(machine);
  const nlohmann::json none = nlohmann::json::array();
  nlohmann::json packages = none, nodes = none, cores = none, l3 = none, devices = none;
  for (const Package& package : machine.packages)
    packages.push_back({{"id", package.id}, {"cpus", package.cpus.list()}});
  for (const Node& node : machine.nodes)
    nodes.push_back(
        {{"id", node.id}, {"cpus", node.cpus.list()}, {"memory_bytes", node.memory_bytes}, {"kind", node.kind}});
  for (const Core& core : machine.cores)
    cores.push_back({{"cpus", core.cpus.list()},
                     {"package", value_or_null(core.package)},
                     {"nodes", core.nodes.list()},
                     {"l3", value_or_null(core.l3)},
                     {"kind", text_or_null(core.kind)}});
  for (const L3Cache& cache : machine.l3)
    l3.push_back({{"id", cache.id}, {"cpus", cache.cpus.list()}, {"bytes", cache.bytes}});
  for (const Device& device : machine.devices)
    devices.push_back(
        {{"pci", device.pci}, {"kind", device.kind}, {"name", device.name}, {"node", value_or_null(device.node)}});
  return {{"source", machine.source},
          {"live", machine.live},
          {"cpu", machine.cpu_model},
          {"fingerprint", fingerprint.id()},
          {"fingerprint_fields", fingerprint.fields},
          {"allowed", {{"cpus", machine.allowed_cpus.list()}, {"nodes", machine.allowed_nodes.list()}}},
          {"online", machine.online.list()},
          {"quota_cpus", value_or_null(machine.quota_cpus)},
          {"packages", packages},
          {"nodes", nodes},
          {"cores", cores},
          {"l3", l3},
          {"distances", machine.distances.empty() ? nlohmann::json() : nlohmann::json(machine.distances)},
          {"devices", devices},
          {"findings", machine.findings}};
}

}  // namespace bindgate
