// Every line of the verdict table, each with what it wins over and what it loses to.
#include "verdict/gate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "verdict/simulated.hpp"
#include "verdict/summarise.hpp"

namespace bindgate {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const std::string the_case = "matmul/f32/m=512";

/// Six quiet rounds of one case under none and numactl; every launch's time is `factor` ms.
Run quiet_run(double factor = 1, unsigned rounds = 6) {
  simulated::Random random(7);
  const simulated::Conditions quiet{
      .rounds = rounds, .turns = 60, .turn_sd = 1e-3, .round_sd = 1e-3, .sample_sd = 1e-3};
  auto run = simulated::run(random, {{"none", factor}, {"numactl", factor}}, quiet);
  run.id = "tonight";
  run.started = "2026-02-01T02:00:00Z";
  run.fingerprint.fields = {{"cpu", "Example 9000"}, {"memory", "32 GiB"}};
  run.environment = {{"kernel", "6.1"}};
  run.plan.rounds = rounds;
  return run;
}

/// `nights` accepted runs that measured what `run` did.
Baseline stored(const Run& run, unsigned nights = 5) {
  Baseline baseline;
  baseline.cases = summarise(evidence_of(run));
  for (CaseHistory& history : baseline.cases) {
    Night night = history.nights.front();
    history.nights.clear();
    for (unsigned i = 0; i < nights; ++i) {
      night.run = "night-" + std::to_string(i);
      night.measured = night.accepted = "2026-01-0" + std::to_string(i + 1) + "T02:00:00Z";
      history.nights.push_back(night);
    }
  }
  return baseline;
}

template <class Change>
void each(Run& run, const std::string& variant, Change change) {
  for (Launch& launch : run.launches)
    if (launch.member.variant == variant) change(launch, launch.cases.front());
}

const Judgement& of(const GateResult& result, const std::string& variant, const std::string& case_name = the_case) {
  const auto found = std::find_if(result.cases.begin(), result.cases.end(), [&](const Judgement& one) {
    return one.case_name == case_name && one.variant == variant;
  });
  EXPECT_NE(found, result.cases.end()) << case_name << ' ' << variant;
  static const Judgement none;
  return found == result.cases.end() ? none : *found;
}

void make_slow_tail(CaseRun& run) {
  for (Block& block : run.blocks)
    if (block.turn % 8 == 0) block.nanoseconds[Clock::wall][0] = block.nanoseconds[Clock::wall][0] * 3 / 2;
}

void add_references(CaseRun& run, double sd) {
  simulated::Random random(11);
  for (Block& block : run.blocks)
    block.references[ReferenceKernel::compute] = {simulated::nanoseconds(simulated::normal(random, sd)),
                                                  simulated::nanoseconds(simulated::normal(random, sd))};
}

void make_twin_slower(Run& run, double factor) {
  for (Launch& launch : run.launches)
    if (launch.member.role == Role::twin)
      for (Block& block : launch.cases.front().blocks)
        for (auto& time : block.nanoseconds[Clock::wall]) time = std::llround(static_cast<double>(time) * factor);
}

TEST(Gate, AnUnchangedRunPassesAndNamesWhatWouldHaveBeenCaught) {
  const GateResult result = gate(evidence_of(quiet_run()), stored(quiet_run()), {});
  EXPECT_EQ(result.verdict, Verdict::pass);
  EXPECT_EQ(result.exit, 0);
  ASSERT_EQ(result.cases.size(), 2U);
  const Judgement& own = of(result, "none");
  EXPECT_EQ(own.n, 6U);
  EXPECT_EQ(own.n_unit, "round");
  EXPECT_EQ(own.base_n, 5U);
  EXPECT_EQ(own.base_unit, "night");
  EXPECT_NEAR(own.seconds.value(), 1e-3, 1e-5);
  EXPECT_NEAR(own.ratio.value().estimate, 1, 1e-9);
  EXPECT_GT(own.target.value(), 0.05);
  EXPECT_LT(own.target.value(), 1);
  EXPECT_TRUE(own.variance.value().judged);
  EXPECT_THAT(own.reasons, IsEmpty());
  EXPECT_THAT(result.notes, ElementsAre("compared with 5 nights of level 0, the newest measured 2026-01-05T02:00:00Z; "
                                        "2 comparisons, 1 % for a false alarm in any of them",
                                        StartsWith("cache misses: not counted")));
}

TEST(Gate, OrderOfLaunchesDoesNotMatter) {
  auto turned = quiet_run();
  std::reverse(turned.launches.begin(), turned.launches.end());
  EXPECT_EQ(gate(evidence_of(turned), stored(quiet_run()), {}),
            gate(evidence_of(quiet_run()), stored(quiet_run()), {}));
}

TEST(Gate, AFasterRunIsImproved) {
  const GateResult result = gate(evidence_of(quiet_run(0.2)), stored(quiet_run()), {});
  EXPECT_EQ(result.verdict, Verdict::improved);
  EXPECT_EQ(result.exit, 0);
  EXPECT_THAT(of(result, "none").reasons, ElementsAre("faster: takes 80 % less time"));
}

TEST(Gate, ASlowerRunIsRegressedWithExitOne) {
  const GateResult result = gate(evidence_of(quiet_run(5)), stored(quiet_run()), {});
  EXPECT_EQ(result.verdict, Verdict::regressed);
  EXPECT_EQ(result.exit, 1);
  EXPECT_GT(of(result, "none").ratio.value().low, 1.01);
  EXPECT_THAT(of(result, "none").reasons, ElementsAre(StartsWith("slower by 400 %, by ")));
}

TEST(Gate, OnlyNightsOfTheHighestLevelCount) {
  Baseline baseline = stored(quiet_run(), 2);
  for (CaseHistory& history : baseline.cases)
    for (CaseHistory& later : stored(quiet_run(5), 3).cases)
      for (Night& night : later.nights) {
        night.run += "-later";
        night.level = 1;
        history.nights.push_back(night);
      }
  const GateResult result = gate(evidence_of(quiet_run(5)), baseline, {});
  EXPECT_EQ(result.verdict, Verdict::pass);
  EXPECT_EQ(of(result, "none").base_n, 3U);
}

TEST(Gate, WhateverGoesWrongInAnyLaunchFailsAndIsNeverAMean) {
  struct Mishap {
    std::string reason;
    void (*happen)(Launch&, CaseRun&);
  };
  const Mishap mishaps[] = {
      {"wrong result at 3",
       [](Launch&, CaseRun& run) { run.outcome = CaseOutcome::failed, run.reason = "wrong result at 3"; }},
      {"killed by SIGSEGV",
       [](Launch& launch, CaseRun& run) {
         run.outcome = CaseOutcome::unfinished, launch.failure = "killed by SIGSEGV";
       }},
      {"no answer for 60 s",
       [](Launch& launch, CaseRun&) { launch.failure = "no answer for 60 s", launch.cases.clear(); }},
      {"status 1 at its end", [](Launch& launch, CaseRun&) { launch.failure = "status 1 at its end"; }},
      {"did not end", [](Launch&, CaseRun& run) { run.outcome = CaseOutcome::unfinished; }},
      {"binding violated: thread 7 on CPU 3", [](Launch&, CaseRun& run) {
         run.proof = Proof{ProofStatus::violated, "thread 7 on CPU 3", 1, {}, 0};
       }}};
  for (const Mishap& mishap : mishaps) {
    auto run = quiet_run(5);
    for (Launch& launch : run.launches)
      if (launch.round == 2 && launch.member.variant == "numactl") mishap.happen(launch, launch.cases.front());
    const GateResult result = gate(evidence_of(run), stored(quiet_run()), {});
    const Judgement& own = of(result, "numactl");
    EXPECT_EQ(own.verdict, Verdict::failed) << mishap.reason;
    EXPECT_THAT(own.reasons, ElementsAre(mishap.reason + " (round 3)"));
    EXPECT_FALSE(own.seconds || own.ratio || own.variance) << mishap.reason;
    EXPECT_EQ(of(result, "none").verdict, Verdict::regressed) << "the others are judged all the same";
  }
}

TEST(Gate, MishapsAreCountedAndRoundsBegunAgainAreForgotten) {
  auto run = quiet_run();
  each(run, "numactl", [](Launch&, CaseRun& own) { own.outcome = CaseOutcome::failed, own.reason = "wrong"; });
  EXPECT_THAT(of(gate(evidence_of(run), stored(quiet_run()), {}), "numactl").reasons,
              ElementsAre("wrong (round 1), in 6 of 6 launches"));
  each(run, "numactl", [&](Launch& launch, CaseRun&) { run.abandoned.insert(launch.id); });
  EXPECT_EQ(of(gate(evidence_of(run), stored(quiet_run()), {}), "numactl").verdict, Verdict::missing);
}

TEST(Gate, FailedWithoutABaselineIsStillFailed) {
  auto run = quiet_run();
  each(run, "none", [](Launch&, CaseRun& own) { own.outcome = CaseOutcome::failed, own.reason = "wrong"; });
  EXPECT_EQ(of(gate(evidence_of(run), {}, {}), "none").verdict, Verdict::failed);
}

TEST(Gate, WithoutABaselineForThisMachineItNamesTheNearest) {
  Baseline baseline;
  baseline.nearest = "example-9000-aabbccdd";
  baseline.differences = {"memory: 32 GiB here, 64 GiB there"};
  const GateResult result = gate(evidence_of(quiet_run()), baseline, {});
  EXPECT_EQ(result.verdict, Verdict::incomparable);
  EXPECT_EQ(result.exit, 4);
  EXPECT_THAT(of(result, "none").reasons,
              ElementsAre(testing::AllOf(HasSubstr("no baseline for this machine"), HasSubstr("example-9000-aabbccdd"),
                                         HasSubstr("memory: 32 GiB here, 64 GiB there"))));
  EXPECT_TRUE(of(result, "none").variance) << "how it varied is shown all the same";
}

TEST(Gate, NoBaselineIsForgivenOnlyWhereThePolicySaysSo) {
  for (const auto action : {Policy::OnNoBaseline::warn, Policy::OnNoBaseline::accept}) {
    Policy policy;
    policy.no_baseline = action;
    const GateResult result = gate(evidence_of(quiet_run()), {}, policy);
    EXPECT_EQ(result.verdict, Verdict::incomparable);
    EXPECT_EQ(result.exit, 0);
  }
}

TEST(Gate, ASeriesThatTheBaselineLacksIsIncomparable) {
  Baseline baseline = stored(quiet_run());
  for (Night& night : baseline.cases.front().nights) night.variants.erase("numactl");
  const GateResult result = gate(evidence_of(quiet_run()), baseline, {});
  EXPECT_EQ(of(result, "numactl").verdict, Verdict::incomparable);
  EXPECT_THAT(of(result, "numactl").reasons, ElementsAre(HasSubstr("no baseline for this series")));
  EXPECT_EQ(result.exit, 4);
  Policy policy;
  policy.no_baseline = Policy::OnNoBaseline::warn;
  EXPECT_EQ(gate(evidence_of(quiet_run()), baseline, policy).exit, 0);
}

TEST(Gate, AnotherClockOrAnotherMachineIsIncomparableAndNotForgiven) {
  Policy policy;
  policy.no_baseline = Policy::OnNoBaseline::warn;
  Baseline baseline = stored(quiet_run());
  baseline.cases.front().clock = Clock::thread;
  GateResult result = gate(evidence_of(quiet_run()), baseline, policy);
  EXPECT_EQ(result.verdict, Verdict::incomparable);
  EXPECT_EQ(result.exit, 4);
  EXPECT_THAT(of(result, "none").reasons,
              ElementsAre(HasSubstr("timed by the wall clock here, by the thread clock there")));
  baseline = stored(quiet_run());
  baseline.cases.front().fingerprint.fields["cpu"] = "Example 8000";
  result = gate(evidence_of(quiet_run()), baseline, policy);
  EXPECT_EQ(result.exit, 4);
  EXPECT_THAT(of(result, "none").reasons, ElementsAre(HasSubstr("cpu: Example 9000 here, Example 8000 there")));
}

TEST(Gate, ARunIsNotComparedWithItself) {
  Baseline baseline = stored(quiet_run(), 3);
  baseline.cases.front().nights.back().run = "tonight";
  const GateResult result = gate(evidence_of(quiet_run()), baseline, {});
  EXPECT_EQ(of(result, "none").base_n, 2U);
  EXPECT_THAT(result.notes, Contains(HasSubstr("its own night is left out")));
  baseline.cases.front().nights.erase(baseline.cases.front().nights.begin(), baseline.cases.front().nights.begin() + 2);
  EXPECT_THAT(of(gate(evidence_of(quiet_run()), baseline, {}), "none").reasons,
              ElementsAre(HasSubstr("is this run itself")));
}

TEST(Gate, NotRunIsMissingOnlyIfTheBaselineHoldsTheSeries) {
  auto run = quiet_run();
  each(run, "numactl",
       [](Launch&, CaseRun& own) { own.outcome = CaseOutcome::not_run, own.reason = "no bf16 kernel"; });
  const GateResult held = gate(evidence_of(run), stored(quiet_run()), {});
  EXPECT_EQ(of(held, "numactl").verdict, Verdict::missing);
  EXPECT_THAT(of(held, "numactl").reasons, ElementsAre("not run: no bf16 kernel"));
  EXPECT_EQ(held.exit, 4);

  const GateResult unheld = gate(evidence_of(run), stored(run), {});
  EXPECT_EQ(unheld.exit, 0);
  EXPECT_EQ(unheld.cases.size(), 1U);
  EXPECT_THAT(unheld.notes, Contains("not run: no bf16 kernel: matmul/f32/m=512 (numactl)"));
}

TEST(Gate, WhatIsRunInSomeLaunchesOnlyIsFailed) {
  auto run = quiet_run(1, 8);
  for (Launch& launch : run.launches)
    if (launch.member.variant == "numactl" && launch.round == 2)
      launch.cases.front().outcome = CaseOutcome::not_run, launch.cases.front().reason = "no device";
  const GateResult result = gate(evidence_of(run), stored(quiet_run()), {});
  EXPECT_EQ(of(result, "numactl").verdict, Verdict::failed);
  EXPECT_THAT(of(result, "numactl").reasons, ElementsAre("not run: no device (round 3), and run in others"));
  EXPECT_EQ(of(result, "none").verdict, Verdict::pass);
  EXPECT_EQ(result.exit, 4);
}

TEST(Gate, ASkippedVariantIsMissingOnlyIfTheBaselineHoldsIt) {
  auto run = quiet_run();
  run.plan.variants[1].status = VariantStatus::skipped;
  run.plan.variants[1].reason = "one node only";
  std::erase_if(run.launches, [](const Launch& launch) { return launch.member.variant == "numactl"; });
  const GateResult held = gate(evidence_of(run), stored(quiet_run()), {});
  EXPECT_THAT(of(held, "numactl").reasons, ElementsAre("not run: one node only"));
  EXPECT_EQ(held.verdict, Verdict::missing);
  EXPECT_EQ(gate(evidence_of(run), stored(run), {}).exit, 0);
}

TEST(Gate, ACaseThatIsGoneFromTheBuildIsMissing) {
  Baseline baseline = stored(quiet_run());
  baseline.cases.push_back(baseline.cases.front());
  baseline.cases.back().case_name = "conv/old";
  const GateResult result = gate(evidence_of(quiet_run()), baseline, {});
  EXPECT_EQ(result.exit, 4);
  EXPECT_THAT(of(result, "none", "conv/old").reasons, ElementsAre(HasSubstr("not in this build's cases")));
}

TEST(Gate, WhatTheSelectionLeavesOutIsListedWithoutEffect) {
  Baseline baseline = stored(quiet_run());
  baseline.cases.push_back(baseline.cases.front());
  baseline.cases.back().case_name = "conv/large";
  for (Night& night : baseline.cases.front().nights) night.variants["cpus:0-3"] = night.variants["none"];

  auto run = quiet_run();
  run.plan.left_out = {{"conv/large", "left out of the nightly list: an iteration takes 1.20 s"}};
  GateResult result = gate(evidence_of(run), baseline, {});
  EXPECT_EQ(result.exit, 0);
  EXPECT_EQ(result.verdict, Verdict::pass);
  EXPECT_THAT(of(result, "none", "conv/large").reasons,
              ElementsAre("left out of the nightly list: an iteration takes 1.20 s"));
  EXPECT_EQ(of(result, "cpus:0-3").verdict, Verdict::not_selected);
  EXPECT_EQ(result.cases.back().verdict, Verdict::not_selected) << "last, as it says nothing";

  run.plan.list = ProfileList{};
  run.plan.list->left_out = run.plan.left_out;
  EXPECT_EQ(gate(evidence_of(run), baseline, {}).exit, 0);
  run.plan.list->left_out.clear();
  result = gate(evidence_of(run), baseline, {});
  EXPECT_EQ(of(result, "none", "conv/large").verdict, Verdict::missing) << "it has nights, and was lost from the list";
  EXPECT_EQ(result.exit, 4);
  run.plan.left_out.front().reason = outside(run.plan.list->profile);
  EXPECT_EQ(gate(evidence_of(run), baseline, {}).exit, 0) << "a case of a larger profile";

  run = quiet_run();
  run.plan.selection.cases = {"matmul/*"};
  run.plan.selection.variants = {"numactl"};
  result = gate(evidence_of(run), baseline, {});
  EXPECT_EQ(result.exit, 0);
  EXPECT_THAT(of(result, "none", "conv/large").reasons, ElementsAre("outside --case"));
  EXPECT_THAT(of(result, "cpus:0-3").reasons, ElementsAre("not among the run's variants"));
}

TEST(Gate, AnUnfinishedRunUsesItsCompleteRoundsAndSaysSo) {
  auto run = quiet_run();
  run.finished = false;
  run.stopped = "interrupted by SIGINT";
  run.rounds.erase(5);
  const GateResult result = gate(evidence_of(run), stored(quiet_run()), {});
  EXPECT_EQ(of(result, "none").n, 5U);
  EXPECT_THAT(result.unfinished, HasSubstr("(interrupted by SIGINT): 5 of 6 rounds count"));
  EXPECT_EQ(of(result, "none").verdict, Verdict::pass);
  EXPECT_EQ(result.verdict, Verdict::missing) << "the rounds that it still owes";
  EXPECT_EQ(result.exit, 4);
  run.rounds.clear();
  const GateResult nothing = gate(evidence_of(run), stored(quiet_run()), {});
  EXPECT_EQ(nothing.verdict, Verdict::missing);
  EXPECT_EQ(nothing.exit, 4);
  EXPECT_THAT(of(nothing, "none").reasons, ElementsAre(StartsWith("run unfinished")));
}

TEST(Gate, AnUnverifiableBindingIsInconclusiveAndWinsOverRegressed) {
  auto run = quiet_run(5);
  each(run, "numactl", [](Launch&, CaseRun& own) {
    own.proof = Proof{ProofStatus::unverifiable, "move_pages (EPERM)", 1, {}, 0};
  });
  const GateResult result = gate(evidence_of(run), stored(quiet_run()), {});
  EXPECT_EQ(of(result, "numactl").verdict, Verdict::inconclusive);
  EXPECT_THAT(of(result, "numactl").reasons, ElementsAre(HasSubstr("unverifiable: move_pages (EPERM)")));
  EXPECT_FALSE(of(result, "numactl").ratio);
}

TEST(Gate, WhatClaimsNothingNeedsNoProof) {
  auto run = quiet_run();
  each(run, "none", [](Launch&, CaseRun& own) { own.proof.reset(); });
  EXPECT_EQ(of(gate(evidence_of(run), stored(quiet_run()), {}), "none").verdict, Verdict::pass);
  each(run, "numactl", [](Launch&, CaseRun& own) { own.proof.reset(); });
  EXPECT_THAT(of(gate(evidence_of(run), stored(quiet_run()), {}), "numactl").reasons,
              ElementsAre(HasSubstr("holds no proof")));
}

TEST(Gate, ATwinThatDiffersDisturbsItsCaseAndWinsOverRegressed) {
  auto run = quiet_run(5);
  make_twin_slower(run, 1.1);
  const GateResult result = gate(evidence_of(run), stored(quiet_run()), {});
  for (const char* variant : {"none", "numactl"}) {
    EXPECT_EQ(of(result, variant).verdict, Verdict::inconclusive);
    EXPECT_THAT(of(result, variant).reasons.front(),
                StartsWith("disturbed: the twin, the same code in the same turns, took 10 % longer"));
  }
  EXPECT_EQ(result.exit, 4);
  Policy policy;
  policy.inconclusive = Policy::OnDoubt::warn;
  EXPECT_EQ(gate(evidence_of(run), stored(quiet_run()), policy).exit, 4)
      << "inconclusive: warn does not speak of disturbances";
  policy.inconclusive = Policy::OnDoubt::fail;
  policy.disturbed = Policy::OnDoubt::warn;
  EXPECT_EQ(gate(evidence_of(run), stored(quiet_run()), policy).exit, 0);
  EXPECT_EQ(gate(evidence_of(run), stored(quiet_run()), policy).verdict, Verdict::inconclusive);
}

TEST(Gate, ATwinWithinToleranceDisturbsNothing) {
  auto run = quiet_run();
  make_twin_slower(run, 1.008);
  EXPECT_EQ(gate(evidence_of(run), stored(quiet_run()), {}).verdict, Verdict::pass);
}

TEST(Gate, CodeThatVariesBeyondTheMachineIsUnstableWithExitThree) {
  auto run = quiet_run();
  each(run, "numactl", [](Launch&, CaseRun& own) { make_slow_tail(own), add_references(own, 0.003); });
  const GateResult result = gate(evidence_of(run), stored(quiet_run()), {});
  EXPECT_EQ(result.verdict, Verdict::unstable);
  EXPECT_EQ(result.exit, 3);
  EXPECT_THAT(of(result, "numactl").reasons, Not(IsEmpty()));
  EXPECT_EQ(of(result, "none").verdict, Verdict::pass);
}

TEST(Gate, RegressedWinsOverUnstableAndBothAreTold) {
  auto run = quiet_run(5);
  each(run, "numactl", [](Launch&, CaseRun& own) { make_slow_tail(own), add_references(own, 0.003); });
  const GateResult result = gate(evidence_of(run), stored(quiet_run()), {});
  EXPECT_EQ(of(result, "numactl").verdict, Verdict::regressed);
  EXPECT_EQ(of(result, "numactl").reasons.size(), 2U);
}

TEST(Gate, VarianceThatTheMachineExplainsIsInconclusiveAndDisturbed) {
  auto run = quiet_run();
  each(run, "numactl", [](Launch&, CaseRun& own) { make_slow_tail(own), add_references(own, 0.3); });
  const GateResult result = gate(evidence_of(run), stored(quiet_run()), {});
  EXPECT_EQ(of(result, "numactl").verdict, Verdict::inconclusive);
  EXPECT_THAT(of(result, "numactl").reasons, ElementsAre(HasSubstr("frozen code")));
  Policy policy;
  policy.disturbed = Policy::OnDoubt::warn;
  EXPECT_EQ(gate(evidence_of(run), stored(quiet_run()), policy).exit, 0);
}

TEST(Gate, ARestlessMachineDoesNotHideAClearRatio) {
  auto run = quiet_run(5);
  each(run, "numactl", [](Launch&, CaseRun& own) { make_slow_tail(own), add_references(own, 0.3); });
  EXPECT_EQ(of(gate(evidence_of(run), stored(quiet_run()), {}), "numactl").verdict, Verdict::regressed);
}

TEST(Gate, FewerThanFiveLaunchesLeaveTheVarianceUnjudged) {
  const auto run = quiet_run(1, 4);
  const GateResult result = gate(evidence_of(run), stored(quiet_run()), {});
  EXPECT_EQ(result.verdict, Verdict::inconclusive);
  EXPECT_EQ(result.exit, 4);
  EXPECT_THAT(of(result, "none").reasons, ElementsAre(HasSubstr("variance not judged")));
  Policy policy;
  policy.limits.variance.statistic = VariancePolicy::Statistic::off;
  EXPECT_EQ(gate(evidence_of(run), stored(quiet_run()), policy).verdict, Verdict::pass);
  policy = {};
  policy.inconclusive = Policy::OnDoubt::warn;
  EXPECT_EQ(gate(evidence_of(run), stored(quiet_run()), policy).exit, 0);
}

TEST(Gate, AnUnjudgedVarianceHoldsAnImprovementBack) {
  EXPECT_EQ(gate(evidence_of(quiet_run(0.2, 4)), stored(quiet_run()), {}).verdict, Verdict::inconclusive);
}

TEST(Gate, AStrictTargetThatCannotBeRuledOutIsInconclusiveWithItsCure) {
  Policy policy;
  policy.limits.target = 0.05;
  const GateResult result = gate(evidence_of(quiet_run()), stored(quiet_run()), policy);
  EXPECT_EQ(result.verdict, Verdict::inconclusive);
  EXPECT_EQ(result.exit, 4);
  EXPECT_EQ(of(result, "none").target, 0.05);
  EXPECT_THAT(of(result, "none").reasons, ElementsAre(HasSubstr("more nights: run nightly and accept")));
}

TEST(Gate, TheFirstNightOfManySeriesSaysHowLittleItSees) {
  auto run = quiet_run();
  for (int i = 0; i < 9; ++i) {
    run.plan.programs.front().cases.push_back(run.plan.programs.front().cases.front());
    run.plan.programs.front().cases.back().name = the_case + "/" + std::to_string(i);
    for (Launch& launch : run.launches) {
      launch.cases.push_back(launch.cases.front());
      launch.cases.back().name = the_case + "/" + std::to_string(i);
    }
  }
  const GateResult result = gate(evidence_of(run), stored(run, 1), {});
  EXPECT_EQ(result.verdict, Verdict::inconclusive);
  EXPECT_EQ(of(result, "none").target, std::nullopt);
  EXPECT_THAT(of(result, "none").reasons,
              ElementsAre(StartsWith("too few nights: against 1 night only a change of +")));
  for (Launch& launch : run.launches)
    for (Block& block : launch.cases.front().blocks) block.nanoseconds[Clock::wall][0] *= 5;
  EXPECT_EQ(gate(evidence_of(run), stored(quiet_run(), 1), {}).exit, 1) << "but a large change is seen";
}

/// A quiet run whose numactl has another node in every second round.
Run rotating_run(unsigned rounds = 6) {
  auto run = quiet_run(1, rounds);
  PlannedVariant& numactl = run.plan.variants.back();
  Placement other = numactl.placement;
  other.cpus = IndexSet{40};
  numactl.alternatives = {numactl.placement, other};
  return run;
}

TEST(Gate, RotatingPlacementsAreComparedInEqualSharesOnly) {
  EXPECT_EQ(of(gate(evidence_of(rotating_run()), stored(rotating_run()), {}), "numactl").verdict, Verdict::pass);
  const Judgement other = of(gate(evidence_of(rotating_run(7)), stored(rotating_run()), {}), "numactl");
  EXPECT_EQ(other.verdict, Verdict::incomparable);
  EXPECT_THAT(other.reasons, ElementsAre(StartsWith("another placement in the baseline")));
}

TEST(Gate, ARotationThatLacksARoundHasNoTime) {
  auto run = rotating_run();
  each(run, "numactl", [](Launch& launch, CaseRun& own) {
    if (launch.round == 1)
      for (Block& block : own.blocks) block.disturbed = "a stranger took the CPU";
  });
  const GateResult result = gate(evidence_of(run), stored(rotating_run()), {});
  EXPECT_EQ(of(result, "numactl").verdict, Verdict::inconclusive);
  EXPECT_THAT(of(result, "numactl").reasons, ElementsAre(StartsWith("disturbed: a round of it gave no time")));
  EXPECT_FALSE(of(result, "numactl").seconds);
  EXPECT_EQ(of(result, "none").verdict, Verdict::pass);
}

TEST(Gate, OneRoundOnEachSideIsTooFew) {
  Policy policy;
  policy.limits.variance.statistic = VariancePolicy::Statistic::off;
  const GateResult result = gate(evidence_of(quiet_run(1, 1)), stored(quiet_run(1, 1)), policy);
  EXPECT_EQ(result.verdict, Verdict::inconclusive);
  EXPECT_THAT(of(result, "none").reasons, ElementsAre(StartsWith("too few rounds")));
}

TEST(Gate, RunsWithoutAUsableTimeSayWhy) {
  auto run = quiet_run();
  each(run, "none", [](Launch&, CaseRun& own) {
    for (Block& block : own.blocks) block.disturbed = "a stranger took the CPU";
  });
  each(run, "numactl", [](Launch&, CaseRun& own) {
    for (Block& block : own.blocks) block.nanoseconds[Clock::wall] = {0};
  });
  const GateResult result = gate(evidence_of(run), stored(quiet_run()), {});
  EXPECT_THAT(of(result, "none").reasons, ElementsAre(StartsWith("disturbed: no turn was left undisturbed")));
  EXPECT_THAT(of(result, "numactl").reasons, ElementsAre(StartsWith("below resolution")));
  EXPECT_EQ(result.exit, 4);
  EXPECT_FALSE(of(result, "numactl").seconds || of(result, "numactl").ratio);

  auto restless = quiet_run();
  each(restless, "none", [](Launch&, CaseRun& own) {
    for (std::size_t i = 0; i < own.blocks.size(); ++i)
      if (i % 4 != 0) own.blocks[i].disturbed = "a stranger took the CPU";
  });
  EXPECT_THAT(of(gate(evidence_of(restless), stored(quiet_run()), {}), "none").reasons,
              ElementsAre(StartsWith("disturbed: in every launch most of the turns")));
}

TEST(Gate, TheWorstExitWinsAndStandsFirst) {
  auto run = quiet_run();
  for (const char* name : {"unstable", "missing", "regressed"}) {
    run.plan.programs.front().cases.push_back(run.plan.programs.front().cases.front());
    run.plan.programs.front().cases.back().name = name;
    for (Launch& launch : run.launches) {
      launch.cases.push_back(launch.cases.front());
      launch.cases.back().name = name;
    }
  }
  const Baseline baseline = stored(run);
  for (Launch& launch : run.launches) {
    make_slow_tail(launch.cases[1]);
    add_references(launch.cases[1], 0.003);
    launch.cases[2].outcome = CaseOutcome::not_run;
    for (Block& block : launch.cases[3].blocks) block.nanoseconds[Clock::wall][0] *= 5;
  }
  const auto exit_and_first = [&](const std::vector<std::string>& gating) {
    Policy policy;
    for (const std::string& name : gating) policy.gating.push_back({name, "*"});
    const GateResult result = gate(evidence_of(run), baseline, policy);
    EXPECT_EQ(result.cases.front().verdict, Verdict::regressed) << "also where it does not decide";
    return result.exit;
  };
  EXPECT_EQ(exit_and_first({}), 1);
  EXPECT_EQ(exit_and_first({"unstable", "missing", the_case}), 3);
  EXPECT_EQ(exit_and_first({"missing", the_case}), 4);
  EXPECT_EQ(exit_and_first({the_case}), 0);
  EXPECT_EQ(exit_and_first({"nothing like this"}), 4) << "nothing decides: that is no pass";
}

TEST(Gate, AnEmptyRunIsNoPass) {
  auto run = quiet_run();
  run.launches.clear();
  run.plan.programs.clear();
  const GateResult result = gate(evidence_of(run), {}, {});
  EXPECT_EQ(result.exit, 4);
  EXPECT_THAT(result.notes, Contains(HasSubstr("nothing was judged")));
}

TEST(Gate, EqualPlacementsStandInOneLineAndCoverEachOthersNights) {
  auto run = quiet_run();
  PlannedVariant other;
  other.name = "taskset";
  other.same_as = "numactl";
  for (const PlannedVariant& variant : run.plan.variants)
    if (variant.name == "numactl") other.placement = variant.placement;
  run.plan.variants.push_back(other);
  Baseline baseline = stored(quiet_run());
  for (Night& night : baseline.cases.front().nights) {
    night.variants["taskset"] = night.variants["numactl"];
    night.variants.erase("numactl");
    night.placements["taskset"] = night.placements["numactl"];
  }
  const GateResult result = gate(evidence_of(run), baseline, {});
  EXPECT_EQ(result.exit, 0);
  ASSERT_EQ(result.cases.size(), 2U);
  EXPECT_THAT(of(result, "numactl").same_as, ElementsAre("taskset"));
  EXPECT_EQ(of(result, "numactl").base_n, 5U);
}

TEST(Gate, NeverComparesTimesUnderAnotherPlacement) {
  const Baseline baseline = stored(quiet_run());
  auto run = quiet_run();
  for (PlannedVariant& variant : run.plan.variants)
    if (variant.name == "none") variant.placement.threads += 1;
  const GateResult result = gate(evidence_of(run), baseline, {});
  EXPECT_EQ(of(result, "none").verdict, Verdict::incomparable);
  EXPECT_THAT(of(result, "none").reasons, ElementsAre(HasSubstr("another placement in the baseline (CPUs ")));
  EXPECT_EQ(of(result, "numactl").verdict, Verdict::pass) << "whose placement is as it was";
  EXPECT_EQ(result.exit, 4);
  Policy lenient;
  lenient.no_baseline = Policy::OnNoBaseline::warn;
  EXPECT_EQ(gate(evidence_of(run), baseline, lenient).exit, 4) << "there is a baseline; it just does not fit";
}

TEST(Gate, LeavesOutLaunchesThatTheMachineDisturbedMostOfTheTime) {
  auto run = quiet_run();
  each(run, "numactl", [](Launch&, CaseRun& own) {
    for (std::size_t i = 0; i + 1 < own.blocks.size(); ++i) own.blocks[i].disturbed = "a stranger";
  });
  const GateResult result = gate(evidence_of(run), stored(quiet_run()), {});
  EXPECT_EQ(of(result, "numactl").verdict, Verdict::inconclusive);
  EXPECT_EQ(result.exit, 4);
}

TEST(Gate, AFinishedJournalThatLacksRoundsDoesNotPass) {
  auto run = quiet_run();
  run.rounds.erase(5);
  const GateResult result = gate(evidence_of(run), stored(quiet_run()), {});
  EXPECT_EQ(result.verdict, Verdict::missing);
  EXPECT_EQ(result.exit, 4);
}

TEST(Gate, ADebugBuildNeverPassesNorIsItRegressed) {
  Policy lenient;
  lenient.inconclusive = Policy::OnDoubt::warn;
  lenient.no_baseline = Policy::OnNoBaseline::warn;
  const auto expect_refused = [&](const auto& run, const Baseline& baseline, const std::string& name) {
    const GateResult result = gate(evidence_of(run), baseline, lenient);
    EXPECT_EQ(result.verdict, Verdict::inconclusive) << name;
    EXPECT_EQ(result.exit, 4) << "no policy overlooks it";
    EXPECT_EQ(of(result, "none").reasons.at(0),
              name + " is a Debug build, and no time of one passes; build with cmake --preset release");
  };
  for (const double factor : {0.2, 1.0, 5.0})
    for (const Baseline& baseline : {stored(quiet_run()), Baseline{}}) {
      auto program = quiet_run(factor), harness = program;
      for (Launch& launch : program.launches) launch.build_type = "Debug";
      expect_refused(program, baseline, program.launches.front().program);
      harness.bindgate_build = "Debug";
      expect_refused(harness, baseline, "bindgate");
    }
}

TEST(Gate, ADebugBuildOfAnotherProgramIsNoFaultOfThisOne) {
  auto run = quiet_run();
  Launch other = run.launches.front();
  other.id = 1000;
  other.program = "bench_other";
  other.build_type = "Debug";
  run.launches.push_back(other);
  EXPECT_EQ(gate(evidence_of(run), stored(quiet_run()), {}).exit, 0);
}

TEST(Gate, WhatChangedBesidesIsListed) {
  Baseline baseline = stored(quiet_run());
  Night& newest = baseline.cases.front().nights.back();
  newest.environment = {{"kernel", "5.10"}, {"bindgate", "0.1.0"}};
  baseline.cases.front().nights.front().forced = true;
  auto run = quiet_run();
  run.environment = {{"kernel", "6.1"}, {"bindgate", "0.2.0"}};
  const GateResult result = gate(evidence_of(run), baseline, {});
  EXPECT_THAT(result.environment_changes,
              ElementsAre("bindgate: 0.2.0 here, 0.1.0 there", "kernel: 6.1 here, 5.10 there"));
  EXPECT_THAT(result.notes, Contains("accepted by force: night-0"));
  EXPECT_EQ(result.verdict, Verdict::pass) << "it is for a person to judge";
}

TEST(Gate, NoNumberIsEverNaN) {
  for (const double factor : {1e-3, 1.0, 1e6})
    for (const Judgement& own : gate(evidence_of(quiet_run(factor)), stored(quiet_run()), {}).cases) {
      for (const double value :
           {own.seconds.value(), own.ratio.value().estimate, own.ratio.value().low, own.ratio.value().high})
        EXPECT_TRUE(std::isfinite(value));
      for (const std::string& reason : own.reasons) EXPECT_THAT(reason, Not(HasSubstr("nan")));
    }
}

}  // namespace
}  // namespace bindgate
