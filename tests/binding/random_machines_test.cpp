// What must be true of every plan on every machine, over machines made at random from a fixed seed: hwloc
// builds the tree, then CPUs go offline or out of reach, nodes lose memory, distances are drawn.

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>

#include "binding/variants.hpp"

namespace bindgate {
namespace {

class RandomMachines {
 public:
  Machine next() {
    std::string description = "synthetic:package:" + number(1, 4) + " ";
    // A node above or below the L3 cache, or none below the package at all.
    if (chance(2)) description += "numa:" + number(1, 3) + " ";
    if (chance(2)) description += "l3:" + number(1, 2) + " ";
    description += "core:" + number(1, 4) + " pu:" + number(1, 4);
    auto read = read_machine(description, false);
    EXPECT_TRUE(read) << read.error().message;
    Machine machine = *std::move(read);
    machine.online = part_of(machine.online);
    machine.allowed_cpus = part_of(machine.online);
    IndexSet nodes;
    for (Node& node : machine.nodes) {
      nodes.insert(node.id);
      if (chance(5)) node.memory_bytes = 0;
      if (chance(5)) node.cpus = {};
      if (chance(6)) node.kind = "gpu";
    }
    machine.allowed_nodes = part_of(nodes);
    machine.distances.clear();
    if (chance(2))
      for (std::size_t i = 0; i < machine.nodes.size(); ++i)
        for (std::size_t j = 0; j < machine.nodes.size(); ++j) {
          if (j == 0) machine.distances.emplace_back();
          machine.distances.back().push_back(i == j ? 10 : 10 + draw(1, 4) * 5);
        }
    if (chance(4)) machine.quota_cpus = draw(1, 12) * 0.4;
    return machine;
  }

 private:
  unsigned draw(unsigned low, unsigned high) { return low + static_cast<unsigned>(random_() % (high - low + 1)); }
  bool chance(unsigned one_in) { return draw(1, one_in) == 1; }
  std::string number(unsigned low, unsigned high) { return std::to_string(draw(low, high)); }

  IndexSet part_of(const IndexSet& set) {
    if (chance(2)) return set;
    IndexSet part;
    for (const unsigned id : set)
      if (!chance(3)) part.insert(id);
    return part.empty() ? set : part;
  }

  std::mt19937 random_{20240229};
};

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
  EXPECT_TRUE((machine.allowed_cpus & machine.online).contains(placement.cpus));
  EXPECT_TRUE(usable_memory(machine).contains(placement.memory.nodes));
  EXPECT_EQ(placement.memory.nodes.empty(), placement.memory.policy == MemoryPolicy::default_policy);
  EXPECT_GE(placement.threads, 1u);
  EXPECT_LE(placement.threads, placement.cpus.size());
  EXPECT_LE(placement.threads, std::max(1.0, machine.quota_cpus.value_or(1e6)));
}

void expect_one_cpu_of_every_core(const Machine& machine, const Placement& placement) {
  for (const Core& core : machine.cores) {
    const IndexSet usable = core.cpus & machine.allowed_cpus & machine.online;
    EXPECT_EQ((placement.cpus & core.cpus).first(), usable.first());
    EXPECT_LE((placement.cpus & core.cpus).size(), 1u);
  }
}

void expect_one_node(const Machine& machine, const PlannedVariant& variant) {
  const IndexSet usable = machine.allowed_cpus & machine.online, memory = usable_memory(machine);
  // taskset takes any node only where none has both CPUs and memory.
  const bool has_home = std::any_of(machine.nodes.begin(), machine.nodes.end(), [&](const Node& node) {
    return memory.contains(node.id) && node.cpus.intersects(usable);
  });
  std::optional<unsigned> home;
  for (const Node& node : machine.nodes) {
    const bool candidate = !has_home || memory.contains(node.id);
    if (!home && candidate && (node.cpus & usable) == variant.placement.cpus) home = node.id;
    EXPECT_TRUE(!candidate || variant.placement.cpus.size() >= (node.cpus & usable).size());
  }
  ASSERT_TRUE(home);
  if (variant.name != "remote") return;
  ASSERT_EQ(variant.placement.memory.nodes.size(), 1u);
  const unsigned chosen = *variant.placement.memory.nodes.first();
  EXPECT_NE(chosen, *home);
  for (const unsigned other : memory - IndexSet{*home})
    EXPECT_GE(distance(machine, *home, chosen), distance(machine, *home, other));
}

void expect_sound(const Machine& machine, const std::vector<PlannedVariant>& plan) {
  for (const PlannedVariant& variant : plan) {
    SCOPED_TRACE(variant.name);
    if (variant.status == VariantStatus::skipped) {
      EXPECT_NE(variant.reason, "");
      EXPECT_TRUE(variant.name != "none" && !variant.name.starts_with("one-"));
      continue;
    }
    expect_inside_what_is_allowed(machine, variant.placement);
    for (const Placement& other : variant.alternatives) expect_inside_what_is_allowed(machine, other);
    if (!variant.alternatives.empty()) {
      EXPECT_GE(variant.alternatives.size(), 2u);
      EXPECT_EQ(variant.alternatives.front(), variant.placement);
    }
    if (variant.name == "one-per-core")
      expect_one_cpu_of_every_core(machine, variant.placement);
    else if (variant.name == "one-core")
      EXPECT_EQ(variant.placement.cpus.size(), 1u);
    else if (variant.name == "none" || variant.name == "interleave")
      EXPECT_EQ(variant.placement.cpus, machine.allowed_cpus & machine.online);
    else
      expect_one_node(machine, variant);
  }
}

void expect_equals_found(const std::vector<PlannedVariant>& plan) {
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (plan[i].status == VariantStatus::skipped) continue;
    std::string first;
    for (std::size_t j = 0; j < i && first.empty(); ++j)
      if (plan[j].status != VariantStatus::skipped && plan[j].placement == plan[i].placement &&
          plan[j].alternatives == plan[i].alternatives)
        first = plan[j].name;
    EXPECT_EQ(plan[i].same_as, first) << plan[i].name;
  }
}

TEST(RandomMachines, AreAllPlannedSoundly) {
  RandomMachines machines;
  unsigned remote = 0;
  for (int i = 0; i < 300; ++i) {
    const Machine machine = machines.next();
    SCOPED_TRACE(std::to_string(i) + ": " + machine.source + " allowed " + machine.allowed_cpus.list() + " nodes " +
                 machine.allowed_nodes.list());
    const auto plan = plan_variants(machine, {});
    ASSERT_TRUE(plan) << plan.error().message;
    expect_sound(machine, *plan);
    expect_equals_found(*plan);
    for (const PlannedVariant& variant : *plan)
      if (variant.name == "remote" && variant.status == VariantStatus::ok) ++remote;
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(remote, 50u) << "too few of the machines have a second node: they test little";
}

}  // namespace
}  // namespace bindgate
