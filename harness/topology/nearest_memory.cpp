#include "topology/nearest_memory.hpp"

#include <algorithm>

namespace bindgate {
namespace {

/// Positions in machine.nodes. Descriptions without any memory just do not tell it.
std::vector<std::size_t> nodes_with_memory(const Machine& machine) {
  const auto has_memory = [](const Node& node) { return node.memory_bytes > 0; };
  const bool told = std::any_of(machine.nodes.begin(), machine.nodes.end(), has_memory);
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < machine.nodes.size(); ++i)
    if (!told || has_memory(machine.nodes[i])) positions.push_back(i);
  return positions;
}

IndexSet nearest_to(const Machine& machine, std::size_t own, const std::vector<std::size_t>& with_memory) {
  const bool has_own = std::find(with_memory.begin(), with_memory.end(), own) != with_memory.end();
  IndexSet nearest;
  if (has_own) nearest.insert(machine.nodes[own].id);
  if (with_memory.empty() || (machine.distances.empty() && has_own)) return nearest;
  const auto distance = [&](std::size_t to) { return machine.distances.empty() ? 0 : machine.distances[own][to]; };
  const auto nearer = [&](std::size_t a, std::size_t b) { return distance(a) < distance(b); };
  const auto smallest = distance(*std::min_element(with_memory.begin(), with_memory.end(), nearer));
  for (const std::size_t node : with_memory)
    if (distance(node) == smallest) nearest.insert(machine.nodes[node].id);
  return nearest;
}

}  // namespace

std::map<unsigned, IndexSet> nearest_memory(const Machine& machine) {
  const std::vector<std::size_t> with_memory = nodes_with_memory(machine);
  std::map<unsigned, IndexSet> nearest;
  for (std::size_t i = 0; i < machine.nodes.size(); ++i) {
    if (machine.nodes[i].cpus.empty()) continue;
    const IndexSet own = nearest_to(machine, i, with_memory);
    for (const unsigned cpu : machine.nodes[i].cpus) nearest[cpu] = nearest[cpu] | own;
  }
  return nearest;
}

}  // namespace bindgate
