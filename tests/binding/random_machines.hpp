#pragma once
// Machines made at random from a fixed seed: hwloc builds a tree, of which many are made: CPUs go offline or out of
// reach, nodes lose memory, and distances, kinds of cores and devices are drawn.

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "topology/machine.hpp"

namespace bindgate::tests {

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
    if (random_.chance(4)) return;
    machine.distances.assign(machine.nodes.size(), std::vector<std::uint64_t>(machine.nodes.size(), 10));
    for (std::size_t i = 0; i < machine.nodes.size(); ++i)
      for (std::size_t j = 0; j < machine.nodes.size(); ++j)
        if (i != j) machine.distances[i][j] += random_.draw(1, 4) * 5;
  }

  Random random_;
  Machine tree_;
  unsigned made_ = 0;
};

inline IndexSet usable_cpus_of(const Machine& machine) { return machine.allowed_cpus & machine.online; }

/// For SCOPED_TRACE.
inline std::string words_for(const Machine& machine, unsigned made) {
  return std::to_string(made) + ": " + machine.source + " allowed " + machine.allowed_cpus.list() + " nodes " +
         machine.allowed_nodes.list();
}

}  // namespace bindgate::tests
