// What must be true of every plan on every machine.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "binding/random_machines.hpp"
#include "binding/variants.hpp"

namespace bindgate {
namespace {

using tests::RandomMachines;
using tests::usable_cpus_of;
using tests::words_for;

std::uint64_t distance(const Machine& machine, unsigned from, unsigned to) {
  const auto position = [&machine](unsigned id) {
    std::size_t i = 0;
    while (machine.nodes[i].id != id) ++i;
    return i;
  };
  return machine.distances.empty() ? 0 : machine.distances[position(from)][position(to)];
}

IndexSet usable_memory(const Machine& machine) {
  const bool told =
      std::any_of(machine.nodes.begin(), machine.nodes.end(), [](const Node& node) { return node.memory_bytes > 0; });
  IndexSet nodes;
  for (const Node& node : machine.nodes)
    if (machine.allowed_nodes.contains(node.id) && (node.memory_bytes > 0 || !told) && node.kind != "gpu")
      nodes.insert(node.id);
  return nodes;
}

void expect_inside_what_is_allowed(const Machine& machine, const Placement& placement) {
  EXPECT_FALSE(placement.cpus.empty());
  EXPECT_TRUE(usable_cpus_of(machine).contains(placement.cpus));
  EXPECT_TRUE(usable_memory(machine).contains(placement.memory.nodes));
  EXPECT_EQ(placement.memory.nodes.empty(), placement.memory.policy == MemoryPolicy::default_policy);
  EXPECT_TRUE(placement.workers.empty());
}

void expect_threads(const Machine& machine, const Placement& placement, unsigned per_cpu) {
  const double cpus = static_cast<double>(placement.cpus.size());
  const double most = std::max(1.0, std::min(cpus, machine.quota_cpus.value_or(cpus)));
  EXPECT_EQ(placement.threads, static_cast<unsigned>(most) * per_cpu);
}

void expect_one_cpu_of_every_core(const Machine& machine, const Placement& placement) {
  for (const Core& core : machine.cores) {
    const IndexSet usable = core.cpus & usable_cpus_of(machine);
    EXPECT_EQ((placement.cpus & core.cpus).first(), usable.first());
    EXPECT_LE((placement.cpus & core.cpus).size(), 1u);
  }
}

// As many CPUs as there are cores, on no more cores than those with most threads have room for.
void expect_packed(const Machine& machine, const Placement& placement) {
  std::vector<std::size_t> sizes;
  std::size_t taken = 0;
  for (const Core& core : machine.cores) {
    if (const std::size_t size = (core.cpus & usable_cpus_of(machine)).size(); size > 0) sizes.push_back(size);
    if (placement.cpus.intersects(core.cpus)) ++taken;
  }
  EXPECT_EQ(placement.cpus.size(), sizes.size());
  std::sort(sizes.rbegin(), sizes.rend());
  std::size_t fewest = 0, room = 0;
  while (room < sizes.size()) room += sizes[fewest++];
  EXPECT_EQ(taken, fewest);
}

// `wholes`: the caches or packages, of which the variant takes one of the widest.
template <class Whole>
void expect_one_whole(const Machine& machine, const std::vector<Whole>& wholes, const Placement& placement) {
  bool is_one = false;
  for (const Whole& whole : wholes) {
    const IndexSet usable = whole.cpus & usable_cpus_of(machine);
    is_one = is_one || usable == placement.cpus;
    EXPECT_GE(placement.cpus.size(), usable.size());
  }
  EXPECT_TRUE(is_one);
}

bool has_home(const Machine& machine) {
  const IndexSet usable = usable_cpus_of(machine), memory = usable_memory(machine);
  return std::any_of(machine.nodes.begin(), machine.nodes.end(), [&](const Node& node) {
    return memory.contains(node.id) && node.cpus.intersects(usable);
  });
}

std::size_t fast_cpus(const Machine& machine, const IndexSet& cpus) {
  std::size_t count = 0;
  for (const Core& core : machine.cores)
    if (core.kind == "performance") count += (core.cpus & cpus).size();
  return count;
}

// Whoever takes one node takes turns at all that are like it, and at no other.
void expect_all_nodes_alike(const Machine& machine, const PlannedVariant& variant) {
  std::set<std::string> taken, alike;
  std::string kind;
  for (const Node& node : machine.nodes)
    if ((node.cpus & usable_cpus_of(machine)) == variant.placement.cpus) kind = node.kind;
  for (const Node& node : machine.nodes) {
    const IndexSet cpus = node.cpus & usable_cpus_of(machine);
    if (usable_memory(machine).contains(node.id) && node.kind == kind && cpus.size() == variant.placement.cpus.size() &&
        fast_cpus(machine, cpus) == fast_cpus(machine, variant.placement.cpus))
      alike.insert(cpus.list());
  }
  taken.insert(variant.placement.cpus.list());
  for (const Placement& other : variant.alternatives) taken.insert(other.cpus.list());
  EXPECT_EQ(taken, alike);
}

void expect_one_node(const Machine& machine, const std::string& name, const Placement& placement) {
  const IndexSet usable = usable_cpus_of(machine), memory = usable_memory(machine);
  std::optional<unsigned> home;
  for (const Node& node : machine.nodes) {
    // taskset takes any node only where none has both.
    const bool candidate = !has_home(machine) || memory.contains(node.id);
    if (!home && candidate && (node.cpus & usable) == placement.cpus) home = node.id;
    EXPECT_TRUE(!candidate || placement.cpus.size() >= (node.cpus & usable).size());
  }
  ASSERT_TRUE(home);
  const bool is_at_home = name == "numactl" || name == "preferred" || name.starts_with("ranks-together");
  EXPECT_TRUE(!is_at_home || IndexSet{*home}.contains(placement.memory.nodes));
  if (name != "remote") return;
  ASSERT_EQ(placement.memory.nodes.size(), 1u);
  const unsigned chosen = *placement.memory.nodes.first();
  EXPECT_NE(chosen, *home);
  EXPECT_TRUE(!machine.distances.empty() || (memory - IndexSet{*home}).size() == 1) << "guessed";
  for (const unsigned other : memory - IndexSet{*home})
    EXPECT_GE(distance(machine, *home, chosen), distance(machine, *home, other));
}

// each-node:N and matrix:N,M.
void expect_named_nodes(const Machine& machine, const std::string& name, const Placement& placement) {
  const auto ids = IndexSet::parse(name.substr(name.find(':') + 1));
  ASSERT_TRUE(ids);
  const unsigned from = static_cast<unsigned>(std::stoul(name.substr(name.find(':') + 1)));
  for (const Node& node : machine.nodes) {
    if (node.id != from) continue;
    EXPECT_EQ(placement.cpus, node.cpus & usable_cpus_of(machine));
  }
  EXPECT_TRUE(ids->contains(placement.memory.nodes));
}

void expect_whole_cores(const Machine& machine, const Placement& placement) {
  for (const Core& core : machine.cores) {
    const IndexSet usable = core.cpus & usable_cpus_of(machine);
    EXPECT_TRUE(!placement.cpus.intersects(usable) || placement.cpus.contains(usable));
  }
}

void expect_one_core(const Machine& machine, const Placement& placement) {
  EXPECT_EQ(placement.cpus.size(), 1u);
  EXPECT_TRUE(fast_cpus(machine, usable_cpus_of(machine)) == 0 || fast_cpus(machine, placement.cpus) == 1);
}

void expect_meaning(const Machine& machine, const std::string& name, const Placement& placement) {
  const std::string family = name.substr(0, name.find(':'));
  if (name == "one-per-core")
    expect_one_cpu_of_every_core(machine, placement);
  else if (name == "one-core")
    expect_one_core(machine, placement);
  else if (name == "smt")
    expect_packed(machine, placement);
  else if (name == "l3")
    expect_one_whole(machine, machine.l3, placement);
  else if (name == "package")
    expect_one_whole(machine, machine.packages, placement);
  else if (family == "each-node" || family == "matrix")
    expect_named_nodes(machine, name, placement);
  else if (name == "even-cpus")
    for (const unsigned cpu : usable_cpus_of(machine)) EXPECT_EQ(placement.cpus.contains(cpu), cpu % 2 == 0);
  else if (name == "performance-cores")
    for (const Core& core : machine.cores)
      EXPECT_TRUE(core.kind == "performance" || !core.cpus.intersects(placement.cpus));
  else if (family == "device" || family == "away-from")
    EXPECT_NE(placement.memory.policy == MemoryPolicy::default_policy, placement.memory.nodes.size() == 1);
  else if (std::set<std::string>{"taskset", "numactl", "remote", "interleave-node", "preferred", "ranks-together"}
               .contains(family))
    expect_one_node(machine, name, placement);
  else if (family == "ranks-apart")
    expect_whole_cores(machine, placement);
  else
    EXPECT_EQ(placement.cpus, usable_cpus_of(machine));
  expect_threads(machine, placement, name == "oversubscribed" ? 2 : 1);
}

void expect_sound(const Machine& machine, const std::vector<PlannedVariant>& plan) {
  static const std::set<std::string> always{"none", "one-per-core", "one-core",  "smt",
                                            "omp-close", "omp-spread",   "oversubscribed"};
  for (const PlannedVariant& variant : plan) {
    SCOPED_TRACE(variant.name);
    if (variant.status == VariantStatus::skipped) {
      EXPECT_NE(variant.reason, "");
      EXPECT_FALSE(always.contains(variant.name)) << variant.reason;
      continue;
    }
    for (const Placement& one :
         variant.alternatives.empty() ? std::vector{variant.placement} : variant.alternatives) {
      expect_inside_what_is_allowed(machine, one);
      EXPECT_EQ(one.cpus.size(), variant.placement.cpus.size());
      expect_meaning(machine, variant.name, one);
    }
    if (!variant.alternatives.empty()) {
      EXPECT_GE(variant.alternatives.size(), 2u);
      EXPECT_EQ(variant.alternatives.front(), variant.placement);
    }
    if (variant.name == "numactl" || (variant.name == "taskset" && has_home(machine)))
      expect_all_nodes_alike(machine, variant);
  }
}

// Ranks that work apart share out all CPUs; a rank is never planned without its fellow.
void expect_ranks_share_out(const Machine& machine, const std::vector<PlannedVariant>& plan) {
  std::map<std::string, std::vector<const PlannedVariant*>> groups;
  for (const PlannedVariant& variant : plan)
    if (!variant.group.empty()) groups[variant.group].push_back(&variant);
  for (const auto& [name, ranks] : groups) {
    ASSERT_EQ(ranks.size(), 2u);
    ASSERT_EQ(ranks[0]->status, ranks[1]->status) << name;
    if (name != "ranks-apart" || ranks[0]->status == VariantStatus::skipped) continue;
    EXPECT_FALSE(ranks[0]->placement.cpus.intersects(ranks[1]->placement.cpus));
    EXPECT_EQ(ranks[0]->placement.cpus | ranks[1]->placement.cpus, usable_cpus_of(machine));
  }
}

void expect_equals_found(const std::vector<PlannedVariant>& plan) {
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (plan[i].status == VariantStatus::skipped) continue;
    if (!plan[i].group.empty()) {
      EXPECT_EQ(plan[i].same_as, "") << plan[i].name << " works beside another";
      continue;
    }
    std::string first;
    for (std::size_t j = 0; j < i && first.empty(); ++j)
      if (plan[j].status != VariantStatus::skipped && plan[j].group.empty() && plan[j].placement == plan[i].placement &&
          plan[j].alternatives == plan[i].alternatives)
        first = plan[j].name;
    EXPECT_EQ(plan[i].same_as, first) << plan[i].name;
  }
}

// As many without assertions and sanitizers as a fifth of them takes with.
#ifdef NDEBUG
constexpr unsigned machines_made = 10'000;
#else
constexpr unsigned machines_made = 2'000;
#endif

TEST(RandomMachines, AreAllPlannedSoundly) {
  RandomMachines machines;
  const Catalogue catalogue;
  std::vector<std::string> names = catalogue.defaults(Profile::thorough);
  names.insert(names.end(), {"device", "away-from"});
  std::vector<std::string> with_more = names;  // the matrix has as many variants as the rest together
  with_more.insert(with_more.end(), {"matrix", "ranks-together", "ranks-apart"});
  std::map<std::string, unsigned> planned;
  for (unsigned i = 0; i < machines_made; ++i) {
    const Machine machine = machines.next();
    SCOPED_TRACE(words_for(machine, i));
    const auto plan = plan_variants(catalogue, machine, i % 10 == 0 ? with_more : names);
    ASSERT_TRUE(plan) << plan.error().message;
    expect_sound(machine, *plan);
    expect_ranks_share_out(machine, *plan);
    expect_equals_found(*plan);
    for (const PlannedVariant& variant : *plan)
      if (variant.status == VariantStatus::ok) ++planned[variant.name.substr(0, variant.name.find(':'))];
    if (testing::Test::HasFailure()) return;
  }
  for (const std::string& name : with_more)
    EXPECT_GT(planned[name], machines_made / 25) << name << ": too rare to test much";
}

}  // namespace
}  // namespace bindgate
