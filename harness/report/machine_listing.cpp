#include <map>
#include <tuple>

#include "core/names.hpp"
#include "core/units.hpp"
#include "report/listings.hpp"

namespace bindgate {
namespace {

// More than this of a kind are told in groups of what is alike: a screen is no place for a thousand cores.
constexpr std::size_t most_cores = 32, most_others = 16;

std::string set_text(const IndexSet& set) { return set.empty() ? "none" : set.list(); }
std::string cpus_text(const IndexSet& set) { return "CPUs " + set_text(set); }
std::string id_text(const std::optional<unsigned>& id) { return id ? std::to_string(*id) : "not told"; }

std::string speed_text(const Node& node) {
  std::string text;
  if (node.bandwidth_mib_s) text += ", " + format_bytes(static_cast<double>(*node.bandwidth_mib_s) * 1048576) + "/s";
  if (node.latency_ns) text += ", " + std::to_string(*node.latency_ns) + " ns";
  return text;
}

std::string node_text(const Node& node) {
  return (node.kind == "unknown" ? "kind not told" : node.kind) + speed_text(node) + ", " + cpus_text(node.cpus);
}

std::string nodes_text(const std::vector<Node>& nodes, const Style& style) {
  std::string text;
  if (nodes.size() <= most_others) {
    for (const Node& node : nodes)
      text += paragraph("node        ",
                        std::to_string(node.id) + ": " + format_bytes(node.memory_bytes) + ", " + node_text(node),
                        style);
    return text;
  }
  std::map<std::pair<std::string, std::string>, IndexSet> alike;
  std::vector<std::pair<std::string, std::string>> order;
  for (const Node& node : nodes) {
    std::pair key{format_bytes(node.memory_bytes), node_text(node)};
    if (!alike.contains(key)) order.push_back(key);
    alike[key].insert(node.id);
  }
  for (const auto& key : order) {
    const IndexSet& ids = alike[key];
    text += paragraph(ids.size() == 1 ? "node        " : "nodes       ",
                      ids.list() + ": " + key.first + (ids.size() == 1 ? ", " : " each, ") + key.second, style);
  }
  return text;
}

std::string places_text(const Machine& machine, const Style& style) {
  std::string text;
  for (const Package& package : machine.packages)
    text += paragraph("package     ", std::to_string(package.id) + ": " + cpus_text(package.cpus), style);
  if (machine.dies.size() > most_others)
    text += paragraph("dies        ", std::to_string(machine.dies.size()), style);
  else
    for (const Die& die : machine.dies)
      text += paragraph("die         ",
                        (die.package ? std::to_string(*die.package) + '.' : "") + std::to_string(die.id) + ": " +
                            cpus_text(die.cpus),
                        style);
  text += nodes_text(machine.nodes, style);
  if (machine.clusters.size() > most_others)
    text += paragraph("clusters    ", std::to_string(machine.clusters.size()), style);
  else
    for (const Cluster& cluster : machine.clusters)
      text += paragraph("cluster     ", std::to_string(cluster.id) + ": " + cpus_text(cluster.cpus), style);
  return text;
}

std::string cores_text(const Machine& machine, const Style& style) {
  if (machine.cores.empty()) return "";
  if (machine.cores.size() <= most_cores) {
    Table cores({{"core", true}, {"CPUs", false, true}, {"package", true}, {"nodes"}, {"L3", true}, {"kind"}}, 2);
    for (std::size_t i = 0; i < machine.cores.size(); ++i) {
      const Core& core = machine.cores[i];
      cores.add({{std::to_string(i)}, {set_text(core.cpus)}, {id_text(core.package)}, {set_text(core.nodes)},
                 {id_text(core.l3)}, {core.kind}});
    }
    return "\ncores\n" + cores.text(style);
  }
  struct Group {
    std::size_t cores = 0;
    std::vector<unsigned> cpus;
  };
  using Alike = std::tuple<std::optional<unsigned>, std::string, std::string, std::size_t>;
  std::map<Alike, Group> groups;
  for (const Core& core : machine.cores) {
    Group& group = groups[{core.package, core.nodes.list(), core.kind, core.cpus.size()}];
    ++group.cores;
    group.cpus.insert(group.cpus.end(), core.cpus.begin(), core.cpus.end());
  }
  Table table({{"cores", true}, {"threads", true}, {"CPUs", false, true}, {"package", true}, {"nodes"}, {"kind"}}, 2);
  for (const auto& [alike, group] : groups) {
    const auto& [package, nodes, kind, threads] = alike;
    IndexSet cpus;
    for (const unsigned cpu : group.cpus) cpus.insert(cpu);
    table.add({{std::to_string(group.cores)}, {std::to_string(threads)}, {set_text(cpus)}, {id_text(package)},
               {nodes.empty() ? "none" : nodes}, {kind}});
  }
  return "\ncores (threads: of each; --json lists them one by one)\n" + table.text(style);
}

std::string caches_text(const Machine& machine, const Style& style) {
  if (machine.l3.empty()) return "";
  if (machine.l3.size() <= most_others) {
    Table caches({{"L3", true}, {"size", true}, {"CPUs", false, true}}, 2);
    for (const L3Cache& cache : machine.l3)
      caches.add({{std::to_string(cache.id)}, {format_bytes(cache.bytes)}, {set_text(cache.cpus)}});
    return "\nL3 caches\n" + caches.text(style);
  }
  std::map<std::pair<std::uint64_t, std::size_t>, std::size_t> counts;
  for (const L3Cache& cache : machine.l3) ++counts[{cache.bytes, cache.cpus.size()}];
  Table caches({{"L3", true}, {"size", true}, {"CPUs each", true}}, 2);
  for (const auto& [alike, count] : counts)
    caches.add({{std::to_string(count)}, {format_bytes(alike.first)}, {std::to_string(alike.second)}});
  return "\nL3 caches (how many; --json lists them one by one)\n" + caches.text(style);
}

std::string far_and_near_text(const Machine& machine, const Style& style) {
  Table table({{"from node", true}, {"distance: to nodes", false, true}}, 2);
  for (std::size_t i = 0; i < machine.distances.size() && i < machine.nodes.size(); ++i) {
    std::map<std::uint64_t, IndexSet> by_distance;
    for (std::size_t j = 0; j < machine.distances[i].size() && j < machine.nodes.size(); ++j)
      by_distance[machine.distances[i][j]].insert(machine.nodes[j].id);
    std::vector<std::string> parts;
    for (const auto& [distance, nodes] : by_distance) parts.push_back(std::to_string(distance) + ": " + nodes.list());
    table.add({{std::to_string(machine.nodes[i].id)}, {joined(parts, "; ")}});
  }
  return table.text(style);
}

std::string distances_text(const Machine& machine, const Style& style) {
  if (machine.distances.empty() || machine.nodes.size() < 2) return "";
  const std::string heading = "\ndistances (10 is local)\n";
  if (machine.nodes.size() > most_others) return heading + far_and_near_text(machine, style);
  std::vector<Table::Column> columns{{"from node", true}};
  for (const Node& node : machine.nodes) columns.push_back({"to " + std::to_string(node.id), true});
  Table table(std::move(columns), 2);
  for (std::size_t i = 0; i < machine.distances.size() && i < machine.nodes.size(); ++i) {
    std::vector<Cell> cells{{std::to_string(machine.nodes[i].id)}};
    for (const std::uint64_t distance : machine.distances[i]) cells.push_back({std::to_string(distance)});
    cells.resize(machine.nodes.size() + 1);
    table.add(std::move(cells));
  }
  return heading + table.text(style);
}

std::string set_line(const char* name, const std::optional<IndexSet>& cpus, const Style& style) {
  return !cpus || cpus->empty() ? "" : paragraph(name, cpus_text(*cpus), style);
}

// What one of the two does not tell.
std::string untold_text(const MachineComparison& comparison, const std::string& then, const std::string& now,
                        const Style& style) {
  std::string text;
  const auto add = [&](const std::vector<std::string>& untold, const std::string& source) {
    if (!untold.empty()) text += paragraph("  - ", joined(untold) + " (" + source + " does not tell)", style);
  };
  add(comparison.untold_then, then);
  add(comparison.untold_now, now);
  return text.empty() ? "" : "\nnot compared\n" + text;
}

}  // namespace

std::string topology_text(const Machine& machine, const Style& style) {
  const bool told = !machine.cpu_model.empty() && machine.cpu_model != "unknown";
  std::string text = paragraph("machine     ", told ? machine.cpu_model : "its CPU's model is not told", style);
  text += paragraph("source      ", machine.source, style);
  text += paragraph("fingerprint ", fingerprint_of(machine).id(), style);
  if (!machine.hypervisor.empty()) text += paragraph("hypervisor  ", machine.hypervisor, style);
  text += paragraph("allowed     ",
                    cpus_text(machine.allowed_cpus) + "; nodes " + set_text(machine.allowed_nodes), style);
  text += paragraph("online      ", cpus_text(machine.online), style);
  text += set_line("offline     ", machine.offline, style);
  text += set_line("isolated    ", machine.isolated, style);
  text += set_line("no tick     ", machine.no_tick, style);
  if (machine.quota_cpus) text += paragraph("quota       ", format_rate(*machine.quota_cpus, "CPUs"), style);
  text += places_text(machine, style) + cores_text(machine, style) + caches_text(machine, style);
  text += distances_text(machine, style);
  Table devices({{"device"}, {"kind"}, {"node", true}, {"name", false, true}}, 2);
  for (const Device& device : machine.devices)
    devices.add({{device.pci}, {device.kind}, {id_text(device.node)}, {device.name}});
  if (!devices.empty()) text += "\ndevices\n" + devices.text(style);
  if (!machine.findings.empty()) text += "\nfindings\n";
  for (const std::string& finding : machine.findings) text += paragraph("  - ", finding, style);
  return text;
}

std::string comparison_text(const MachineComparison& comparison, const std::string& then, const std::string& now,
                            const Style& style) {
  constexpr std::size_t most_lines = 60;
  std::string text = paragraph("then        ", then, style) + paragraph("now         ", now, style);
  const std::string untold = untold_text(comparison, then, now, style);
  const bool same = comparison.now_fingerprint == comparison.then_fingerprint;
  if (comparison.nothing_differs() && same)
    return text + (untold.empty() ? "\nnothing differs\n" : "\nnothing differs of what both tell\n" + untold);
  text += paragraph("fingerprint ",
                    comparison.now_fingerprint +
                        (same ? ", as then" : "; then " + comparison.then_fingerprint + ", so no stored baseline fits"),
                    style);
  if (comparison.nothing_differs()) return text + "\nnothing else differs of what both tell\n" + untold;
  for (const MachineDifference& field : comparison.fingerprint_fields) text += paragraph("  - ", field.line, style);
  if (!comparison.differences.empty()) text += "\ndifferences\n";
  for (std::size_t i = 0; i < comparison.differences.size() && i < most_lines; ++i)
    text += paragraph("  - ", comparison.differences[i].line, style);
  if (comparison.differences.size() > most_lines)
    text += paragraph("  - ", "and " + std::to_string(comparison.differences.size() - most_lines) +
                                  " more; --json lists them all", style);
  return text + untold;
}

}  // namespace bindgate
