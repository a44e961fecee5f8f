#include "binding/ground.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace bindgate {

Ground::Ground(const Machine& described) : machine(described), cpus(described.allowed_cpus & described.online) {
  const auto has_memory = [](const Node& node) { return node.memory_bytes > 0; };
  // Descriptions without any memory just do not tell it.
  const bool told = std::any_of(machine.nodes.begin(), machine.nodes.end(), has_memory);
  for (Node node : machine.nodes) {
    node.cpus = node.cpus & cpus;
    if (machine.allowed_nodes.contains(node.id) && (!told || has_memory(node))) {
      all_memory_nodes.insert(node.id);
      if (node.kind != "gpu") memory_nodes.insert(node.id);
    }
    position_of_node_.emplace(node.id, nodes.size());
    nodes.push_back(std::move(node));
  }
  core_of_cpu_.assign(std::size_t{cpus.last().value_or(0)} + 1, machine.cores.size());
  for (std::size_t core = 0; core < machine.cores.size(); ++core)
    for (const unsigned cpu : machine.cores[core].cpus)
      if (cpu < core_of_cpu_.size()) core_of_cpu_[cpu] = core;
}

std::vector<IndexSet> Ground::by_core(const IndexSet& set) const {
  std::vector<IndexSet> cores;
  std::map<std::size_t, std::size_t> places;
  for (const unsigned cpu : set) {
    const std::size_t core = cpu < core_of_cpu_.size() ? core_of_cpu_[cpu] : machine.cores.size();
    const bool alone = core == machine.cores.size();
    const auto [place, is_new] = alone ? std::pair(places.end(), true) : places.emplace(core, cores.size());
    if (is_new)
      cores.push_back({cpu});
    else
      cores[place->second].insert(cpu);
  }
  return cores;
}

std::string_view Ground::kind_of(unsigned cpu) const {
  const std::size_t core = cpu < core_of_cpu_.size() ? core_of_cpu_[cpu] : machine.cores.size();
  return core < machine.cores.size() ? std::string_view(machine.cores[core].kind) : std::string_view();
}

const Node* Ground::node(unsigned id) const {
  const auto found = position_of_node_.find(id);
  return found == position_of_node_.end() ? nullptr : &nodes[found->second];
}

IndexSet Ground::nodes_of(const IndexSet& set) const {
  IndexSet ids;
  for (const Node& node : nodes)
    if (node.cpus.intersects(set)) ids.insert(node.id);
  return ids;
}

IndexSet Ground::nodes_with_cpus() const { return nodes_of(cpus); }

Result<unsigned> Ground::farthest(const IndexSet& from, const IndexSet& among) const {
  unsigned farthest = among.first().value();
  if (among.size() == 1) return farthest;
  if (machine.distances.empty())
    return fail("no distances between nodes are known here, so none of " + nodes_text(among) +
                " is known to be the farthest");
  std::uint64_t largest = 0;
  for (const unsigned id : among) {
    std::uint64_t distance = std::numeric_limits<std::uint64_t>::max();
    for (const unsigned near : from)
      distance = std::min(distance, machine.distances[position_of_node_.at(near)][position_of_node_.at(id)]);
    if (distance <= largest) continue;
    farthest = id;
    largest = distance;
  }
  return farthest;
}

std::map<std::string_view, std::size_t> Ground::cpus_by_kind(const IndexSet& set) const {
  std::map<std::string_view, std::size_t> counts;
  for (const unsigned cpu : set) ++counts[kind_of(cpu)];
  return counts;
}

// The first of the widest, and those that it stands for. By their first CPU and not by their ids: firmware may number
// nodes and packages in opposite ways, and in one round all variants of one node or package shall be at the same place.
std::vector<Choice> Ground::widest_alike(std::vector<Choice> all) const {
  std::stable_sort(all.begin(), all.end(),
                   [](const Choice& a, const Choice& b) { return a.cpus.first() < b.cpus.first(); });
  const auto narrower = [](const Choice& a, const Choice& b) { return a.cpus.size() < b.cpus.size(); };
  const auto widest = std::max_element(all.begin(), all.end(), narrower);
  std::vector<Choice> alike;
  if (widest == all.end() || widest->cpus.empty()) return alike;
  const auto kinds = cpus_by_kind(widest->cpus);
  for (const Choice& one : all)
    if (one.cpus.size() == widest->cpus.size() && cpus_by_kind(one.cpus) == kinds) alike.push_back(one);
  return alike;
}

