#include <algorithm>

#include "binding/expression.hpp"
#include "core/names.hpp"

namespace bindgate {
namespace {

// The CPUs of the things with these ids, of a machine's list of them.
template <class Thing>
Result<IndexSet> cpus_of(const std::vector<Thing>& things, const IndexSet& ids, const std::string& what) {
  IndexSet absent = ids, cpus;
  for (const Thing& thing : things) {
    if (!ids.contains(thing.id)) continue;
    absent = absent - IndexSet{thing.id};
    cpus = cpus | thing.cpus;
  }
  if (absent.empty()) return cpus;
  IndexSet known;
  for (const Thing& thing : things) known.insert(thing.id);
  return fail("no " + what + ' ' + absent.list() + " on this machine" +
              (known.empty() ? ", which tells of none" : "; it has " + known.list()));
}

Result<IndexSet> cpus_of_die(const Machine& machine, unsigned package, unsigned id) {
  std::vector<std::string> known;
  for (const Die& die : machine.dies) {
    if (die.package == package && die.id == id) return die.cpus;
    known.push_back((die.package ? std::to_string(*die.package) : "?") + '.' + std::to_string(die.id));
  }
  return fail("no die " + std::to_string(package) + '.' + std::to_string(id) + " on this machine" +
              (known.empty() ? ", where each package is one" : "; it has " + joined(known)));
}

// GPUs and network devices first: nobody binds to a bridge.
std::string known_devices(const std::vector<Device>& devices) {
  constexpr std::size_t most = 8;
  std::vector<std::string> named;
  for (const bool wanted : {true, false})
    for (const Device& device : devices)
      if ((device.kind != "other") == wanted)
        named.push_back(device.pci + " (" + device.kind + ", node " +
                        (device.node ? std::to_string(*device.node) : "not told") + ')');
  if (named.empty()) return "; none is known here";
  const std::size_t more = named.size() > most ? named.size() - most : 0;
  named.resize(named.size() - more);
  return "; known: " + joined(named) + (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

Result<IndexSet> cpus_of_device(const Ground& ground, const std::string& address) {
  const auto& devices = ground.machine.devices;
  const auto is_it = [&](const Device& device) { return device.pci == address; };
  const auto found = std::find_if(devices.begin(), devices.end(), is_it);
  if (found == devices.end()) return fail("no device " + address + " on this machine" + known_devices(devices));
  if (!found->node)
    return fail("the machine does not tell which node device " + address +
                " is at (numa_node is -1, or contradicted by a finding of bindgate topology)" + known_devices(devices));
  const Node* node = ground.node(*found->node);
  if (!node || node->cpus.empty())
    return fail("node " + std::to_string(*found->node) + ", at which device " + address + " is, has no allowed CPU");
  return node->cpus;
}

Result<IndexSet> cpus_of_kind(const Ground& ground, const std::string& kind) {
  IndexSet cpus;
  bool told = false;
  for (const unsigned cpu : ground.cpus) {
    told = told || !ground.kind_of(cpu).empty();
    if (ground.kind_of(cpu) == kind) cpus.insert(cpu);
  }
  if (!told) return fail("this machine tells of no kinds of cores");
  return cpus;
}

// As many CPUs as there are cores: whole cores, those with most threads first, then by their lowest CPU; what is left
// over comes from the next.
IndexSet packed(std::vector<IndexSet> cores) {
  std::size_t wanted = cores.size();
  std::stable_sort(cores.begin(), cores.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  IndexSet cpus;
  for (const IndexSet& core : cores)
    for (const unsigned cpu : core)
      if (wanted > 0) cpus.insert(cpu), --wanted;
  return cpus;
}

// One of so many equal shares of whole cores, node after node; the first shares get what is left over.
IndexSet share_of(const IndexSet& set, std::size_t which, std::size_t count, const Ground& ground) {
  std::vector<std::pair<unsigned, IndexSet>> cores;
  for (IndexSet& core : ground.by_core(set)) {
    const unsigned node = ground.nodes_of({*core.first()}).first().value_or(0);
    cores.emplace_back(node, std::move(core));
  }
  std::stable_sort(cores.begin(), cores.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const std::size_t even = cores.size() / count, left = cores.size() % count;
  const std::size_t first = which * even + std::min(which, left), end = first + even + (which < left ? 1 : 0);
  IndexSet cpus;
  for (std::size_t i = first; i < end; ++i) cpus = cpus | cores[i].second;
  return cpus;
}

}  // namespace

Result<IndexSet> usable_cpus(const Ground& ground, const IndexSet& list) {
  const std::string here = "; allowed here: " + cpus_text(ground.cpus);
  if (list.empty()) return fail("names no CPU" + here);
  if (const IndexSet absent = list - ground.machine.online; !absent.empty())
    return fail("no " + cpus_text(absent) + " online on this machine" + here);
  if (const IndexSet forbidden = list - ground.cpus; !forbidden.empty())
    return fail(cpus_text(forbidden) + " not allowed for this process by its affinity or cpuset" + here);
  return list;
}

std::optional<AnyOf> Expression::open() const {
  if (kind_ == Kind::any) return any_;
  for (const Expression& part : parts_)
    if (const auto open = part.open()) return open;
  return std::nullopt;
}

bool Expression::names_device() const {
  return kind_ == Kind::device ||
         std::any_of(parts_.begin(), parts_.end(), [](const Expression& part) { return part.names_device(); });
}

Result<IndexSet> Expression::atom(const Ground& ground, const Choice* chosen) const {
  const Machine& machine = ground.machine;
  switch (kind_) {
    case Kind::node: return cpus_of(ground.nodes, ids_, "node");
    case Kind::package: return cpus_of(machine.packages, ids_, "package");
    case Kind::l3: return cpus_of(machine.l3, ids_, "L3 cache");
    case Kind::cluster: return cpus_of(machine.clusters, ids_, "cluster");
    case Kind::die: return cpus_of_die(machine, package_, *ids_.first());
    case Kind::cpus: return usable_cpus(ground, ids_);
    case Kind::device: return cpus_of_device(ground, word_);
    case Kind::core_kind: return cpus_of_kind(ground, word_);
    case Kind::isolated:
      if (!machine.isolated) return fail("which CPUs are isolated (isolcpus=) is not told of this machine");
      if (machine.isolated->empty()) return fail("no CPU is isolated on this machine (isolcpus=)");
      return *machine.isolated;
    case Kind::any: return chosen ? chosen->cpus : ground.cpus;
    default: return ground.cpus;
  }
}

Result<IndexSet> Expression::function_of(const IndexSet& set, const Ground& ground) const {
  IndexSet cpus;
  switch (kind_) {
    case Kind::packed: return packed(ground.by_core(set));
    case Kind::share: return share_of(set, share_, shares_, ground);
    case Kind::even:
      for (const unsigned cpu : set)
        if (cpu % 2 == 0) cpus.insert(cpu);
      return cpus;
    case Kind::near:
      for (const unsigned id : ground.nodes_of(set)) cpus = cpus | ground.node(id)->cpus;
      return cpus;
    case Kind::far: {
      const IndexSet from = ground.nodes_of(set);
      if (from.empty()) return fail("no node is far from CPUs that belong to none");
      const IndexSet others = ground.nodes_with_cpus() - from;
      if (others.empty()) return fail("no other node has an allowed CPU");
      const auto farthest = ground.farthest(from, others);
      if (!farthest) return tl::unexpected(farthest.error());
      return ground.node(*farthest)->cpus;
    }
    default: break;  // cores and siblings
  }
  for (const IndexSet& core : ground.by_core(set)) cpus.insert(*core.first());
  return kind_ == Kind::siblings ? set - cpus : cpus;
}

Result<IndexSet> Expression::evaluate(const Ground& ground, const Choice* chosen) const {
  if (parts_.empty()) {
    auto set = atom(ground, chosen);
    if (!set) return set;
    return *set & ground.cpus;
  }
  const auto left = parts_.front().evaluate(ground, chosen);
  if (!left) return left;
  if (parts_.size() == 1) return function_of(*left, ground);
  const auto right = parts_.back().evaluate(ground, chosen);
  if (!right) return right;
  return kind_ == Kind::both ? *left & *right : kind_ == Kind::either ? *left | *right : *left - *right;
}

}  // namespace bindgate
