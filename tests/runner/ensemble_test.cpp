#include "runner/ensemble.hpp"

#include <sys/stat.h>

#include <set>

#include "runs.hpp"

namespace bindgate {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

class AnEnsemble : public testing::RunOfChildren {};

TEST_F(AnEnsemble, MeasuresBaseTwinAndEveryFurtherPlacementInEveryRound) {
  add_variant("one");
  run_.plan.variants.push_back({"twice", VariantStatus::ok, "", "one", run_.plan.variants[1].placement});
  run_.plan.variants.push_back({"never", VariantStatus::skipped, "one node only", "", {}});
  add_program("child_steady", {"steady/fast", "steady/medium"});
  const auto outcome = start();
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->end, RunOutcome::End::finished);
  EXPECT_EQ(outcome->failures, 0u);
  EXPECT_THAT(watcher_.notes, IsEmpty());
  const bindgate::Run run = read();
  EXPECT_TRUE(run.finished);
  EXPECT_THAT(run.rounds, ElementsAre(0, 1));
  ASSERT_THAT(run.launches, SizeIs(6));
  for (unsigned round : {0u, 1u}) {
    std::multiset<std::string> members;
    for (const Launch& launch : run.launches)
      if (launch.round == round) members.insert(launch.member.variant + ' ' + std::string(name_of(launch.member.role)));
    EXPECT_THAT(members, ElementsAre("none base", "none twin", "one other"));
  }
  for (const Launch& launch : run.launches) {
    EXPECT_EQ(launch.failure, "");
    EXPECT_EQ(launch.output_tail, "");
    EXPECT_GT(launch.pid, 0);
    EXPECT_EQ(launch.build_type, "Release");
    EXPECT_EQ(launch.libraries.at("made-up"), "1.0");
    EXPECT_EQ(launch.settings.at("threads"), std::to_string(launch.placement.threads));
    EXPECT_FALSE(launch.loaded.empty());
    EXPECT_EQ(launch.environment.at("OMP_WAIT_POLICY"), "passive");
    EXPECT_TRUE(launch.wall_seconds && launch.others_cpu_seconds && launch.steal_seconds);
    ASSERT_THAT(launch.cases, SizeIs(2));
    for (const CaseRun& measured : launch.cases) {
      EXPECT_EQ(measured.outcome, CaseOutcome::ok);
      EXPECT_THAT(measured.warmup_ns, SizeIs(6));
      EXPECT_TRUE(measured.proof);
      ASSERT_TRUE(measured.wall_seconds && measured.others_cpu_seconds && measured.steal_seconds);
      EXPECT_LE(*measured.wall_seconds, *launch.wall_seconds);
    }
    EXPECT_EQ(launch.cases[0].batch, 300);
    EXPECT_THAT(launch.cases[0].blocks, SizeIs(4));
    EXPECT_EQ(launch.cases[1].batch, 1);
    EXPECT_THAT(launch.cases[1].blocks, SizeIs(17)) << "3 samples a block until there are 50 clean ones";
  }
}

TEST_F(AnEnsemble, GivesAVariantTheNextOfItsPlacementsInEveryRound) {
  add_variant("either");
  PlannedVariant& either = run_.plan.variants.back();
  either.alternatives = {either.placement, testing::placement_here()};
  either.alternatives[1].environment["MADE_UP"] = "1";
  run_.plan.rounds = 3;
  add_program("child_steady", {"steady/fast"});
  ASSERT_TRUE(start());
  for (const Launch& launch : read().launches)
    EXPECT_EQ(launch.placement, launch.member.variant == "none" ? run_.plan.variants[0].placement
                                                                : either.alternatives[launch.round % 2]);
}

// Two variants of one group on the same CPU, in launches that begin no block before the other does.
class AGroup : public testing::RunOfChildren {
 protected:
  void SetUp() override {
    RunOfChildren::SetUp();
    const std::string fifo = directory_ / "rendezvous";
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    for (const char* mode : {"r", "w"}) {
      add_variant(std::string("rank-") + mode);
      rank().group = "ranks";
      rank().placement.environment["STEADY_MEETS"] = std::string(mode) + ':' + fifo;
    }
    run_.plan.rounds = 1;
  }
  PlannedVariant& rank() { return run_.plan.variants.back(); }
};

