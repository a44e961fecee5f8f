#include "topology/pci_files.hpp"
#include "topology/system_files.hpp"

#include <gtest/gtest.h>

#include "topology/system_root.hpp"

namespace bindgate {
namespace {

using tests::SystemRoot;

constexpr const char* version_2_mounts =
    "35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate";
constexpr const char* version_1_mounts =
    "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
    "33 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset";

TEST(Quota, IsTheSmallestUpTheChainOfVersion2) {
  SystemRoot root;
  root.put("proc/self/mountinfo", version_2_mounts).put("proc/self/cgroup", "0::/a/b/c");
  root.put("sys/fs/cgroup/a/cpu.max", "150000 100000").put("sys/fs/cgroup/a/b/cpu.max", "300000 100000");
  root.put("sys/fs/cgroup/a/b/c/cpu.max", "max 100000");
  EXPECT_EQ(quota_cpus(root.path()), 1.5);
}

TEST(Quota, IsReadFromVersion1) {
  SystemRoot root;
  root.put("proc/self/mountinfo", version_1_mounts).put("proc/self/cgroup", "4:cpu,cpuacct:/job\n3:cpuset:/elsewhere");
  root.put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1");
  root.put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000");
  root.put("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "250000");
  root.put("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000");
  EXPECT_EQ(quota_cpus(root.path()), 2.5);
}

// Docker shows a container the host's path of its group, while only that group itself is mounted.
TEST(Quota, IsFoundWhereOnlyTheOwnGroupIsMounted) {
  SystemRoot root;
  root.put("proc/self/mountinfo", "35 24 0:30 /docker/0a1b /sys/fs/cgroup ro - cgroup2 cgroup rw");
  root.put("proc/self/cgroup", "0::/docker/0a1b").put("sys/fs/cgroup/cpu.max", "50000 100000");
  EXPECT_EQ(quota_cpus(root.path()), 0.5);
}

TEST(Quota, OfAGroupOutsideWhatIsMountedIsThatOfTheMountedOne) {
  SystemRoot root;
  root.put("proc/self/mountinfo", version_2_mounts).put("proc/self/cgroup", "0::/../../other");
  root.put("sys/fs/cgroup/cpu.max", "400000 100000");
  EXPECT_EQ(quota_cpus(root.path()), 4.0);
}

TEST(Quota, IsNothingWhereNoneIsSetOrNoGroupsExist) {
  SystemRoot root;
  EXPECT_EQ(quota_cpus(root.path()), std::nullopt);
  root.put("proc/self/mountinfo", version_2_mounts).put("proc/self/cgroup", "0::/a");
  root.put("sys/fs/cgroup/a/cpu.max", "max 100000");
  EXPECT_EQ(quota_cpus(root.path()), std::nullopt);
  root.put("sys/fs/cgroup/a/cpu.max", "nonsense");
  EXPECT_EQ(quota_cpus(root.path()), std::nullopt);
}

TEST(ControlGroups, AreThoseOfTheControllerAskedForUpToWhatIsMounted) {
  SystemRoot root;
  root.put("proc/self/mountinfo", version_1_mounts).put("proc/self/cgroup", "4:cpu,cpuacct:/job/part\n3:cpuset:/else");
  const auto mounted = root.path() / "sys/fs/cgroup/cpu,cpuacct";
  EXPECT_EQ(control_groups(root.path(), "cpu"),
            (std::vector<std::filesystem::path>{mounted / "job/part", mounted / "job", mounted / ""}));
  EXPECT_EQ(control_groups(root.path(), "memory"), std::vector<std::filesystem::path>{});
}

TEST(NodeCpus, AreReadFromListOrMask) {
  SystemRoot root;
  root.put("sys/devices/system/node/node0/cpulist", "0-3,8");
  root.put("sys/devices/system/node/node2/cpumap", "00000001,80000003");
  root.put("sys/devices/system/node/node5/cpulist", "");
  EXPECT_EQ(node_cpus(root.path(), 0), (IndexSet{0, 1, 2, 3, 8}));
  EXPECT_EQ(node_cpus(root.path(), 2), (IndexSet{0, 1, 31, 32}));
  EXPECT_EQ(node_cpus(root.path(), 5), IndexSet{});
  EXPECT_EQ(node_cpus(root.path(), 7), std::nullopt);
  EXPECT_EQ(listed_nodes(root.path()), (IndexSet{0, 2, 5}));
}

TEST(DeviceNode, KeepsMinusOneApartFromNotTold) {
  SystemRoot root;
  root.put("sys/bus/pci/devices/0000:81:00.0/numa_node", "1").put("sys/bus/pci/devices/0000:82:00.0/numa_node", "-1");
  EXPECT_EQ(device_node(root.path(), "0000:81:00.0"), 1);
  EXPECT_EQ(device_node(root.path(), "0000:82:00.0"), -1);
  EXPECT_EQ(device_node(root.path(), "0000:83:00.0"), std::nullopt);
}

std::string isa_of(const std::string& cpuinfo_text) {
  SystemRoot root;
  root.put("proc/cpuinfo", cpuinfo_text);
  return instruction_set(root.path());
}

TEST(InstructionSet, IsTheWidestThatIsTold) {
  const std::string avx512 = " avx512f avx512dq avx512bw avx512vl avx512cd";
  EXPECT_EQ(isa_of("flags\t\t: sse4_2 avx avx2 fma" + avx512 + " avx512_bf16 amx_tile amx_bf16"), "amx");
  EXPECT_EQ(isa_of("flags\t\t: avx2 fma" + avx512 + " avx512_bf16"), "avx512_bf16");
  EXPECT_EQ(isa_of("flags\t\t: avx2 fma" + avx512), "avx512");
  EXPECT_EQ(isa_of("flags\t\t: avx avx2 fma avx512f"), "avx2");
  EXPECT_EQ(isa_of("flags\t\t: sse4_2 avx avx2"), "avx");
  EXPECT_EQ(isa_of("Features\t: fp asimd sve"), "sve");
  EXPECT_EQ(isa_of("cpu\t\t: POWER9, altivec supported"), "vsx");
  EXPECT_EQ(isa_of("processor\t: 0"), "");
}

TEST(Cpuinfo, IsThatOfTheFirstProcessor) {
  SystemRoot root;
  root.put("proc/cpuinfo", "model\t\t: 1\nmodel name\t: Some CPU\nempty\t:\n\nmodel name\t: Other CPU\nlate\t: x");
  EXPECT_EQ(cpuinfo(root.path(), "model name"), "Some CPU");
  EXPECT_EQ(cpuinfo(root.path(), "empty"), "");
  EXPECT_EQ(cpuinfo(root.path(), "late"), "");
}

}  // namespace
}  // namespace bindgate
