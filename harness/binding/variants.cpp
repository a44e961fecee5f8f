#include "binding/variants.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "core/names.hpp"

namespace bindgate {
namespace {

// What may be planned on: nothing offline or not allowed is left in here.
struct Ground {
  explicit Ground(const Machine& described);
  [[nodiscard]] const Node* widest_node(bool with_memory) const;
  [[nodiscard]] std::vector<const Node*> widest_nodes_with_memory() const;
  [[nodiscard]] std::optional<unsigned> farthest_memory(unsigned from) const;

  const Machine& machine;
  IndexSet cpus;
  std::vector<Node> nodes;    // all of them, with their usable CPUs
  IndexSet memory_nodes;      // allowed, with memory that is no GPU's
  IndexSet all_memory_nodes;  // and a GPU's, onto which the default policy may spill
};

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
    nodes.push_back(std::move(node));
  }
}

// The node with most usable CPUs, the lowest id on ties; nothing where no node has any.
const Node* Ground::widest_node(bool with_memory) const {
  const Node* widest = nullptr;
  for (const Node& node : nodes) {
    if (node.cpus.empty() || (with_memory && !memory_nodes.contains(node.id))) continue;
    if (!widest || node.cpus.size() > widest->cpus.size() ||
        (node.cpus.size() == widest->cpus.size() && node.id < widest->id))
      widest = &node;
  }
  return widest;
}

// The nodes that the widest one stands for: as many usable CPUs, cores and memory of the same kinds.
std::vector<const Node*> Ground::widest_nodes_with_memory() const {
  const auto cores_of = [this](const Node& node) {
    std::map<std::string, std::size_t> cpus_by_kind;
    for (const Core& core : machine.cores) cpus_by_kind[core.kind] += (core.cpus & node.cpus).size();
    return cpus_by_kind;
  };
  std::vector<const Node*> alike;
  const Node* widest = widest_node(true);
  if (!widest) return alike;
  for (const Node& node : nodes)
    if (node.cpus.size() == widest->cpus.size() && memory_nodes.contains(node.id) && node.kind == widest->kind &&
        cores_of(node) == cores_of(*widest))
      alike.push_back(&node);
  std::sort(alike.begin(), alike.end(), [](const Node* a, const Node* b) { return a->id < b->id; });
  return alike;
}

// The other memory node at the largest distance, the lowest id on ties; where no distance is told, all are equal.
std::optional<unsigned> Ground::farthest_memory(unsigned from) const {
  const auto position = [this](unsigned id) {
    const auto is_it = [id](const Node& node) { return node.id == id; };
    return static_cast<std::size_t>(std::find_if(nodes.begin(), nodes.end(), is_it) - nodes.begin());
  };
  std::optional<unsigned> farthest;
  std::uint64_t largest = 0;
  for (const unsigned id : memory_nodes - IndexSet{from}) {
    const std::uint64_t distance = machine.distances.empty() ? 0 : machine.distances[position(from)][position(id)];
    if (farthest && distance <= largest) continue;
    farthest = id;
    largest = distance;
  }
  return farthest;
}

Placement place(const Ground& ground, IndexSet cpus, Memory memory = {}) {
  Placement placement;
  const auto count = static_cast<double>(cpus.size());
  const double usable = std::min(count, ground.machine.quota_cpus.value_or(count));
  placement.threads = static_cast<unsigned>(std::max(1.0, std::floor(usable)));
  placement.cpus = std::move(cpus);
  // Equal placements are found by comparing, so what is equal is written in its simplest form.
  if (memory.nodes == ground.all_memory_nodes && memory.nodes.size() == 1) memory = {};
  if (memory.policy == MemoryPolicy::interleave && memory.nodes.size() == 1) memory.policy = MemoryPolicy::bind;
  placement.memory = std::move(memory);
  return placement;
}

// The placements that fulfil the wish alike, at least one, or why this machine has none.
using Plan = Result<std::vector<Placement>>;

Plan only(Placement placement) { return std::vector{std::move(placement)}; }

Plan plan_none(const Ground& ground) { return only(place(ground, ground.cpus)); }