TEST_F(AGroup, WorksAtOnce) {
  add_program("child_steady", {"steady/fast", "steady/medium"});
  const auto outcome = start();
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->failures, 0u);
  const bindgate::Run run = read();
  ASSERT_THAT(run.launches, SizeIs(4));
  for (const Launch& launch : run.launches) {
    EXPECT_GE(launch.cases.at(0).blocks.size(), 4u) << launch.member.variant;
    EXPECT_GE(launch.cases.at(1).blocks.size(), 17u) << launch.member.variant;
  }
}

TEST_F(AGroup, EndsACaseForAllWhereOneCannotGoOn) {
  rank().placement.environment["STEADY_DIE_BEFORE"] = "steady/medium";
  add_program("child_steady", {"steady/fast", "steady/medium"});
  ASSERT_TRUE(start());
  for (const Launch& launch : read().launches) {
    const CaseRun& medium = launch.cases.at(1);
    const std::string reason = launch.member.variant == "none"     ? ""
                               : launch.member.variant == "rank-w" ? launch.failure
                                                                   : "rank-w, which works beside it, cannot go on";
    EXPECT_EQ(medium.reason, reason) << launch.member.variant;
    EXPECT_EQ(launch.failure.empty(), launch.member.variant != "rank-w");
  }
}

TEST_F(AGroup, IsSpentWithTheFirstOfItsMembers) {
  rank().placement.environment["STEADY_SLUGGISH"] = "steady/slow";
  add_program("child_steady", {"steady/slow"});
  ASSERT_TRUE(start());
  for (const Launch& launch : read().launches)
    if (launch.member.variant != "none") {
      EXPECT_EQ(launch.cases.at(0).blocks.size(), 5u) << launch.member.variant << ": ten seconds of the slower one";
    }
}

TEST_F(AGroup, IsDisturbedAsAWhole) {
  // On CPUs of their own, so that a switch is a stranger's.
  const IndexSet here = testing::allowed_cpus();
  if (here.size() < 2) GTEST_SKIP() << "needs two CPUs, one is allowed";
  rank().placement.cpus = IndexSet{*here.last()};
  rank().placement.environment["STEADY_DISTURBED"] = "steady/fast";
  add_program("child_steady", {"steady/fast"});
  ASSERT_TRUE(start());
  for (const Launch& launch : read().launches) {
    if (launch.member.variant == "none") continue;
    std::vector<std::string> attempts;  // at turn 1: what disturbed them
    for (const Block& block : launch.cases.at(0).blocks)
      if (block.turn == 1) attempts.push_back(block.disturbed);
    ASSERT_GE(attempts.size(), 2u) << launch.member.variant;
    EXPECT_THAT(attempts[0], HasSubstr("forced switch")) << launch.member.variant;
    EXPECT_EQ(attempts[0].starts_with("rank-w beside it: "), launch.member.variant == "rank-r");
  }
}

TEST_F(AGroup, TakesSwitchesOnSharedCpusForItsOwn) {
  add_program("child_steady", {"steady/fast"}, {{"STEADY_DISTURBED", "steady/fast"}});
  ASSERT_TRUE(start());
  for (const Launch& launch : read().launches) {
    const auto& blocks = launch.cases.at(0).blocks;
    const bool repeated = std::any_of(blocks.begin(), blocks.end(), [](const Block& one) { return one.attempt > 0; });
    EXPECT_EQ(repeated, launch.member.variant == "none") << launch.member.variant;
  }
}

TEST_F(AnEnsemble, TakesTurnsUntilThereAreFiftyCleanSamplesOrTenSeconds) {
  add_program("child_steady", {"steady/slow", "steady/endless"}, {{"STEADY_CASES", "steady/slow steady/endless"}});
  run_.plan.rounds = 1;
  ASSERT_TRUE(start());
  const bindgate::Run run = read();
  EXPECT_THAT(runs_of(run, "steady/slow")[0]->blocks, SizeIs(50));
  EXPECT_THAT(runs_of(run, "steady/endless")[0]->blocks, SizeIs(25)) << "ten seconds of 400 ms";
}

