#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topology/hwloc_memory.hpp"
#include "topology/hypervisor.hpp"
#include "topology/machine.hpp"
#include "topology/small_machine.hpp"

namespace bindgate {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using tests::put_machine;
using tests::SystemRoot;

Machine machine_of(const std::string& source) {
  const auto machine = read_machine(source, false);
  EXPECT_TRUE(machine) << machine.error().message;
  return machine ? *machine : Machine{};
}
Machine machine_of(const SystemRoot& root) { return machine_of(root.path().string()); }

TEST(Dies, AreThoseOfPackagesThatHaveSeveral) {
  const Machine machine = machine_of("synthetic:package:2 die:2 core:2 pu:1");
  EXPECT_THAT(machine.dies, ElementsAre(Die{0, 0, {0, 1}}, Die{1, 0, {2, 3}}, Die{2, 1, {4, 5}}, Die{3, 1, {6, 7}}));
  EXPECT_THAT(machine_of("synthetic:package:2 die:1 core:2 pu:1").dies, IsEmpty());
}

TEST(Dies, AreReadFromSysfs) {
  SystemRoot root;
  put_machine(root);
  root.put("sys/devices/system/cpu/online", "0-3");
  const std::vector<std::string> own{"00000001", "00000002", "00000004", "00000008"};
  for (unsigned cpu = 0; cpu < 4; ++cpu) {
    const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    root.put(folder + "physical_package_id", "0").put(folder + "core_id", std::to_string(cpu));
    root.put(folder + "package_cpus", "0000000f").put(folder + "core_cpus", own[cpu]);
    root.put(folder + "die_id", cpu < 2 ? "4" : "5").put(folder + "die_cpus", cpu < 2 ? "00000003" : "0000000c");
  }
  EXPECT_THAT(machine_of(root).dies, ElementsAre(Die{4, 0, {0, 1}}, Die{5, 0, {2, 3}}));
}

void put_clusters(SystemRoot& root, const std::string& of_0_and_1, const std::string& of_2) {
  for (const std::string cpu : {"0", "1", "2"}) {
    const std::string folder = "sys/devices/system/cpu/cpu" + cpu + "/topology/";
    root.put(folder + "thread_siblings", cpu == "0" ? "00000001" : cpu == "1" ? "00000002" : "00000004");
    root.put(folder + "physical_package_id", "0").put(folder + "core_siblings", "00000007");
    root.put(folder + "cluster_cpus_list", cpu == "2" ? of_2 : of_0_and_1).put(folder + "cluster_id", cpu == "2" ? "9" : "5");
  }
}

TEST(Clusters, AreTheKernelsThatAreNeitherACoreNorAPackage) {
  SystemRoot root;
  put_machine(root);
  put_clusters(root, "0-1", "2-3");
  EXPECT_THAT(machine_of(root).clusters, ElementsAre(Cluster{5, {0, 1}})) << "CPU 3 is offline, and CPU 2 alone";
  put_clusters(root, "0-2", "0-2");
  EXPECT_THAT(machine_of(root).clusters, IsEmpty());
  put_clusters(root, "nonsense", "2");
  EXPECT_THAT(machine_of(root).clusters, IsEmpty());
}

TEST(Clusters, AreTheCoresOfOneSecondLevelCacheWhereOnlyATreeIsGiven) {
  EXPECT_THAT(machine_of("synthetic:package:1 l3:1 l2:2 core:2 pu:1").clusters,
              ElementsAre(Cluster{0, {0, 1}}, Cluster{1, {2, 3}}));
  EXPECT_THAT(machine_of("synthetic:package:1 l3:1 l2:2 core:1 pu:2").clusters, IsEmpty()) << "one core each";
  EXPECT_THAT(machine_of("synthetic:package:1 l2:2 core:2 pu:1").clusters, IsEmpty()) << "that is the last level";
}

TEST(SetAside, AreIsolatedCpusAndThoseWithoutATick) {
  SystemRoot root;
  put_machine(root);
  root.put("sys/devices/system/cpu/isolated", "1-9").put("sys/devices/system/cpu/nohz_full", "2");
  const Machine machine = machine_of(root);
  EXPECT_EQ(machine.isolated, (IndexSet{1, 2, 3})) << "others do not exist";
  EXPECT_EQ(machine.no_tick, IndexSet{2});
  root.put("sys/devices/system/cpu/isolated", "").put("sys/devices/system/cpu/nohz_full", "  (null)");
  EXPECT_EQ(machine_of(root).isolated, IndexSet{});
  EXPECT_EQ(machine_of(root).no_tick, IndexSet{});
}

TEST(SetAside, AndOfflineAreNotToldWhereNoFileSaysThem) {
  SystemRoot root;
  put_machine(root);
  EXPECT_EQ(machine_of(root).isolated, std::nullopt);
  EXPECT_EQ(machine_of(root).no_tick, std::nullopt);
  const Machine synthetic = machine_of("synthetic:package:1 core:2 pu:1");
  EXPECT_EQ(synthetic.offline, std::nullopt);
  EXPECT_EQ(synthetic.isolated, std::nullopt);
}

TEST(Offline, AreThePresentCpusThatAreNotOnline) {
  SystemRoot root;
  put_machine(root);
  root.put("sys/devices/system/cpu/present", "0-1,2,5");
  EXPECT_EQ(machine_of(root).offline, IndexSet{5});
}

TEST(Hypervisor, IsNamedByFirmwareWhereTheProcessorSaysThereIsOne) {
  SystemRoot root;
  EXPECT_EQ(hypervisor_of(root.path()), "") << "nothing tells";
  root.put("proc/cpuinfo", "flags\t\t: fpu avx2").put("sys/class/dmi/id/sys_vendor", "QEMU");
  EXPECT_EQ(hypervisor_of(root.path()), "none");
  root.put("proc/cpuinfo", "flags\t\t: fpu hypervisor avx2");
  EXPECT_EQ(hypervisor_of(root.path()), "QEMU");
  root.put("sys/class/dmi/id/sys_vendor", "");
  EXPECT_EQ(hypervisor_of(root.path()), "a virtual machine, kind not told");
  root.put("sys/hypervisor/type", "xen");
  EXPECT_EQ(hypervisor_of(root.path()), "xen");
  root.put("proc/version", "Linux version 5.15.90.1-microsoft-standard-WSL2");
  EXPECT_EQ(hypervisor_of(root.path()), "wsl");
}

TEST(Hypervisor, IsNamedByFirmwareAloneWhereThatIsNoHardwaresVendor) {
  SystemRoot root;
  root.put("proc/cpuinfo", "Features\t: asimd").put("sys/class/dmi/id/sys_vendor", "QEMU");
  EXPECT_EQ(hypervisor_of(root.path()), "QEMU");
  EXPECT_EQ(hypervisor_of("6.1.0", "HP", "ProLiant"), "");
  EXPECT_EQ(hypervisor_of("6.1.0", "Microsoft Corporation", "Virtual Machine"), "Microsoft Corporation");
  EXPECT_EQ(hypervisor_of("4.4.0-19041-Microsoft", "", ""), "wsl");
}

void put_speed(SystemRoot& root, const std::string& node, const std::string& bandwidth, const std::string& latency) {
  const std::string folder = "sys/devices/system/node/node" + node + "/access0/initiators/";
  root.put(folder + "read_bandwidth", bandwidth).put(folder + "write_bandwidth", bandwidth);
  root.put(folder + "read_latency", latency).put(folder + "write_latency", latency).put(folder + "node0/x", "");
}

TEST(NodeSpeed, IsWhatFirmwareClaims) {
  SystemRoot root;
  put_machine(root);
  put_speed(root, "0", "100000", "80");
  put_speed(root, "4", "300000", "95");
  const Machine machine = machine_of(root);
  EXPECT_EQ(machine.nodes[0].bandwidth_mib_s, 100000u);
  EXPECT_EQ(machine.nodes[0].latency_ns, 80u);
  EXPECT_EQ(machine.nodes[1].bandwidth_mib_s, std::nullopt);
  EXPECT_EQ(machine.nodes[1].latency_ns, std::nullopt);
  EXPECT_EQ(machine.nodes[2].bandwidth_mib_s, 300000u);
  EXPECT_EQ(machine.nodes[2].kind, "hbm");
  EXPECT_EQ(machine.nodes[0].kind, "unknown");
}

// One node with CPUs, of 100 GiB/s and 80 ns, and one without that is as given.
std::string kind_of(std::optional<std::uint64_t> bandwidth, std::optional<std::uint64_t> latency,
                    const std::string& kind = "unknown", const IndexSet& cpus = {}) {
  std::vector<Node> nodes{{0, {0, 1}, 1, "unknown", 100'000, 80}, {1, cpus, 1, kind, bandwidth, latency}};
  tell_kinds_by_speed(nodes);
  EXPECT_EQ(nodes[0].kind, "unknown");
  return nodes[1].kind;
}

TEST(NodeKind, IsToldBySpeedOnlyWhereItLeavesNoDoubt) {
  EXPECT_EQ(kind_of(300'000, 95), "hbm");
  EXPECT_EQ(kind_of(200'000, 80), "unknown") << "unevenly filled channels explain twice";
  EXPECT_EQ(kind_of(30'000, 250), "cxl");
  EXPECT_EQ(kind_of(30'000, 100), "unknown") << "not far";
  EXPECT_EQ(kind_of(100'000, 250), "unknown") << "not slow";
  EXPECT_EQ(kind_of(30'000, std::nullopt), "unknown");
  EXPECT_EQ(kind_of(std::nullopt, 250), "unknown");
  EXPECT_EQ(kind_of(300'000, 95, "gpu"), "gpu") << "told is told";
  EXPECT_EQ(kind_of(300'000, 95, "unknown", {2}), "unknown") << "it has CPUs of its own";
}

void put_allowed(SystemRoot& root) {
  root.put("proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0").put("proc/self/cgroup", "0::/job");
  root.put("sys/fs/cgroup/cgroup.controllers", "cpuset cpu memory");
  root.put("sys/fs/cgroup/job/cpuset.cpus.effective", "1-2").put("sys/fs/cgroup/job/cpuset.mems.effective", "1");
}

TEST(AllowedSets, AreThoseOfACpusetOfVersion2) {
  SystemRoot root;
  put_machine(root);
  put_allowed(root);
  const Machine machine = machine_of(root);
  EXPECT_EQ(machine.online, (IndexSet{0, 1, 2}));
  EXPECT_EQ(machine.allowed_cpus, (IndexSet{1, 2}));
  EXPECT_EQ(machine.allowed_nodes, IndexSet{1});
}

TEST(AllowedSets, AreThoseOfACpusetOfVersion1) {
  SystemRoot root;
  put_machine(root);
  root.put("proc/mounts", "cgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0").put("proc/self/cpuset", "/job");
  root.put("sys/fs/cgroup/cpuset/job/cpuset.cpus", "0,2").put("sys/fs/cgroup/cpuset/job/cpuset.mems", "0,4");
  const Machine machine = machine_of(root);
  EXPECT_EQ(machine.allowed_cpus, (IndexSet{0, 2}));
  EXPECT_EQ(machine.allowed_nodes, (IndexSet{0, 4}));
}

TEST(Quota, IsAlsoReadFromADescribedSystem) {
  SystemRoot root;
  put_machine(root);
  root.put("proc/self/mountinfo", "35 24 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw").put("proc/self/cgroup", "0::/a");
  root.put("sys/fs/cgroup/a/cpu.max", "150000 100000");
  EXPECT_EQ(machine_of(root).quota_cpus, 1.5);
}

}  // namespace
}  // namespace bindgate