// The CPUs of numactl wherever it has any, in every round: the two then differ in nothing but memory.
Plan plan_taskset(const Ground& ground) {
  std::vector<Placement> alike;
  for (const Node* node : ground.widest_nodes_with_memory()) alike.push_back(place(ground, node->cpus));
  if (!alike.empty()) return alike;
  const Node* node = ground.widest_node(false);
  if (!node) return fail("no allowed CPU belongs to a node");
  return only(place(ground, node->cpus));
}

// `memory_of`: from the node whose CPUs are taken to the node that memory is bound to.
template <class MemoryOf>
Plan plan_bound(const Ground& ground, MemoryOf memory_of) {
  std::vector<Placement> alike;
  for (const Node* node : ground.widest_nodes_with_memory())
    alike.push_back(place(ground, node->cpus, {MemoryPolicy::bind, {memory_of(node->id)}}));
  if (alike.empty()) return fail("no node has both an allowed CPU and allowed memory");
  return alike;
}

Plan plan_numactl(const Ground& ground) {
  return plan_bound(ground, [](unsigned node) { return node; });
}

Plan plan_remote(const Ground& ground) {
  if (ground.nodes.size() < 2) return fail("one node only");
  if (ground.memory_nodes.size() < 2)
    return fail("no second node has allowed memory (only node " + ground.memory_nodes.list() + ")");
  return plan_bound(ground, [&ground](unsigned node) { return *ground.farthest_memory(node); });
}

Plan plan_interleave(const Ground& ground) {
  if (ground.memory_nodes.empty()) return fail("no node has allowed memory");
  return only(place(ground, ground.cpus, {MemoryPolicy::interleave, ground.memory_nodes}));
}

Plan plan_one_per_core(const Ground& ground) {
  IndexSet first, in_cores;
  for (const Core& core : ground.machine.cores) {
    in_cores = in_cores | core.cpus;
    if (const auto cpu = (core.cpus & ground.cpus).first()) first.insert(*cpu);
  }
  return only(place(ground, first | (ground.cpus - in_cores)));
}

// One core of every node, then the next of every node: a few rounds see the whole machine.
Plan plan_one_core(const Ground& ground) {
  struct Choice {
    unsigned rank;  // of the core among its node's
    unsigned cpu;
  };
  std::vector<Choice> choices;
  std::map<std::optional<unsigned>, unsigned> cores_of_node;
  std::optional<std::string> kind;
  IndexSet in_cores;
  for (const Core& core : ground.machine.cores) {
    in_cores = in_cores | core.cpus;
    const auto cpu = (core.cpus & ground.cpus).first();
    if (!cpu || core.kind != kind.value_or(core.kind)) continue;
    kind = core.kind;
    choices.push_back({cores_of_node[core.nodes.first()]++, *cpu});
  }
  for (const unsigned cpu : ground.cpus - in_cores)
    if (!kind) choices.push_back({0, cpu});
  std::stable_sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) { return a.rank < b.rank; });
  std::vector<Placement> alike;
  for (const Choice& choice : choices) alike.push_back(place(ground, {choice.cpu}));
  return alike;
}

struct BuiltIn {
  const char* name;
  const char* meaning;
  Plan (*plan)(const Ground&);
  Profile profile = Profile::quick;  // the smallest that measures it unasked
};
constexpr std::array<BuiltIn, 7> built_in{{
    {"none", "all allowed CPUs, default memory policy", plan_none},
    {"taskset", "the CPUs of one node, default memory policy", plan_taskset},
    {"numactl", "the CPUs of one node, memory bound to that node", plan_numactl},
    {"remote", "the CPUs of one node, memory bound to the farthest node", plan_remote},
    {"interleave", "all allowed CPUs, memory interleaved over all allowed nodes", plan_interleave},
    {"one-per-core", "the first allowed CPU of every core, default memory policy", plan_one_per_core},
    {"one-core", "any one core: one CPU of it, default memory policy", plan_one_core, Profile::nightly},
}};
constexpr std::string_view cpu_list_prefix = "cpus:";

std::string cpus_text(const IndexSet& cpus) { return (cpus.size() == 1 ? "CPU " : "CPUs ") + cpus.list(); }

