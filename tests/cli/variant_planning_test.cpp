#include "cli/variant_planning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <utility>

#include "binding/child.hpp"

namespace bindgate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// This machine with a second node of memory, which its kernel does not have (or may not let us bind to).
Machine with_a_node_too_many() {
  Machine machine;
  machine.source = "live";
  machine.live = true;
  machine.online = machine.allowed_cpus = tests::allowed_cpus();
  machine.allowed_nodes = {0, 900};
  machine.nodes = {{0, machine.online, 1, "dram"}, {900, {}, 1, "dram"}};
  return machine;
}

std::vector<PlannedVariant> planned(const VariantWishes& wishes, const Catalogue& catalogue = {}) {
  const auto plan = plan_here(with_a_node_too_many(), catalogue, wishes);
  EXPECT_TRUE(plan) << plan.error().message;
  return plan ? *plan : std::vector<PlannedVariant>{};
}

std::vector<std::string> names_of(const std::vector<PlannedVariant>& variants) {
  std::vector<std::string> names;
  for (const PlannedVariant& variant : variants) names.push_back(variant.name);
  return names;
}

Catalogue with_mine() {
  auto catalogue = Catalogue::with_text(
      R"({"schema": "bindgate.variants/1",
          "variants": [{"name": "mine", "threads": 3}, {"name": "gone", "cpus": "node:7"}]})",
      "mine.json");
  EXPECT_TRUE(catalogue);
  return *std::move(catalogue);
}

TEST(PlanHere, SkipsWhatTheKernelRefusesWithItsSystemCallAndErrno) {
  const auto variants = planned({{"remote"}, false, {}});
  ASSERT_THAT(names_of(variants), ElementsAre("none", "remote"));
  EXPECT_EQ(variants[1].status, VariantStatus::skipped);
  EXPECT_THAT(variants[1].reason, HasSubstr("set_mempolicy (E"));
}

TEST(PlanHere, PlansWhatIsLeftUnderAnotherNameWhereThatIsAllowed) {
  const auto variants = planned({{"remote", "taskset"}, true, {}});
  ASSERT_THAT(names_of(variants), ElementsAre("none", "remote", "remote-degraded", "taskset"));
  EXPECT_EQ(variants[1].status, VariantStatus::skipped) << "never the strong name for a weak binding";
  EXPECT_EQ(variants[2].status, VariantStatus::degraded);
  EXPECT_THAT(variants[2].reason, HasSubstr("set_mempolicy (E"));
  EXPECT_THAT(variants[2].reason, HasSubstr("left of remote: its CPUs"));
  EXPECT_EQ(variants[2].placement.memory, Memory{});
  EXPECT_EQ(variants[2].same_as, "none");
  EXPECT_EQ(strong_name(variants[2]), "remote");
  EXPECT_EQ(placements_of(variants), 1u);
}

TEST(PlanHere, LeavesAMachineAloneThatIsNotLive) {
  Machine machine = with_a_node_too_many();
  machine.live = false;
  const auto variants = plan_here(machine, Catalogue(), {{"remote"}, true, {}});
  ASSERT_TRUE(variants);
  EXPECT_EQ(variants->at(1).status, VariantStatus::ok);
}

TEST(PlanOneHere, FindsAVariantByEveryFormOfItsName) {
  Machine machine = with_a_node_too_many();
  machine.devices = {{"0000:00:03.0", "nic", "", 0}};
  const auto name_here = [&](const std::string& name) {
    const auto planned = plan_one_here(machine, Catalogue(), name);
    return planned ? planned->name : planned.error().message;
  };
  EXPECT_EQ(name_here("none"), "none");
  EXPECT_EQ(name_here("numactl"), "numactl");
  EXPECT_EQ(name_here("each-node:00"), "each-node:0");
  EXPECT_EQ(name_here("matrix:00,0"), "matrix:0,0");
  EXPECT_EQ(name_here("device:00:03.0"), "device:0000:00:03.0");
  EXPECT_EQ(name_here("ranks-together:1"), "ranks-together:1");
  EXPECT_EQ(name_here("numactk"), "variant 'numactk' is unknown; did you mean 'numactl'?");
  EXPECT_THAT(name_here("each-node:7"), HasSubstr("variant 'each-node:7': not on this machine: "));
}

TEST(PlanOneHere, AsksForAMemberOfAFamily) {
  for (const auto& [family, member] : {std::pair{"each-node", "each-node:0"}, {"matrix", "matrix:0,0"},
                                       {"ranks-together", "ranks-together:0"}, {"ranks-apart", "ranks-apart:0"}}) {
    const auto planned = plan_one_here(with_a_node_too_many(), Catalogue(), family);
    ASSERT_FALSE(planned) << family;
    EXPECT_EQ(planned.error().message,
              "variant '" + std::string(family) + "' is a family; name one of them, as " + member);
  }
  EXPECT_EQ(plan_one_here(with_a_node_too_many(), Catalogue(), "device").error().message,
            "variant 'device': not on this machine: no GPU or network device is known here");
}

TEST(PlanOneHere, TriesAWrapperOnTheLiveMachine) {
  if (std::system("taskset --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "taskset is not installed";
  const auto planned = plan_one_here(with_a_node_too_many(), Catalogue(), "wrapper:taskset");
  ASSERT_TRUE(planned) << planned.error().message;
  EXPECT_TRUE(tests::allowed_cpus().contains(planned->placement.cpus));
}

TEST(Remember, NeedsNeitherTheFileNorTheOptionToPlanAsBefore) {
  Plan stored;
  const std::vector<std::string> asked{"mine", "remote", "gone"};
  stored.variants = planned({asked, true, {}}, with_mine());
  ASSERT_THAT(names_of(stored.variants), ElementsAre("none", "mine", "remote", "remote-degraded", "gone"));
  VariantWishes wishes{asked_for(stored.variants, asked, "none"), false, {}};
  EXPECT_EQ(wishes.names, asked);
  remember(stored, Catalogue(), wishes);
  EXPECT_EQ(planned(wishes), stored.variants);
}

TEST(Remember, DoesNotBelieveAStoredPlacementThatTheKernelRefusesNow) {
  Plan stored;
  stored.variants = planned({{"mine"}, false, {}}, with_mine());
  stored.variants[1].placement.cpus = {4000};
  VariantWishes wishes{{"mine"}, false, {}};
  remember(stored, Catalogue(), wishes);
  EXPECT_EQ(planned(wishes).at(1).status, VariantStatus::skipped);
}

TEST(AskedFor, NamesTheMembersOfAFamilyAndTheBaseOnlyIfItIsNamed) {
  const auto variants = planned({{"each-node", "taskset"}, false, {}});
  EXPECT_THAT(asked_for(variants, std::vector<std::string>{"each-node", "taskset"}, "none"),
              ElementsAre("each-node:0", "taskset"));
  EXPECT_THAT(asked_for(variants, std::vector<std::string>{"none"}, "none"),
              ElementsAre("none", "each-node:0", "taskset"));
}

}  // namespace
}  // namespace bindgate