TEST_F(AnEnsemble, StopsAtSixtyThreeSamplesWhereFewAreClean) {
  add_program("child_steady", {"steady/slow"}, {{"STEADY_WAITS", "steady/slow"}});
  run_.plan.rounds = 1;
  ASSERT_TRUE(start());
  const bindgate::Run run = read();
  const CaseRun& waits = *runs_of(run, "steady/slow")[0];
  EXPECT_THAT(waits.blocks, SizeIs(63));
  EXPECT_THAT(clean_samples(waits.blocks[0], Preemption::cpu_gap), ElementsAre(false));
}

TEST_F(AnEnsemble, CountsSamplesThatWereRepeatedOnce) {
  add_program("child_steady", {"steady/slow"}, {{"STEADY_DISTURBED", "steady/slow"}});
  run_.plan.rounds = 1;
  ASSERT_TRUE(start());
  const bindgate::Run run = read();
  EXPECT_THAT(runs_of(run, "steady/slow")[0]->blocks, SizeIs(51)) << "50 turns and a repetition";
}

TEST_F(AnEnsemble, TellsWhatIsNotRunAndWhatFailsAndGoesOn) {
  add_program("child_steady", {"steady/absent", "steady/wrong", "steady/fast", "steady/unknown"});
  run_.plan.rounds = 1;
  const auto outcome = start();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->failures, 4u);
  const bindgate::Run run = read();
  for (const Launch& launch : run.launches) {
    ASSERT_THAT(launch.cases, SizeIs(4));
    EXPECT_EQ(launch.cases[0].outcome, CaseOutcome::not_run);
    EXPECT_EQ(launch.cases[0].reason, "made up to be absent");
    EXPECT_EQ(launch.cases[1].outcome, CaseOutcome::failed);
    EXPECT_EQ(launch.cases[1].reason, "expected 1, found 2");
    EXPECT_EQ(launch.cases[2].outcome, CaseOutcome::ok);
    EXPECT_EQ(launch.cases[3].outcome, CaseOutcome::failed);
    EXPECT_THAT(launch.cases[3].reason, HasSubstr("does not know this case"));
  }
  EXPECT_THAT(watcher_.notes, Contains(HasSubstr("round 1, steady/wrong, none: failed: expected 1, found 2")));
  EXPECT_THAT(watcher_.notes, Contains(HasSubstr("none (twin)")));
}

TEST_F(AnEnsemble, GoesOnWithoutAMemberThatDies) {
  add_variant("one");
  const std::string victim = (directory_ / "victim").string();
  std::ofstream(victim) << "\n";
  add_program("child_steady", {"steady/fast", "steady/medium", "steady/slow"},
              {{"STEADY_DIE_AT", "steady/medium"}, {"STEADY_DIE_IN", victim}});
  run_.plan.rounds = 1;
  const auto outcome = start();
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->end, RunOutcome::End::finished);
  EXPECT_GT(outcome->failures, 0u);
  const bindgate::Run run = read();
  EXPECT_THAT(run.rounds, ElementsAre(0));
  ASSERT_THAT(run.launches, SizeIs(3));
  int dead = 0;
  for (const Launch& launch : run.launches) {
    ASSERT_THAT(launch.cases, SizeIs(3));
    EXPECT_EQ(launch.cases[0].outcome, CaseOutcome::ok);
    if (launch.failure.empty()) {
      EXPECT_EQ(launch.cases[1].outcome, CaseOutcome::ok);
      EXPECT_EQ(launch.cases[2].outcome, CaseOutcome::ok);
      continue;
    }
    ++dead;
    EXPECT_EQ(launch.failure, "exited with status 3");
    EXPECT_EQ(launch.cases[1].outcome, CaseOutcome::failed);
    EXPECT_EQ(launch.cases[1].reason, "exited with status 3");
    EXPECT_THAT(launch.cases[1].blocks, SizeIs(2)) << "what it measured before it died is kept";
    EXPECT_EQ(launch.cases[2].reason, "its launch had ended: exited with status 3");
  }
  EXPECT_EQ(dead, 1);
}