// Refused as a whole: a part of the list would be another placement than the one that was asked for.
Plan plan_cpu_list(const Ground& ground, std::string_view list) {
  const auto wanted = IndexSet::parse(list);
  if (!wanted) return tl::unexpected(wanted.error());
  const std::string here = "; allowed here: " + cpus_text(ground.cpus);
  if (wanted->empty()) return fail("names no CPU" + here);
  if (const IndexSet absent = *wanted - ground.machine.online; !absent.empty())
    return fail("no " + cpus_text(absent) + " online on this machine" + here);
  if (const IndexSet forbidden = *wanted - ground.cpus; !forbidden.empty())
    return fail(cpus_text(forbidden) + " not allowed for this process by its affinity or cpuset" + here);
  return only(place(ground, *wanted));
}

// Errors: what is wrong with the name itself. A placement that this machine lacks is no error.
Result<PlannedVariant> plan_variant(const Ground& ground, const std::string& name) {
  PlannedVariant variant;
  variant.name = name;
  if (name.starts_with(cpu_list_prefix)) {
    auto placement = plan_cpu_list(ground, std::string_view(name).substr(cpu_list_prefix.size()));
    if (!placement) return fail("variant '" + name + "'", placement.error());
    variant.placement = placement->front();
    return variant;
  }
  const auto is_named = [&name](const BuiltIn& one) { return one.name == name; };
  const auto found = std::find_if(built_in.begin(), built_in.end(), is_named);
  if (found == built_in.end()) {
    std::vector<std::string> names;
    for (const VariantHelp& help : known_variants()) names.push_back(help.name);
    return fail("variant '" + name + "' is unknown" + suggest(name, names));
  }
  auto placements = found->plan(ground);
  if (placements) {
    variant.placement = placements->front();
    if (placements->size() > 1) variant.alternatives = *std::move(placements);
  } else {
    variant.status = VariantStatus::skipped;
    variant.reason = placements.error().message;
  }
  return variant;
}

}  // namespace

std::vector<VariantHelp> known_variants() {
  std::vector<VariantHelp> known;
  for (const BuiltIn& one : built_in) known.push_back({one.name, one.meaning});
  known.push_back({std::string(cpu_list_prefix) + "LIST", "exactly these CPUs (as cpus:0-3,8), default memory policy"});
  return known;
}

std::vector<std::string> default_variants(Profile profile) {
  std::vector<std::string> names;
  for (const BuiltIn& one : built_in)
    if (one.profile <= profile) names.emplace_back(one.name);
  return names;
}

Result<std::vector<PlannedVariant>> plan_variants(const Machine& machine, std::span<const std::string> names,
                                                  const std::string& base) {
  const Ground ground(machine);
  if (ground.cpus.empty()) return fail(machine.source + ": no CPU is allowed there; nothing can be planned");
  std::vector<std::string> wanted(names.begin(), names.end());
  if (wanted.empty())
    for (const BuiltIn& one : built_in) wanted.emplace_back(one.name);
  // First, so that equal placements are measured as the base: it has the twin, and all others are compared with it.
  if (const auto place = std::find(wanted.begin(), wanted.end(), base); place == wanted.end())
    wanted.insert(wanted.begin(), base);
  else
    std::rotate(wanted.begin(), place, place + 1);

  std::vector<PlannedVariant> planned;
  for (const std::string& name : wanted) {
    const auto is_named = [&name](const PlannedVariant& earlier) { return earlier.name == name; };
    if (std::any_of(planned.begin(), planned.end(), is_named))
      return fail("variant '" + name + "' is named twice; name each once");
    auto variant = plan_variant(ground, name);
    if (!variant) return tl::unexpected(variant.error());
    if (name == base && variant->status == VariantStatus::skipped)
      return fail("variant '" + name + "' cannot be the base here: " + variant->reason + "; choose another");
    for (const PlannedVariant& earlier : planned)
      if (variant->status == VariantStatus::ok && earlier.status == VariantStatus::ok && earlier.same_as.empty() &&
          earlier.placement == variant->placement && earlier.alternatives == variant->alternatives)
        variant->same_as = earlier.name;
    planned.push_back(*std::move(variant));
  }
  return planned;
}

}  // namespace bindgate
