// What must be true of every plan on every machine, over machines made at random from a fixed seed: hwloc
// builds a tree, of which many machines are made: CPUs go offline or out of reach, nodes lose memory, distances,
// kinds of cores and devices are drawn. And of every expression, over trees of them.

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <set>

#include "binding/expression.hpp"
#include "binding/variants.hpp"

namespace bindgate {
namespace {

class Random {
 public:
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

 private:
  std::mt19937 random_{20240229};
};

class RandomMachines {
 public:
  Machine next() {
    if (made_++ % machines_of_a_tree == 0) tree_ = new_tree();
    Machine machine = tree_;
    machine.online = random_.part_of(machine.online);
    machine.allowed_cpus = random_.part_of(machine.online);
    IndexSet nodes;
    for (Node& node : machine.nodes) {
      nodes.insert(node.id);
      if (random_.chance(5)) node.memory_bytes = 0;
      if (random_.chance(5)) node.cpus = {};
      if (random_.chance(6)) node.kind = "gpu";
    }
    machine.allowed_nodes = random_.part_of(nodes);
    draw_distances(machine);
    if (random_.chance(4)) machine.quota_cpus = random_.draw(1, 12) * 0.4;
    if (random_.chance(4))
      for (Core& core : machine.cores) core.kind = random_.chance(2) ? "performance" : "efficiency";
    for (unsigned i = random_.draw(0, 2); i > 0; --i)
      machine.devices.push_back({"0000:0" + std::to_string(i) + ":00.0", random_.chance(3) ? "other" : "gpu", "",
                                 random_.chance(4) ? std::nullopt : std::optional(random_.draw(0, 6))});
    if (random_.chance(4)) machine.isolated = random_.part_of(machine.online);
    return machine;
  }
  Random& random() { return random_; }

 private:
  static constexpr unsigned machines_of_a_tree = 40;

  Machine new_tree() {
    std::string description = "synthetic:package:" + random_.number(1, 4) + " ";
    // A node above or below the L3 cache, or none below the package at all.
    if (random_.chance(2)) description += "numa:" + random_.number(1, 3) + " ";
    if (random_.chance(2)) description += "l3:" + random_.number(1, 2) + " ";
    description += "core:" + random_.number(1, 4) + " pu:" + random_.number(1, 4);
    auto read = read_machine(description, false);
    EXPECT_TRUE(read) << read.error().message;
    return *std::move(read);
  }

  void draw_distances(Machine& machine) {
    machine.distances.clear();
    if (random_.chance(2)) return;
    machine.distances.assign(machine.nodes.size(), std::vector<std::uint64_t>(machine.nodes.size(), 10));
    for (std::size_t i = 0; i < machine.nodes.size(); ++i)
      for (std::size_t j = 0; j < machine.nodes.size(); ++j)
        if (i != j) machine.distances[i][j] += random_.draw(1, 4) * 5;
  }

