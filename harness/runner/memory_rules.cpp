#include "runner/memory_rules.hpp"

#include "core/units.hpp"

namespace bindgate {
namespace {

// Where a placement's memory may come to lie: CPUs of a node without memory take it elsewhere.
IndexSet home_nodes(const Placement& placement, std::span<const Node> nodes) {
  if (!placement.memory.nodes.empty()) return placement.memory.nodes;
  IndexSet home, with_memory;
  for (const Node& node : nodes) {
    if (node.memory_bytes == 0) continue;
    with_memory.insert(node.id);
    if (node.cpus.intersects(placement.cpus)) home.insert(node.id);
  }
  return home.empty() ? with_memory : home;
}

std::string refusal(std::size_t launches, double bytes, const std::string& of, const std::string& free) {
  return "the working sets of " + std::to_string(launches) + " launches need " + format_bytes(bytes) + of +
         ", more than half of the " + free;
}

}  // namespace

std::string why_too_large(std::span<const MemoryClaim> claims, std::span<const Node> nodes, const FreeMemory& free) {
  std::map<unsigned, double> claimed;
  double all = 0;
  for (const MemoryClaim& claim : claims) {
    const auto bytes = static_cast<double>(claim.bytes);
    const IndexSet home = home_nodes(*claim.placement, nodes);
    for (const unsigned node : home) claimed[node] += bytes / static_cast<double>(home.size());
    all += bytes;
  }
  for (const auto& [node, bytes] : claimed)
    if (const auto there = free.of_node.find(node);
        there != free.of_node.end() && bytes > 0.5 * static_cast<double>(there->second))
      return refusal(claims.size(), bytes, " of node " + std::to_string(node),
                     format_bytes(there->second) + " that are free there; use a machine with more memory");
  if (free.of_group && all > 0.5 * static_cast<double>(*free.of_group))
    return refusal(claims.size(), all, "",
                   format_bytes(*free.of_group) + " that the control group's limit leaves; raise it (memory.max)");
  return "";
}

std::vector<std::size_t> fitting(std::vector<MemoryClaim> open, std::span<const JointClaim> candidates,
                                 std::span<const Node> nodes, const FreeMemory& free) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::size_t before = open.size();
    open.insert(open.end(), candidates[i].begin(), candidates[i].end());
    if (why_too_large(open, nodes, free).empty())
      places.push_back(i);
    else
      open.resize(before);
  }
  return places;
}

}  // namespace bindgate
