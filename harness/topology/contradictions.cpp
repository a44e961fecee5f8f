#include "topology/contradictions.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "core/files.hpp"
#include "core/units.hpp"

namespace bindgate {
namespace {

std::string ids(const char* one, const char* many, const IndexSet& set) {
  return std::string(set.size() == 1 ? one : many) + ' ' + set.list();
}

std::string cpus_text(const IndexSet& set) { return ids("CPU", "CPUs", set); }

void say(Machine& machine, std::string finding) { machine.findings.push_back(std::move(finding)); }

void find_cpus_outside_packages(Machine& machine) {
  IndexSet in_packages;
  for (const Package& package : machine.packages) in_packages = in_packages | package.cpus;
  if (const IndexSet outside = machine.online - in_packages; !machine.packages.empty() && !outside.empty())
    say(machine, cpus_text(outside) + " in no package: left out of every variant of one package");
}

// A node may hold several packages and a package several nodes, but neither may cut the other in two.
void find_cuts(Machine& machine) {
  for (const Node& node : machine.nodes)
    for (const Package& package : machine.packages)
      if (node.cpus.intersects(package.cpus) && !node.cpus.contains(package.cpus) && !package.cpus.contains(node.cpus))
        say(machine, "node " + std::to_string(node.id) + " (" + cpus_text(node.cpus) + ") and package " +
                         std::to_string(package.id) + " (" + cpus_text(package.cpus) +
                         ") cut each other in two: the firmware's tables contradict themselves; " +
                         "memory follows the node");
}

void drop_senseless_distances(Machine& machine) {
  bool senseless = false;
  for (std::size_t i = 0; i < machine.distances.size(); ++i)
    for (std::size_t j = 0; j < machine.distances.size(); ++j)
      if (i != j && machine.distances[i][j] < machine.distances[i][i]) {
        say(machine, "node " + std::to_string(machine.nodes[j].id) + " is said to be nearer to node " +
                         std::to_string(machine.nodes[i].id) +
                         " than its own memory: distances are not to be trusted, and none is used");
        senseless = true;
      }
  if (senseless) machine.distances.clear();
}

void drop_senseless_memory(Machine& machine) {
  // No processor addresses more; a number below zero is read as one that is far larger.
  constexpr std::uint64_t most = std::uint64_t{1} << 56;
  for (Node& node : machine.nodes) {
    if (node.memory_bytes <= most) continue;
    say(machine, "node " + std::to_string(node.id) + " is said to have " + format_bytes(node.memory_bytes) +
                     " of memory, more than any processor can address: how much it has is not known");
    node.memory_bytes = 0;
  }
}

void find_quota(Machine& machine) {
  if (!machine.quota_cpus || *machine.quota_cpus >= static_cast<double>(machine.allowed_cpus.size())) return;
  char quota[32];
  std::snprintf(quota, sizeof quota, "%.2f", *machine.quota_cpus);
  say(machine, std::string("a control group's quota gives ") + quota + " CPUs of time on " +
                   cpus_text(machine.allowed_cpus) +
                   ": threads are limited to it, and throttling will show as noise");
}

}  // namespace

Result<void> check_numbers(const Machine& machine) {
  IndexSet numbers;
  for (const Node& node : machine.nodes) {
    if (numbers.contains(node.id))
      return fail("has two nodes of the number " + std::to_string(node.id) + "; each has its own on any machine");
    numbers.insert(node.id);
  }
  return {};
}

IndexSet settle_nodes(Machine& machine) {
  IndexSet seen, shared, sharing;
  for (const Node& node : machine.nodes) {
    shared = shared | (seen & node.cpus);
    seen = seen | node.cpus;
  }
  if (const IndexSet homeless = machine.online - seen; !seen.empty() && !homeless.empty())
    say(machine, cpus_text(homeless) + " in no memory node: left out of every variant of one node");
  if (shared.empty()) return shared;
  for (Node& node : machine.nodes) {
    if (!node.cpus.intersects(shared)) continue;
    sharing.insert(node.id);
    node.cpus = node.cpus - shared;
  }
  say(machine, ids("node", "nodes", sharing) + " all claim " + cpus_text(shared) +
                   ": the firmware's tables contradict themselves; here " +
                   (shared.size() == 1 ? "it is" : "they are") +
                   " in no node, and left out of every variant of one node");
  return shared;
}

void find_unreadable_lists(Machine& machine, const std::filesystem::path& root) {
  const char* const file = "sys/devices/system/cpu/online";
  std::error_code missing;
  if (!std::filesystem::exists(root / file, missing)) return;
  const std::string text = read_line_of(root / file);
  if (const auto cpus = IndexSet::parse(text); cpus && !cpus->empty()) return;
  say(machine, std::string(file) + " holds '" + text + "', which is no list of CPUs: which are online is not known; " +
                   "taken for it: " + cpus_text(machine.online));
}

void settle_rest(Machine& machine) {
  find_cpus_outside_packages(machine);
  find_cuts(machine);
  drop_senseless_distances(machine);
  drop_senseless_memory(machine);
  find_quota(machine);
}

}  // namespace bindgate
