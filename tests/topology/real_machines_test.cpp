// Spot checks on dumps of real machines. They lie outside the project (BINDGATE_TOPOLOGIES names the folder);
// without them these tests are skipped.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "support/described_machines.hpp"
#include "topology/machine.hpp"

namespace bindgate {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

class RealMachine : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::is_directory(folder_)) testing::do_without(folder_);
  }

  Machine xml(const std::string& name, bool with_devices = false) { return machine(folder_ / name, with_devices); }

  /// A packed sysfs root; `directory` is its name inside.
  Machine packed(const std::string& name, const std::string& directory, bool with_devices = false) {
    const std::string command =
        "tar -xjf '" + (folder_ / name).string() + "' -C '" + unpacked_.path().string() + "' 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << "needs tar and bzip2";
    return machine(unpacked_.path() / directory, with_devices);
  }

 private:
  static Machine machine(const fs::path& source, bool with_devices) {
    const auto read = read_machine(source.string(), with_devices);
    EXPECT_TRUE(read) << read.error().message;
    return read ? *read : Machine{};
  }

  fs::path folder_ = testing::real_machines();
  tests::SystemRoot unpacked_;
};

IndexSet ids_of(const std::vector<Node>& nodes) {
  IndexSet ids;
  for (const Node& node : nodes) ids.insert(node.id);
  return ids;
}

std::string kind_of_core_with(const Machine& machine, unsigned cpu) {
  for (const Core& core : machine.cores)
    if (core.cpus.contains(cpu)) return core.kind;
  return "no such core";
}

TEST_F(RealMachine, WithSparseNodeIds) {
  const Machine machine = packed("48amd64-4pa2n6c-sparse.tar.bz2", "48amd64-4d2n6c-sparse");
  EXPECT_EQ(ids_of(machine.nodes), (IndexSet{0, 1, 2, 33, 34, 45, 72, 73}));
  EXPECT_EQ(machine.nodes[3].cpus, IndexSet::range(18, 23));
  EXPECT_EQ(machine.cores[18].nodes, IndexSet{33});
  EXPECT_EQ(machine.distances.size(), 8u);
  EXPECT_THAT(machine.findings, IsEmpty());
}

TEST_F(RealMachine, WithCpuZeroOffline) {
  const Machine machine = packed("offline-cpu0-node0.tar.bz2", "offline-cpu0-node0");
  EXPECT_FALSE(machine.online.contains(0));
  EXPECT_FALSE(machine.allowed_cpus.contains(0));
  EXPECT_EQ(machine.offline->list(), "0-3,21-23");
  EXPECT_EQ(ids_of(machine.nodes), IndexSet{1});
  EXPECT_EQ(machine.nodes[0].cpus, (IndexSet{5, 7, 9, 11, 13, 15, 17, 19}));
  EXPECT_EQ(machine.cpu_model, "Intel(R) Xeon(R) CPU E5-2680 v3 @ 2.50GHz");
}

TEST_F(RealMachine, WithACpusetThatAllowsAPart) {
  const Machine dump = packed("16amd64-8n2c-cpusets.tar.bz2", "16amd64-8n2c-cpusets");
  EXPECT_EQ(dump.online.list(), "0-3,5-15");
  EXPECT_EQ(dump.offline, IndexSet{4});
  EXPECT_EQ(xml("16amd64-8n2c-cpusets.xml").offline, std::nullopt) << "it keeps none of the CPUs that are not allowed";
  EXPECT_EQ(dump.allowed_cpus.list(), "0-3,5-6,12-15");
  EXPECT_EQ(dump.allowed_nodes.list(), "1-4");
  EXPECT_EQ(dump.cpu_model, "Dual Core AMD Opteron(tm) Processor 865") << "not this machine's own";
  EXPECT_EQ(xml("16amd64-8n2c-cpusets.xml").allowed_cpus, dump.allowed_cpus);
}

TEST_F(RealMachine, WithPerformanceAndEfficiencyCores) {
  const Machine machine = packed("20em64t-hybrid-1p6c2t+2ca4co1t.tar.bz2", "20em64t-hybrid-1p6c2t+2ca4co1t");
  EXPECT_EQ(machine.cores.size(), 14u);
  EXPECT_EQ(kind_of_core_with(machine, 0), "performance");
  EXPECT_EQ(kind_of_core_with(machine, 19), "efficiency");
  EXPECT_EQ(machine.traits.at("isa"), "avx2");
  EXPECT_THAT(machine.clusters, ElementsAre(Cluster{48, IndexSet::range(12, 15)}, Cluster{56, IndexSet::range(16, 19)}))
      << "those of one core are left out";
  EXPECT_EQ(machine.hypervisor, "none");
  EXPECT_THAT(machine.dies, IsEmpty()) << "its one package is one";
}

