#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topology/machine.hpp"
#include "topology/small_machine.hpp"

namespace bindgate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using tests::put_machine;
using tests::SystemRoot;

Machine machine_of(const SystemRoot& root) {
  const auto machine = read_machine(root.path().string(), true);
  EXPECT_TRUE(machine) << machine.error().message;
  return machine ? *machine : Machine{};
}

TEST(Contradiction, OfNodesThatClaimTheSameCpusLeavesThemInNone) {
  SystemRoot root;
  put_machine(root);
  root.put("sys/devices/system/node/node1/cpumap", "00000003");
  const Machine machine = machine_of(root);
  EXPECT_THAT(machine.findings, testing::Contains(HasSubstr("contradict themselves")));
  EXPECT_THAT(machine.findings, testing::Contains("CPU 2 in no memory node: left out of every variant of one node"));
  EXPECT_EQ(machine.nodes[0], (Node{0, {}, 1u << 30, "unknown"}));
  EXPECT_EQ(machine.nodes[1], (Node{1, {}, 1u << 30, "unknown"})) << "its memory is there, whatever hwloc makes of it";
  EXPECT_EQ(machine.allowed_nodes, (IndexSet{0, 1, 4}));
  EXPECT_EQ(machine.cores[0].nodes, IndexSet{}) << "not guessed";
}

TEST(Contradiction, OfNodesDegradesOnlyTheCpusThatAreClaimedTwice) {
  SystemRoot root;
  put_machine(root);
  root.put("sys/devices/system/node/node1/cpumap", "00000006");
  const Machine machine = machine_of(root);
  EXPECT_THAT(machine.findings,
              testing::Contains("nodes 0-1 all claim CPU 1: the firmware's tables contradict themselves; "
                                "here it is in no node, and left out of every variant of one node"));
  EXPECT_EQ(machine.nodes[0].cpus, IndexSet{0});
  EXPECT_EQ(machine.nodes[1].cpus, IndexSet{2});
}

TEST(Contradiction, OfANodeAndAPackageThatCutEachOtherIsReported) {
  SystemRoot root;
  put_machine(root);
  root.put("sys/devices/system/node/node0/cpumap", "00000001").put("sys/devices/system/node/node1/cpumap", "00000006");
  const Machine machine = machine_of(root);
  EXPECT_THAT(machine.findings,
              testing::Contains("node 1 (CPUs 1-2) and package 0 (CPUs 0-1) cut each other in two: the firmware's "
                                "tables contradict themselves; memory follows the node"));
  EXPECT_EQ(machine.nodes[1].cpus, (IndexSet{1, 2}));
}

TEST(Contradiction, OfDistancesDropsThem) {
  SystemRoot root;
  put_machine(root);
  root.put("sys/devices/system/node/node0/distance", "10 5 17");
  EXPECT_THAT(machine_of(root).findings,
              ElementsAre("node 1 is said to be nearer to node 0 than its own memory: "
                          "distances are not to be trusted, and none is used"));
  EXPECT_THAT(machine_of(root).distances, IsEmpty());
}

TEST(Contradiction, OfANodeWithMoreMemoryThanCanBeAddressedLeavesItWithoutAny) {
  SystemRoot root;
  put_machine(root);
  root.put("sys/devices/system/node/node1/meminfo", "Node 1 MemTotal: 18014398509481983 kB");
  const Machine machine = machine_of(root);
  EXPECT_THAT(machine.findings,
              ElementsAre("node 1 is said to have 16384 PiB of memory, more than any processor can address: "
                          "how much it has is not known"));
  EXPECT_EQ(machine.nodes[1].memory_bytes, 0u);
  EXPECT_EQ(machine.nodes[0].memory_bytes, 1u << 30);
}

TEST(Contradiction, OfAListOfCpusThatIsNoneIsReported) {
  for (const char* list : {"garbage", "0-", "", "0-99999999"}) {
    SystemRoot root;
    put_machine(root);
    root.put("sys/devices/system/cpu/online", list);
    const Machine machine = machine_of(root);
    EXPECT_THAT(machine.findings,
                testing::Contains("sys/devices/system/cpu/online holds '" + std::string(list) +
                                  "', which is no list of CPUs: which are online is not known; taken for it: " +
                                  (machine.online.size() == 1 ? "CPU " : "CPUs ") + machine.online.list()));
  }
  SystemRoot root;
  put_machine(root);
  EXPECT_THAT(machine_of(root).findings, IsEmpty());
}

TEST(Contradiction, OfCpusOutsidePackagesIsReported) {
  SystemRoot root;
  put_machine(root);
  root.put("sys/devices/system/cpu/cpu2/topology/core_siblings", "00000000");
  const Machine machine = machine_of(root);
  EXPECT_THAT(machine.findings, ElementsAre("CPU 2 in no package: left out of every variant of one package"));
  EXPECT_EQ(machine.cores[1].package, std::nullopt);
}

}  // namespace
}  // namespace bindgate