  Random random_;
  Machine tree_;
  unsigned made_ = 0;
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

IndexSet usable_cpus_of(const Machine& machine) { return machine.allowed_cpus & machine.online; }

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

void expect_one_node(const Machine& machine, const PlannedVariant& variant) {
  const IndexSet usable = usable_cpus_of(machine), memory = usable_memory(machine);
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

// each-node:N and matrix:N,M.
void expect_named_nodes(const Machine& machine, const PlannedVariant& variant) {
  const auto ids = IndexSet::parse(variant.name.substr(variant.name.find(':') + 1));
  ASSERT_TRUE(ids);
  const unsigned from = static_cast<unsigned>(std::stoul(variant.name.substr(variant.name.find(':') + 1)));
  for (const Node& node : machine.nodes) {
    if (node.id != from) continue;
    EXPECT_EQ(variant.placement.cpus, node.cpus & usable_cpus_of(machine));
  }
  EXPECT_TRUE(ids->contains(variant.placement.memory.nodes));
}

void expect_meaning(const Machine& machine, const PlannedVariant& variant) {
  const Placement& placement = variant.placement;
  const std::string family = variant.name.substr(0, variant.name.find(':'));
  if (variant.name == "one-per-core")
    expect_one_cpu_of_every_core(machine, placement);
  else if (variant.name == "one-core")
    EXPECT_EQ(placement.cpus.size(), 1u);
  else if (variant.name == "smt")
    expect_packed(machine, placement);
  else if (variant.name == "l3")
    expect_one_whole(machine, machine.l3, placement);
  else if (variant.name == "package")
    expect_one_whole(machine, machine.packages, placement);
  else if (family == "each-node" || family == "matrix")
    expect_named_nodes(machine, variant);
  else if (variant.name == "even-cpus")
    for (const unsigned cpu : usable_cpus_of(machine)) EXPECT_EQ(placement.cpus.contains(cpu), cpu % 2 == 0);
  else if (variant.name == "performance-cores")
    for (const Core& core : machine.cores)
      EXPECT_TRUE(core.kind == "performance" || !core.cpus.intersects(placement.cpus));
  else if (family == "device" || family == "away-from")
    EXPECT_NE(placement.memory.policy == MemoryPolicy::default_policy, placement.memory.nodes.size() == 1);
  else if (std::set<std::string>{"taskset", "numactl", "remote", "interleave-node", "preferred"}.contains(variant.name))
    expect_one_node(machine, variant);
  else
    EXPECT_EQ(placement.cpus, usable_cpus_of(machine));
  expect_threads(machine, placement, variant.name == "oversubscribed" ? 2 : 1);
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
    expect_inside_what_is_allowed(machine, variant.placement);
    for (const Placement& other : variant.alternatives) {
      expect_inside_what_is_allowed(machine, other);
      EXPECT_EQ(other.cpus.size(), variant.placement.cpus.size());
    }
    if (!variant.alternatives.empty()) {
      EXPECT_GE(variant.alternatives.size(), 2u);
      EXPECT_EQ(variant.alternatives.front(), variant.placement);
    }
    expect_meaning(machine, variant);
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

std::string words_for(const Machine& machine, unsigned made) {
  return std::to_string(made) + ": " + machine.source + " allowed " + machine.allowed_cpus.list() + " nodes " +
         machine.allowed_nodes.list();
}

TEST(RandomMachines, AreAllPlannedSoundly) {
  RandomMachines machines;
  const Catalogue catalogue;
  std::vector<std::string> names = catalogue.defaults(Profile::thorough);
  names.insert(names.end(), {"device", "away-from"});
  std::vector<std::string> with_matrix = names;  // as many variants as the rest together
  with_matrix.emplace_back("matrix");
  std::map<std::string, unsigned> planned;
  for (unsigned i = 0; i < 10'000; ++i) {
    const Machine machine = machines.next();
    SCOPED_TRACE(words_for(machine, i));
    const auto plan = plan_variants(catalogue, machine, i % 10 == 0 ? with_matrix : names);
    ASSERT_TRUE(plan) << plan.error().message;
    expect_sound(machine, *plan);
    expect_equals_found(*plan);
    for (const PlannedVariant& variant : *plan)
      if (variant.status == VariantStatus::ok) ++planned[variant.name.substr(0, variant.name.find(':'))];
    if (testing::Test::HasFailure()) return;
  }
  for (const std::string& name : with_matrix) EXPECT_GT(planned[name], 500u) << name << ": too rare to test much";
}

// A tree of at most `depth` levels, as text.
std::string random_expression(Random& random, unsigned depth) {
  static const std::vector<std::string> atoms{"allowed",  "online",      "node:0",  "node:1",   "package:0", "l3:0",
                                              "isolated", "kind:performance", "cpus:0", "node:any", "device:01:00.0"};
  static const std::vector<std::string> functions{"cores", "packed", "siblings", "even", "near", "far"};
  const auto one_of = [&random](const std::vector<std::string>& words) {
    return words[random.draw(0, static_cast<unsigned>(words.size()) - 1)];
  };
  if (depth == 0 || random.chance(4)) return one_of(atoms);
  if (random.chance(2)) return one_of(functions) + '(' + random_expression(random, depth - 1) + ')';
  return '(' + random_expression(random, depth - 1) + ") " + one_of({"&", "|", "-"}) + " (" +
         random_expression(random, depth - 1) + ')';
}

TEST(RandomExpressions, KeepTheLawsOfSetsAndStayInsideWhatIsAllowed) {
  RandomMachines machines;
  unsigned evaluated = 0;
  for (unsigned i = 0; i < 2'000; ++i) {
    const Machine machine = machines.next();
    const Ground ground(machine);
    const auto choices = ground.choices(AnyOf::node);
    const Choice* chosen = choices ? &choices->front() : nullptr;
    const auto value = [&](const std::string& text) -> std::optional<IndexSet> {
      const auto expression = Expression::parse(text);
      EXPECT_TRUE(expression) << text << ": " << expression.error().message;
      if (!expression) return std::nullopt;
      const auto set = expression->evaluate(ground, chosen);
      return set ? std::optional(*set) : std::nullopt;
    };
    const std::string a = random_expression(machines.random(), 3), b = random_expression(machines.random(), 3);
    const auto left = value(a), right = value(b);
    if (!left || !right) continue;
    SCOPED_TRACE(words_for(machine, i) + ", " + a + ", " + b);
    ++evaluated;
    EXPECT_TRUE(usable_cpus_of(machine).contains(*left));
    EXPECT_EQ(value('(' + a + ") & (" + b + ')'), *left & *right);
    EXPECT_EQ(value('(' + a + ") | (" + b + ')'), *left | *right);
    EXPECT_EQ(value('(' + a + ") - (" + b + ')'), *left - *right);
    const IndexSet cores = *value("cores(" + a + ')'), siblings = *value("siblings(" + a + ')');
    EXPECT_EQ(cores | siblings, *left);
    EXPECT_TRUE((cores & siblings).empty());
    EXPECT_EQ(value("cores(cores(" + a + "))"), cores);
    EXPECT_EQ(value("packed(" + a + ')')->size(), cores.size());
    EXPECT_TRUE(left->contains(*value("packed(" + a + ')')));
    EXPECT_TRUE(left->contains(*value("even(" + a + ')')));
    const auto far = value("far(" + a + ')');
    EXPECT_TRUE(!far || far != value("near(" + a + ')'));
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(evaluated, 300u);
}

}  // namespace
}  // namespace bindgate
