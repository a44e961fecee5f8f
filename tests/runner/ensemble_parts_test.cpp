#include <algorithm>
#include <set>

#include "runner/ensemble.hpp"
#include "runs.hpp"

namespace bindgate {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

class ACaseTooLarge : public testing::RunOfChildren {
 protected:
  void SetUp() override {
    RunOfChildren::SetUp();
    run_.plan.rounds = 1;
  }

  // Every launch claims 100 bytes, and half of what is free is theirs.
  void plan(const std::vector<std::string>& others, std::uint64_t free, const std::vector<std::string>& cases) {
    for (const std::string& name : others) add_variant(name);
    for (PlannedVariant& variant : run_.plan.variants) variant.placement.environment["STEADY_CLAIM"] = "100";
    options_.free_memory = [free](std::span<const Node>) { return FreeMemory{{{0, free}}, {}}; };
    add_program("child_steady", cases);
  }

  static std::vector<unsigned> turns_of(const CaseRun& run) {
    std::vector<unsigned> turns;
    for (const Block& block : run.blocks) turns.push_back(block.turn);
    return turns;
  }
};

TEST_F(ACaseTooLarge, IsTakenInPartsEachWithBaseAndTwin) {
  plan({"a", "b", "c", "d"}, 800, {"steady/fast", "steady/medium"});
  run_.plan.turns = 17;  // of three samples: enough for steady/medium
  const auto outcome = start();
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->failures, 0u);
  const bindgate::Run run = read();
  ASSERT_THAT(run.launches, SizeIs(6));
  for (const std::size_t place : {0u, 1u}) {
    std::multiset<unsigned> first_turns;
    for (const Launch& launch : run.launches) {
      const CaseRun& measured = launch.cases.at(place);
      EXPECT_EQ(measured.outcome, CaseOutcome::ok);
      EXPECT_EQ(measured.batch, place == 0 ? 300 : 1);
      const auto turns = turns_of(measured);
      ASSERT_FALSE(turns.empty());
      if (launch.member.role == Role::other) {
        first_turns.insert(turns.front());
        EXPECT_THAT(turns, SizeIs(17));
      } else {
        EXPECT_THAT(turns, SizeIs(34));
      }
      EXPECT_EQ(turns.back() - turns.front() + 1, turns.size());
    }
    EXPECT_THAT(first_turns, ElementsAre(0, 0, 17, 17));
  }
}

TEST_F(ACaseTooLarge, IsTornDownInOnePartBeforeTheNextSetsItUp) {
  plan({"a", "b"}, 600, {"steady/fast"});
  ASSERT_TRUE(start());
  std::vector<std::string> steps;  // of the others alone
  std::ifstream lines(directory_ / "run" / journal_file_name);
  std::set<std::string> others;
  const auto launch_of = [](const std::string& line) {
    const auto at = line.find("\"launch\":") + 9;
    return line.substr(at, line.find(',', at) - at);
  };
  for (std::string line; std::getline(lines, line);) {
    if (line.find("\"role\":\"other\"") != std::string::npos) others.insert(launch_of(line));
    if (line.starts_with("{\"line\":\"case") && others.contains(launch_of(line)))
      steps.push_back(line.substr(9, line.find('"', 9) - 9));
  }
  EXPECT_THAT(steps, ElementsAre("case", "case_ended", "case", "case_ended"));
}

TEST_F(ACaseTooLarge, HasItsTimeInEveryPart) {
  plan({"a", "b"}, 600, {"steady/endless"});
  run_.plan.programs[0].environment["STEADY_CASES"] = "steady/endless";
  ASSERT_TRUE(start());
  for (const Launch& launch : read().launches)
    EXPECT_THAT(launch.cases.at(0).blocks, SizeIs(launch.member.role == Role::other ? 25 : 50))
        << "ten seconds of 400 ms in each part";
}

TEST_F(ACaseTooLarge, ShowsProgressThatOnlyRises) {
  plan({"a", "b", "c"}, 600, {"steady/fast"});
  ASSERT_TRUE(start());
  double done = 0;
  for (const Progress& progress : watcher_.seen) {
    EXPECT_GE(progress.case_done, done);
    EXPECT_LE(progress.case_done, 1 + 1e-9);
    done = progress.case_done;
  }
  EXPECT_NEAR(done, 1, 1e-9);
}

TEST_F(ACaseTooLarge, IsRefusedToWhomBaseAndTwinLeaveNoRoom) {
  plan({"a", "b"}, 500, {"steady/fast"});
  const auto outcome = start();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->failures, 2u);
  for (const Launch& launch : read().launches) {
    const CaseRun& measured = launch.cases.at(0);
    if (launch.member.role == Role::other) {
      EXPECT_EQ(measured.outcome, CaseOutcome::failed);
      EXPECT_THAT(measured.reason, StartsWith("the working sets of 3 launches need 300 B of node 0"));
      EXPECT_THAT(measured.warmup_ns, IsEmpty()) << "it was never set up";
    } else {
      EXPECT_EQ(measured.outcome, CaseOutcome::ok);
      EXPECT_THAT(measured.blocks, SizeIs(4));
    }
  }
}

TEST_F(ACaseTooLarge, IsRefusedToALaunchThatTakesMoreThanTheBase) {
  plan({"a", "b"}, 800, {"steady/fast"});
  run_.plan.variants[2].placement.environment["STEADY_CLAIM"] = "200";
  run_.plan.rounds = 3;  // of different orders
  ASSERT_TRUE(start());
  for (const Launch& launch : read().launches)
    EXPECT_EQ(launch.cases.at(0).outcome, launch.member.variant == "b" ? CaseOutcome::failed : CaseOutcome::ok)
        << launch.member.variant << ": " << launch.cases.at(0).reason;
}

TEST_F(ACaseTooLarge, IsRefusedWhereBaseAndTwinDoNotFit) {
  add_variant("one");
  add_program("child_steady", {"steady/huge", "steady/fast"}, {{"STEADY_CASES", "steady/huge steady/fast"}});
  options_.free_memory = [](std::span<const Node>) { return FreeMemory{{{0, 1000}}, {}}; };
  ASSERT_TRUE(start());
  for (const Launch& launch : read().launches) {
    EXPECT_EQ(launch.failure, "");
    EXPECT_EQ(launch.cases.at(0).outcome, CaseOutcome::failed);
    EXPECT_THAT(launch.cases.at(0).reason, StartsWith("the working sets of 2 launches need 2.00 PiB of node 0"));
    EXPECT_THAT(launch.cases.at(0).blocks, IsEmpty());
    EXPECT_EQ(launch.cases.at(1).outcome, CaseOutcome::ok);
  }
}

}  // namespace
}  // namespace bindgate
