#include "topology/nearest_memory.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "topology/machine_document.hpp"
#include "topology/small_machine.hpp"

namespace bindgate {
namespace {

using Nearest = std::map<unsigned, IndexSet>;

constexpr std::uint64_t gib = 1ull << 30;

Machine machine_of(std::vector<Node> nodes, std::vector<std::vector<std::uint64_t>> distances) {
  Machine machine;
  machine.nodes = std::move(nodes);
  machine.distances = std::move(distances);
  return machine;
}

TEST(NearestMemory, IsThatOfTheCpusOwnNode) {
  const Machine machine =
      machine_of({{0, {0, 1}, gib, "dram"}, {8, {2, 3}, gib, "dram"}}, {{10, 21}, {21, 10}});
  EXPECT_EQ(nearest_memory(machine), (Nearest{{0, {0}}, {1, {0}}, {2, {8}}, {3, {8}}}));
}

TEST(NearestMemory, OfANodeWithoutMemoryIsTheNextNearest) {
  const std::vector<Node> nodes{{0, {0}, 0, "dram"}, {1, {1}, gib, "dram"}, {2, {2}, gib, "dram"}};
  EXPECT_EQ(nearest_memory(machine_of(nodes, {{10, 31, 21}, {31, 10, 31}, {21, 31, 10}})).at(0), IndexSet{2});
  EXPECT_EQ(nearest_memory(machine_of(nodes, {})), (Nearest{{0, {1, 2}}, {1, {1}}, {2, {2}}}));
}

TEST(NearestMemory, IsNotThatOfANodeWithoutCpusUnlessNothingIsNearer) {
  const std::vector<Node> with_expander{{0, {0}, gib, "dram"}, {4, {}, gib, "cxl"}};
  EXPECT_EQ(nearest_memory(machine_of(with_expander, {{10, 17}, {17, 10}})), (Nearest{{0, {0}}}));
  const std::vector<Node> only_expander{{0, {0}, 0, "dram"}, {4, {}, gib, "hbm"}};
  EXPECT_EQ(nearest_memory(machine_of(only_expander, {{10, 17}, {17, 10}})), (Nearest{{0, {4}}}));
}

// As the kernel's numa=fake makes them of one node.
TEST(NearestMemory, IsThatOfEveryNodeThatIsSaidToBeNoFarther) {
  EXPECT_EQ(nearest_memory(machine_of({{0, {0}, gib, "dram"}, {1, {1}, gib, "dram"}}, {{10, 10}, {10, 10}})),
            (Nearest{{0, {0, 1}}, {1, {0, 1}}}));
}

TEST(NearestMemory, IsNotKnownOfACpuThatBelongsToNoNode) {
  EXPECT_EQ(nearest_memory(machine_of({{0, {}, gib, "dram"}, {1, {}, gib, "dram"}}, {})), Nearest{});
}

TEST(NearestMemory, IsReadFromTheMachineOfAJournal) {
  tests::SystemRoot root;
  tests::put_machine(root);
  const auto machine = read_machine(root.path().string(), false);
  ASSERT_TRUE(machine) << machine.error().message;
  const auto read = parse_machine(to_json(*machine).dump(), "RUN");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(nearest_memory(*read), (Nearest{{0, {0}}, {1, {0}}, {2, {1}}}));
  const auto broken = parse_machine(R"({"nodes": []})", "RUN");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().message, "RUN: $: key \"online\" is missing");
}

}  // namespace
}  // namespace bindgate
