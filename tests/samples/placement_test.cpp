#include "samples/placement.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace bindgate {
namespace {

Placement on(IndexSet cpus, Memory memory = {}) {
  Placement placement;
  placement.cpus = std::move(cpus);
  placement.memory = std::move(memory);
  return placement;
}

PlannedVariant rotating(std::vector<Placement> alternatives) {
  PlannedVariant variant;
  variant.name = "numactl";
  variant.placement = alternatives.front();
  if (alternatives.size() > 1) variant.alternatives = std::move(alternatives);
  return variant;
}

PlannedVariant read(const nlohmann::json& json) {
  JsonDocument document(json.dump(), "FILE");
  PlannedVariant variant = read_planned_variant(document.root());
  const auto finished = document.finish(true);
  EXPECT_TRUE(finished) << finished.error().message;
  return variant;
}

TEST(PlacementInRound, IsTheNextAlternativeFromRoundToRound) {
  const PlannedVariant variant = rotating({on({0}), on({4}), on({2})});
  for (const auto& [round, cpu] : {std::pair(0u, 0u), {1u, 4u}, {2u, 2u}, {3u, 0u}, {7u, 4u}})
    EXPECT_EQ(placement_in_round(variant, round), on({cpu}));
  EXPECT_EQ(placement_in_round(rotating({on({3})}), 5), on({3}));
}

TEST(Describe, TellsAllThatAVariantStandsFor) {
  EXPECT_EQ(describe(rotating({on({0, 1})})), "CPUs 0-1, memory default, 1 thread");
  EXPECT_EQ(describe(rotating({on({0, 1}), on({2, 3})})), "CPUs 0-1 or 2-3 in turn, memory default, 1 thread");
  EXPECT_EQ(describe(rotating({on({0, 1}, {MemoryPolicy::bind, {0}}), on({2, 3}, {MemoryPolicy::bind, {1}})})),
            "CPUs 0-1, memory bind 0, 1 thread or CPUs 2-3, memory bind 1, 1 thread in turn");
}

TEST(Describe, TellsRotationsApartByTheirOrderToo) {
  EXPECT_NE(describe(rotating({on({0}), on({1})})), describe(rotating({on({1}), on({0})})));
  EXPECT_NE(describe(rotating({on({0}), on({1})})), describe(rotating({on({0, 1})})));
}

TEST(Describe, SaysInWhichSharesRoundsHadARotation) {
  const PlannedVariant three = rotating({on({0}), on({1}), on({2})});
  const std::string equal = describe(three);
  EXPECT_EQ(describe(three, {0, 1, 2}, {}), equal);
  EXPECT_EQ(describe(three, {0, 1, 2, 3, 4, 5}, {}), equal);
  EXPECT_EQ(describe(three, {0, 1, 2, 3}, {}), equal + ", in shares 2:1:1");
  EXPECT_EQ(describe(three, {0}, {}), equal + ", in shares 1:0:0");
  EXPECT_EQ(describe(rotating({on({0})}), {0, 1, 2}, {}), describe(on({0}))) << "no rotation";
}

TEST(Describe, SaysOfARankWhatWorksBesideIt) {
  PlannedVariant rank = rotating({on({0})}), fellow = rotating({on({1})}), third = rotating({on({2})});
  rank.name = "pair:0", fellow.name = "pair:1", third.name = "pair:2";
  rank.group = fellow.group = third.group = "pair";
  const std::vector<PlannedVariant> two{rank, fellow}, three{rank, fellow, third};
  EXPECT_EQ(describe(rank, {0}, two), "CPUs 0, memory default, 1 thread; beside it CPUs 1, memory default, 1 thread");
  EXPECT_NE(describe(rank, {0}, two), describe(rank, {0}, three)) << "another group is another measurement";
  third.group = "other";
  EXPECT_EQ(describe(third, {0}, three), "CPUs 2, memory default, 1 thread");
}

TEST(PlannedVariant, IsReadAsItWasWrittenWithItsRotation) {
  for (const PlannedVariant& variant : {rotating({on({0}), on({1}), on({2})}), rotating({on({0})})})
    EXPECT_EQ(read(to_json(variant)), variant);
  EXPECT_EQ(to_json(rotating({on({0}), on({1})}))["rotates"].size(), 1u);
}

TEST(PlannedVariant, OfAnOlderPlanDoesNotRotate) {
  const PlannedVariant variant = rotating({on({0})});
  nlohmann::json json = to_json(variant);
  json.erase("rotates");
  EXPECT_EQ(read(json), variant);
}

}  // namespace
}  // namespace bindgate