std::vector<Choice> Ground::nodes_alike(bool with_memory) const {
  std::vector<Choice> all;
  for (const Node& node : nodes)
    if (!with_memory || memory_nodes.contains(node.id)) all.push_back({node.cpus, node.id});
  std::vector<Choice> alike = widest_alike(std::move(all));
  if (!with_memory && !alike.empty()) alike.resize(1);
  // Memory of another kind is another node.
  std::erase_if(alike, [&](const Choice& one) { return node(*one.node)->kind != node(*alike.front().node)->kind; });
  return alike;
}

std::vector<Choice> Ground::cores_alike() const {
  const std::vector<IndexSet> cores = by_core(cpus);
  const auto is_core = [this](const IndexSet& core) { return core_of_cpu_[*core.first()] < machine.cores.size(); };
  const auto is_fast = [this](const IndexSet& core) { return kind_of(*core.first()) == "performance"; };
  auto model = std::find_if(cores.begin(), cores.end(), is_fast);
  if (model == cores.end()) model = std::find_if(cores.begin(), cores.end(), is_core);
  if (model == cores.end()) model = cores.begin();
  std::vector<Choice> alike;
  for (const IndexSet& core : cores)
    if (kind_of(*core.first()) == kind_of(*model->first()) && is_core(core) == is_core(*model))
      alike.push_back({core, {}});
  return alike;
}

std::vector<Choice> Ground::spread_over_nodes(const std::vector<Choice>& all) const {
  std::map<unsigned, unsigned> node_of_cpu;
  for (const Node& node : nodes)
    for (const unsigned cpu : node.cpus) node_of_cpu.emplace(cpu, node.id);
  std::map<std::optional<unsigned>, unsigned> choices_of_node;
  std::vector<std::pair<unsigned, const Choice*>> ranked;
  for (const Choice& one : all) {
    const auto node = node_of_cpu.find(*one.cpus.first());
    const auto id = node == node_of_cpu.end() ? std::nullopt : std::optional(node->second);
    ranked.emplace_back(choices_of_node[id]++, &one);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Choice> spread;
  for (const auto& [rank, one] : ranked) spread.push_back(*one);
  return spread;
}

Result<std::vector<Choice>> Ground::choices(AnyOf open) const {
  if (cpus.empty()) return fail("no CPU is allowed");
  std::vector<Choice> all;
  switch (open) {
    case AnyOf::node: {
      std::vector<Choice> alike = nodes_alike(true);
      if (alike.empty()) alike = nodes_alike(false);
      if (alike.empty()) return fail("no allowed CPU belongs to a node");
      return alike;
    }
    case AnyOf::core: return spread_over_nodes(cores_alike());
    case AnyOf::package:
      for (const Package& package : machine.packages) all.push_back({package.cpus & cpus, {}});
      break;
    case AnyOf::l3:
      for (const L3Cache& cache : machine.l3) all.push_back({cache.cpus & cpus, {}});
      break;
  }
  const std::string what = open == AnyOf::l3 ? "L3 cache" : "package";
  if (all.empty()) return fail("this machine tells of no " + what);
  all = widest_alike(std::move(all));
  if (all.empty()) return fail("no allowed CPU belongs to any " + what);
  return spread_over_nodes(all);
}

std::string cpus_text(const IndexSet& cpus) { return (cpus.size() == 1 ? "CPU " : "CPUs ") + cpus.list(); }
std::string nodes_text(const IndexSet& nodes) { return (nodes.size() == 1 ? "node " : "nodes ") + nodes.list(); }

}  // namespace bindgate