TEST_F(RealMachine, ThatIsAGuestByItsXml) {
  EXPECT_EQ(xml("cxlmem+dax.v2.xml").hypervisor, "QEMU");
  EXPECT_EQ(xml("nvidiaDGX2.xml").hypervisor, "") << "not told";
}

TEST_F(RealMachine, WithTheMemoryOfGpusAsNodes) {
  const Machine machine = packed("nvidiagpunumanodes.tar.bz2", "nvidiagpunumanodes", true);
  EXPECT_EQ(ids_of(machine.nodes), (IndexSet{0, 8, 250, 251, 252, 253, 254, 255}));
  for (const Node& node : machine.nodes) {
    EXPECT_EQ(node.kind, node.id < 250 ? "unknown" : "gpu") << node.id;
    EXPECT_EQ(node.cpus.empty(), node.id >= 250) << node.id;
    EXPECT_TRUE(machine.online.contains(node.cpus)) << node.id;
  }
  EXPECT_THAT(machine.devices, Contains(Device{"0004:05:00.0", "gpu", "", 0}));
}

TEST_F(RealMachine, WithNodesThatContradictTheirPackages) {
  const Machine machine = packed("8em64t-2s2ca2c-buggynuma.tar.bz2", "8em64t-2s2ca2c-buggynuma");
  EXPECT_THAT(machine.findings, Contains(HasSubstr("nodes 0-7 all claim CPUs 0-7: the firmware's tables contradict")));
  EXPECT_EQ(ids_of(machine.nodes), IndexSet::range(0, 7)) << "hwloc keeps one of them";
  EXPECT_EQ(machine.allowed_nodes, IndexSet::range(0, 7));
  for (const Node& node : machine.nodes) {
    EXPECT_EQ(node.cpus, IndexSet{}) << node.id;
    EXPECT_GT(node.memory_bytes, 2'000'000'000u) << node.id;
  }
  for (const Core& core : machine.cores) EXPECT_EQ(core.nodes, IndexSet{}) << "not guessed";
}

TEST_F(RealMachine, WithCpusOutsidePackagesAndDevicesThatDoNotTellTheirNode) {
  const Machine machine =
      packed("40intel64-4n10c+pci-conflicts.tar.bz2", "40intel64-4n10c+pci-conflicts", true);
  EXPECT_THAT(machine.findings, Contains("CPUs 3,7,11,15,19,23,27,31,35,39 in no package: "
                                         "left out of every variant of one package"));
  ASSERT_FALSE(machine.devices.empty());
  for (const Device& device : machine.devices) EXPECT_EQ(device.node, std::nullopt) << device.pci;
}

TEST_F(RealMachine, WithNearAndFarMemoryInXml) {
  const Machine machine = xml("64intel64-fakeKNL-SNC4-hybrid.xml");
  ASSERT_EQ(machine.nodes.size(), 8u);
  EXPECT_EQ(machine.nodes[0].cpus.list(), "0-3,16-19,32-35,48-51");
  EXPECT_EQ(machine.nodes[0].kind, "dram");
  EXPECT_EQ(machine.nodes[4].cpus, IndexSet{});
  EXPECT_EQ(machine.nodes[4].kind, "hbm");
  EXPECT_EQ(machine.nodes[0].bandwidth_mib_s, 22500u);
  EXPECT_EQ(machine.nodes[4].bandwidth_mib_s, 90000u);
  EXPECT_EQ(machine.nodes[4].latency_ns, std::nullopt);
  EXPECT_THAT(machine.findings, IsEmpty());
}

TEST_F(RealMachine, WithSixteenGpus) {
  const Machine machine = xml("nvidiaDGX2.xml", true);
  const auto is_gpu = [](const Device& device) { return device.kind == "gpu"; };
  EXPECT_EQ(std::count_if(machine.devices.begin(), machine.devices.end(), is_gpu), 16);
  EXPECT_THAT(machine.devices, Contains(Device{"0000:b7:00.0", "gpu", "10de:1db8 (nvml8)", 1}));
  EXPECT_EQ(machine.distances.size(), 2u) << "not the GPUs' matrix";
}

TEST_F(RealMachine, WithInfinibandCards) {
  const Machine machine = xml("24em64t-2n6c2t-pci.xml", true);
  EXPECT_THAT(machine.devices, Contains(Device{"0000:05:00.0", "nic", "Mellanox Technologies (eth2, ib0, mlx4_0)", 0}));
  EXPECT_THAT(xml("24em64t-2n6c2t-pci.xml").devices, IsEmpty()) << "they were not asked for";
}

}  // namespace
}  // namespace bindgate
