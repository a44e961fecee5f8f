#include "support/cpus.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <system_error>

#include "bench/sysfs.hpp"
#include "dispatch/pairs.hpp"

namespace bindgate {
namespace {

TEST(Cpus, AreReadWithTheirNodesAndTheCachesThatHoldData) {
  testing::Sysfs sysfs;
  testing::make_two_nodes(sysfs);
  const auto cpus = read_cpus({1, 6}, sysfs.root());
  ASSERT_EQ(cpus.size(), 2u);
  EXPECT_EQ(cpus[0].id, 1u);
  EXPECT_EQ(cpus[0].node, 0u);
  EXPECT_EQ(cpus[1].node, 1u);
  const std::vector<Cache> expected{{1, 32u << 10, {6}}, {2, 1u << 20, {6}}, {3, 16u << 20, {6, 7}}};
  EXPECT_EQ(cpus[1].caches, expected);
}

TEST(Cpus, AreUnknownInPartsThatTheSystemDoesNotTell) {
  testing::Sysfs sysfs;
  const auto cpus = read_cpus({3}, sysfs.root());
  ASSERT_EQ(cpus.size(), 1u);
  EXPECT_EQ(cpus[0].node, std::nullopt);
  EXPECT_TRUE(cpus[0].caches.empty());
}

TEST(Mask, IsNarrowedAndGivenBack) {
  const IndexSet before = allowed_cpus();
  ASSERT_FALSE(before.empty());
  {
    const KeptMask kept;
    EXPECT_EQ(kept.cpus(), before);
    run_on({*before.last()});
    EXPECT_EQ(allowed_cpus(), IndexSet{*before.last()});
    EXPECT_EQ(sched_getcpu(), static_cast<int>(*before.last()));
  }
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(Mask, ThatTheKernelRefusesIsNamed) {
  try {
    run_on({IndexSet::largest_id});
    FAIL() << "no machine has that many CPUs";
  } catch (const std::system_error& error) {
    EXPECT_NE(std::string(error.what()).find("1048575"), std::string::npos) << error.what();
  }
}

TEST(Pairs, AreTheFirstOfTheirDistance) {
  testing::Sysfs sysfs;
  testing::make_two_nodes(sysfs);
  const auto cpus = read_cpus(IndexSet::range(0, 7), sysfs.root());
  EXPECT_EQ(find_pair(cpus, Distance::same_l2), (CpuPair{0, 1}));
  EXPECT_EQ(find_pair(cpus, Distance::same_l3), (CpuPair{2, 3}));
  EXPECT_EQ(find_pair(cpus, Distance::other_l3), (CpuPair{0, 2}));
  EXPECT_EQ(find_pair(cpus, Distance::other_node), (CpuPair{0, 4}));
}

TEST(Pairs, ComeFromThePlacementsCpusOnly) {
  testing::Sysfs sysfs;
  testing::make_two_nodes(sysfs);
  const auto cpus = read_cpus({1, 6, 7}, sysfs.root());
  EXPECT_EQ(find_pair(cpus, Distance::same_l2), std::nullopt);
  EXPECT_EQ(find_pair(cpus, Distance::same_l3), (CpuPair{6, 7}));
  EXPECT_EQ(find_pair(cpus, Distance::other_l3), std::nullopt);
  EXPECT_EQ(find_pair(cpus, Distance::other_node), (CpuPair{1, 6}));
}

TEST(Pairs, AreNotGuessedWhereCachesAreUnknown) {
  testing::Sysfs sysfs;
  for (const Distance distance : distances)
    EXPECT_EQ(find_pair(read_cpus({0, 1}, sysfs.root()), distance), std::nullopt) << name_of(distance);
}

}  // namespace
}  // namespace bindgate
