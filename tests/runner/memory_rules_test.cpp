#include "runner/memory_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bindgate {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<Node> two_nodes{{0, {0, 1}, 8u << 20, "dram"}, {1, {2, 3}, 8u << 20, "dram"}};

Placement on(IndexSet cpus, MemoryPolicy policy = MemoryPolicy::default_policy, IndexSet nodes = {}) {
  Placement placement;
  placement.cpus = std::move(cpus);
  placement.memory = {policy, std::move(nodes)};
  return placement;
}

TEST(WhyTooLarge, AddsUpTheLaunchesOfEachNode) {
  const Placement left = on({0, 1}), bound = on({2, 3}, MemoryPolicy::bind, {0});
  const std::vector<MemoryClaim> claims{{&left, 300}, {&bound, 300}};
  EXPECT_EQ(why_too_large(claims, two_nodes, {{{0, 1200}, {1, 10}}, {}}), "");
  EXPECT_THAT(why_too_large(claims, two_nodes, {{{0, 1198}, {1, 10}}, {}}),
              AllOf(HasSubstr("2 launches need 600 B of node 0"), HasSubstr("half of the 1.17 KiB")));
}

TEST(WhyTooLarge, SpreadsWhatMayLieOnSeveralNodes) {
  const Placement spread = on({0}, MemoryPolicy::interleave, {0, 1}), anywhere = on({1, 2});
  const std::vector<MemoryClaim> claims{{&spread, 400}, {&anywhere, 400}};
  EXPECT_EQ(why_too_large(claims, two_nodes, {{{0, 800}, {1, 800}}, {}}), "");
  EXPECT_THAT(why_too_large(claims, two_nodes, {{{0, 800}, {1, 700}}, {}}), HasSubstr("node 1"));
}

TEST(WhyTooLarge, ClaimsNothingOfANodeWithoutMemory) {
  const std::vector<Node> nodes{{0, {0, 1}, 8u << 20, "dram"}, {1, {2, 3}, 0, "unknown"}};
  const Placement everywhere = on({0, 1, 2, 3}), without = on({2, 3});
  const std::vector<MemoryClaim> claims{{&everywhere, 400}, {&without, 400}};
  EXPECT_EQ(why_too_large(claims, nodes, {{{0, 1600}, {1, 0}}, {}}), "");
  EXPECT_THAT(why_too_large(claims, nodes, {{{0, 1599}, {1, 0}}, {}}), HasSubstr("need 800 B of node 0"));
}

TEST(WhyTooLarge, LetsAnythingOnNodesThatTellNothing) {
  const Placement left = on({0});
  EXPECT_EQ(why_too_large(std::vector<MemoryClaim>{{&left, ~0ull}}, two_nodes, {}), "");
}

TEST(WhyTooLarge, LetsAllTogetherTakeHalfOfWhatTheControlGroupLeaves) {
  const Placement left = on({0}), right = on({2});
  const std::vector<MemoryClaim> claims{{&left, 300}, {&right, 300}};
  EXPECT_EQ(why_too_large(claims, two_nodes, {{}, 1200}), "");
  EXPECT_THAT(why_too_large(claims, two_nodes, {{{0, 9999}, {1, 9999}}, 1198}),
              AllOf(HasSubstr("2 launches need 600 B, more than half of the 1.17 KiB"), HasSubstr("control group")));
}

TEST(Fitting, TakesWhatFitsInOrderAndLeavesTheRest) {
  const Placement left = on({0}), right = on({2});
  const std::vector<MemoryClaim> open{{&left, 200}};
  const std::vector<JointClaim> candidates{{{&left, 100}}, {{&left, 300}}, {{&left, 100}}, {{&left, 1}}};
  EXPECT_THAT(fitting(open, candidates, two_nodes, {{{0, 800}}, {}}), ElementsAre(0, 2));
  EXPECT_THAT(fitting(open, candidates, two_nodes, {{{0, 400}}, {}}), IsEmpty());
  EXPECT_THAT(fitting(open, candidates, two_nodes, {}), ElementsAre(0, 1, 2, 3));
}

TEST(Fitting, LooksAtEachNodeByItself) {
  const Placement left = on({0}), right = on({2});
  const std::vector<MemoryClaim> open{{&left, 400}};
  const std::vector<JointClaim> candidates{{{&left, 100}}, {{&right, 100}}};
  EXPECT_THAT(fitting(open, candidates, two_nodes, {{{0, 800}, {1, 800}}, {}}), ElementsAre(1));
}

TEST(Fitting, TakesAllOfAJointClaimOrNone) {
  const Placement left = on({0}), right = on({2});
  const std::vector<JointClaim> candidates{{{&right, 100}, {&left, 300}}, {{&right, 300}, {&left, 100}}, {{&left, 1}}};
  EXPECT_THAT(fitting({{&left, 200}}, candidates, two_nodes, {{{0, 800}, {1, 600}}, {}}), ElementsAre(1, 2));
}

}  // namespace
}  // namespace bindgate