TEST_F(AnEnsemble, RecordsLaunchesThatNeverSaidHello) {
  add_program("child_liar", {"liar/case"}, {{"LIAR_MODE", "no-hello"}});
  run_.plan.rounds = 1;
  ASSERT_TRUE(start());
  const bindgate::Run run = read();
  ASSERT_THAT(run.launches, SizeIs(2));
  for (const Launch& launch : run.launches) {
    EXPECT_EQ(launch.failure, "exited with status 0 before its time");
    ASSERT_THAT(launch.cases, SizeIs(1));
    EXPECT_EQ(launch.cases[0].outcome, CaseOutcome::failed);
  }
}

TEST_F(AnEnsemble, KeepsTheOutputOfAFailedLaunch) {
  add_program("child_liar", {"liar/case"}, {{"LIAR_MODE", "crash-in-turn"}});
  run_.plan.rounds = 1;
  ASSERT_TRUE(start());
  for (const Launch& launch : read().launches) EXPECT_EQ(launch.output_tail, "stderr:\nabout to crash\n");
  EXPECT_THAT(watcher_.outputs, Each("stderr:\nabout to crash\n"));
  EXPECT_THAT(watcher_.outputs, SizeIs(2));
}

TEST_F(AnEnsemble, RecordsALaunchWhoseBindingIsRefused) {
  Placement nowhere = testing::placement_here();
  nowhere.cpus = IndexSet{IndexSet::largest_id};
  run_.plan.variants.push_back({"nowhere", VariantStatus::ok, "", "", nowhere});
  add_program("child_steady", {"steady/fast"});
  run_.plan.rounds = 1;
  ASSERT_TRUE(start());
  for (const Launch& launch : read().launches) {
    const bool refused = launch.member.variant == "nowhere";
    EXPECT_EQ(launch.failure.find("sched_setaffinity (EINVAL)") != std::string::npos, refused) << launch.failure;
    EXPECT_EQ(launch.cases.at(0).outcome, refused ? CaseOutcome::failed : CaseOutcome::ok);
  }
}

TEST_F(AnEnsemble, FailsACaseInATurnOnlyWhereItFails) {
  add_program("child_liar", {"liar/case"}, {{"LIAR_MODE", "wrong-in-turn"}});
  run_.plan.rounds = 1;
  ASSERT_TRUE(start());
  for (const Launch& launch : read().launches) {
    EXPECT_EQ(launch.failure, "");
    EXPECT_EQ(launch.cases.at(0).reason, "expected 1, found 2");
  }
}

TEST_F(AnEnsemble, RefusesBlocksWithoutThePrimaryClock) {
  add_program("child_liar", {"liar/case"}, {{"LIAR_MODE", "no-primary"}});
  run_.plan.rounds = 1;
  ASSERT_TRUE(start());
  for (const Launch& launch : read().launches) {
    EXPECT_EQ(launch.failure, "");
    EXPECT_THAT(launch.cases.at(0).reason, HasSubstr("primary clock, wall"));
  }
}

TEST_F(AnEnsemble, RepeatsADisturbedTurnOnceAndMarksIt) {
  add_program("child_steady", {"steady/fast"}, {{"STEADY_DISTURBED", "steady/fast"}});
  run_.plan.rounds = 1;
  ASSERT_TRUE(start());
  for (const Launch& launch : read().launches) {
    std::vector<std::string> turns;
    for (const Block& block : launch.cases.at(0).blocks)
      turns.push_back(std::to_string(block.turn) + '.' + std::to_string(block.attempt) + ' ' + block.disturbed);
    EXPECT_THAT(turns, ElementsAre("0.0 ", "1.0 2 forced switches by others", "1.1 ", "2.0 ", "3.0 "));
  }
}

TEST_F(AnEnsemble, RepeatsNoMoreThanAQuarterOfTheTurns) {
  add_program("child_steady", {"steady/fast"}, {{"STEADY_DISTURBED", "steady/fast"}});
  run_.plan.rounds = 1;
  run_.plan.turns = 3;
  ASSERT_TRUE(start());
  for (const Launch& launch : read().launches) EXPECT_THAT(launch.cases.at(0).blocks, SizeIs(3));
}

}  // namespace
}  // namespace bindgate
