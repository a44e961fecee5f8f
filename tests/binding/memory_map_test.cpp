#include "binding/memory_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "binding/child.hpp"

namespace bindgate {
namespace {

using ::testing::IsEmpty;
using tests::WaitingChild;

constexpr std::uint64_t mebibyte = 1u << 20;

constexpr const char* smaps =
    "00400000-00500000 r-xp 00000000 08:01 1234 /opt/my program\n"
    "KernelPageSize:        4 kB\n"
    "AnonHugePages:         0 kB\n"
    "VmFlags: rd ex\n"
    "01000000-03000000 rw-p 00000000 00:00 0 [heap]\n"
    "KernelPageSize:        4 kB\n"
    "AnonHugePages:     16384 kB\n"
    "10000000-50000000 rw-p 00000000 00:00 0 \n"
    "KernelPageSize:        4 kB\n"
    "60000000-a0000000 rw-s 00000000 00:0f 77 /anon_hugepage (deleted)\n"
    "KernelPageSize:  1048576 kB\n"
    "Shared_Hugetlb:  1048576 kB\n";
constexpr const char* numa_maps =
    "00400000 default file=/opt/my\\040program mapped=10 N0=10 kernelpagesize_kB=4\n"
    "01000000 bind:1 heap anon=8192 dirty=8192 N0=192 N1=8000 kernelpagesize_kB=4\n"
    "10000000 prefer (many):0-1 anon=5000 dirty=5000 active=0 N1=5000 kernelpagesize_kB=4\n"
    "60000000 weighted interleave:0,2 file=/anon_hugepage\\040(deleted) huge dirty=1 N2=1 kernelpagesize_kB=1048576\n";

TEST(MemoryMap, JoinsMappingsWithTheirPolicyNodesAndHugePages) {
  const auto map = parse_memory_map(smaps, numa_maps);
  ASSERT_EQ(map.size(), 4u);
  EXPECT_EQ(map[0], (Mapping{0x400000, 0x500000, "/opt/my program", "default", {{0, 40960}}, false}));
  EXPECT_EQ(map[1], (Mapping{0x1000000, 0x3000000, "heap", "bind:1", {{0, 192 * 4096}, {1, 8000 * 4096}}, true,
                             {{2 * mebibyte, 16 * mebibyte}}}));
  EXPECT_EQ(map[2], (Mapping{0x10000000, 0x50000000, "", "prefer (many):0-1", {{1, 5000 * 4096}}, true}));
  EXPECT_EQ(map[3].policy, "weighted interleave:0,2");
  EXPECT_EQ(map[3].node_bytes, (NodeBytes{{2, 1024 * mebibyte}}));
  EXPECT_EQ(map[3].huge_page_bytes, (std::map<std::uint64_t, std::uint64_t>{{1024 * mebibyte, 1024 * mebibyte}}));
}

TEST(MemoryMap, LacksPoliciesAndNodesWhereTheKernelKnowsNone) {
  for (const Mapping& mapping : parse_memory_map(smaps, "")) {
    EXPECT_EQ(mapping.policy, "");
    EXPECT_THAT(mapping.node_bytes, IsEmpty());
  }
}

TEST(MemoryMap, GivesWhatTheRangesLieIn) {
  const auto map = parse_memory_map(smaps, numa_maps);
  const std::vector<protocol::Range> ranges{{0x1000000, 4 * mebibyte}, {0x60000000, 1024 * mebibyte}};
  EXPECT_EQ(policies_of(map, ranges), (std::set<std::string>{"bind:1", "weighted interleave:0,2"}));
  EXPECT_EQ(huge_pages_of(map, ranges), (std::map<std::uint64_t, std::uint64_t>{{2 * mebibyte, 4 * mebibyte},
                                                                               {1024 * mebibyte, 1024 * mebibyte}}));
}

TEST(MemoryMap, ListsLargeAnonymousMappingsBesideTheRanges) {
  const auto map = parse_memory_map(smaps, numa_maps);
  const auto beside = large_beside(map, std::vector<protocol::Range>{{0x1000000, mebibyte}});
  ASSERT_EQ(beside.size(), 2u);
  EXPECT_EQ(beside[0], (BesideMapping{"heap", "bind:1", map[1].node_bytes}));  // 32 MiB, of which 1 is reported
  EXPECT_EQ(beside[1], (BesideMapping{"", "prefer (many):0-1", map[2].node_bytes}));
  EXPECT_THAT(
      large_beside(map, std::vector<protocol::Range>{{0x1000000, 32 * mebibyte}, {0x10000000, 1024 * mebibyte}}),
      IsEmpty());
  const auto small =
      parse_memory_map("1000-900000 rw-p 0 00:00 0\n", "1000 default anon=500 N0=500 kernelpagesize_kB=4\n");
  EXPECT_EQ(large_beside(small, std::vector<protocol::Range>{{0x100, 4096}}).size(), 1u);
  EXPECT_THAT(large_beside(small, std::vector<protocol::Range>{{0x900000, 1024 * mebibyte}}), IsEmpty());
}

TEST(MemoryMap, ListsAllLargeMappingsThatTheSmallOnesHideBehind) {
  std::string many_smaps, many_numa_maps;
  for (int i = 1; i <= 6; ++i) {
    const std::string start = std::to_string(i) + "0000000", end = std::to_string(i) + "8000000";
    many_smaps += start + '-' + end + " rw-p 0 00:00 0\n";
    many_numa_maps += start + (i == 6 ? " local" : " bind:1") + " anon=9 N1=" + std::to_string(10000 - i) +
                      " kernelpagesize_kB=4\n";
  }
  const auto beside = large_beside(parse_memory_map(many_smaps, many_numa_maps), {});
  ASSERT_EQ(beside.size(), 6u);
  EXPECT_EQ(beside.back().policy, "local");
}

TEST(MemoryMap, OfALivingChildHoldsItsPages) {
  const WaitingChild child([] {
    void* start = mmap(nullptr, 8 * mebibyte, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::memset(start, 1, 8 * mebibyte);
    return reinterpret_cast<std::uint64_t>(start);
  });
  const auto map = read_memory_map(child.pid());
  ASSERT_TRUE(map) << map.error().message;
  const auto holds = [&](const Mapping& one) { return one.start <= child.answer() && child.answer() < one.end; };
  const auto found = std::find_if(map->begin(), map->end(), holds);
  ASSERT_NE(found, map->end());
  EXPECT_TRUE(found->anonymous);
  if (access("/proc/self/numa_maps", R_OK) != 0) return;
  EXPECT_EQ(found->policy, "default");
  EXPECT_EQ(thread_policy(child.pid(), child.pid()), "default");
  std::uint64_t bytes = 0;
  for (const auto& [node, on_node] : found->node_bytes) bytes += on_node;
  EXPECT_GE(bytes, 8 * mebibyte);
}

TEST(MemoryMap, OfAProcessThatNeverWasIsAnError) {
  EXPECT_FALSE(read_memory_map(999999999));
  EXPECT_EQ(thread_policy(999999999, 1), "");
}

}  // namespace
}  // namespace bindgate
