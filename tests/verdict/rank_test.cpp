#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "verdict/case_digest.hpp"
#include "verdict/gate.hpp"
#include "verdict/simulated.hpp"

namespace bindgate {
namespace {

using simulated::Conditions;
using simulated::Random;
using testing::HasSubstr;
using testing::StartsWith;

CaseRanking ranked(const Run& run) { return rank(evidence_of(run)).front(); }

const RankedVariant& row(const CaseRanking& ranking, const std::string& variant) {
  const auto found = std::find_if(ranking.variants.begin(), ranking.variants.end(),
                                  [&](const RankedVariant& one) { return one.variant == variant; });
  EXPECT_NE(found, ranking.variants.end()) << variant;
  return *found;
}

std::vector<std::string> order(const CaseRanking& ranking) {
  std::vector<std::string> names;
  for (const RankedVariant& one : ranking.variants) names.push_back(one.variant);
  return names;
}

void expect_only_numbers(const CaseRanking& ranking) {
  for (const RankedVariant& one : ranking.variants)
    if (one.ratio) {
      for (const double value : {one.ratio->estimate, one.ratio->low, one.ratio->high})
        EXPECT_TRUE(std::isfinite(value)) << one.variant;
      EXPECT_LE(one.ratio->low, one.ratio->estimate);
      EXPECT_LE(one.ratio->estimate, one.ratio->high);
    }
  EXPECT_THAT(ranking.sentence, testing::Not(testing::AnyOf(HasSubstr("nan"), HasSubstr("inf"))));
}

/// The case in every launch of a variant, the twin's left out.
template <typename Change>
void each(Run& run, const std::string& variant, Change change) {
  for (Launch& launch : run.launches)
    if (launch.member.variant == variant && launch.member.role != Role::twin) change(launch, launch.cases.front());
}

Block block(unsigned turn, std::vector<std::int64_t> nanoseconds, unsigned attempt = 0, std::string disturbed = "") {
  Block made;
  made.turn = turn;
  made.attempt = attempt;
  made.nanoseconds[Clock::wall] = std::move(nanoseconds);
  made.disturbed = std::move(disturbed);
  return made;
}

TEST(Turns, TakeTheRepetitionOfADisturbedBlock) {
  CaseRun run;
  run.batch = 10;
  run.blocks = {block(0, {100, 200, 300}),
                block(1, {900}, 0, "switched"),
                block(1, {400}, 1),
                block(2, {800}, 0, "switched"),
                block(2, {800}, 1, "again"),
                block(3, {700}, 0, "switched"),
                block(4, {0})};
  CaseInfo info;
  const CaseDigest digest = digest_of(run, info);
  EXPECT_EQ(digest.turns, (TurnTimes{{0, std::log(20)}, {1, std::log(40)}}))
      << "turns 2 and 3 stayed disturbed, turn 4 is below the clock's resolution";
  EXPECT_EQ(digest.times.value().median_ns, 20);
  info.primary = Clock::device;
  EXPECT_TRUE(digest_of(run, info).turns.empty());
  EXPECT_FALSE(digest_of(run, info).times);
}

TEST(Turns, KeepAFirstAttemptThatNothingDisturbed) {
  CaseRun run;
  run.blocks = {block(0, {100}), block(0, {500}, 1)};
  EXPECT_EQ(digest_of(run, {}).turns, (TurnTimes{{0, std::log(100)}}));
}

TEST(Turns, CompareOnlyTurnsThatBothHave) {
  const TurnTimes a{{0, 1.0}, {1, 2.0}, {2, 3.0}, {5, 9.0}}, b{{0, 0.9}, {1, 1.7}, {2, 2.8}, {6, 0.0}};
  EXPECT_NEAR(log_ratio(a, b).value(), 0.2, 1e-12);
  EXPECT_NEAR(log_ratio(b, a).value(), -0.2, 1e-12);
  EXPECT_FALSE(log_ratio(a, {}));
}

TEST(Turns, PoolBaseAndTwinWhereBothAreThere) {
  const TurnTimes pooled = pool({{0, 1.0}, {1, 2.0}}, {{1, 4.0}, {2, 5.0}});
  EXPECT_EQ(pooled, (TurnTimes{{0, 1.0}, {1, 3.0}, {2, 5.0}}));
}

TEST(Ranking, NamesAVariantThatBeatsEveryOther) {
  Random random(1);
  const CaseRanking ranking = ranked(simulated::run(random, {{"none"}, {"numactl", 1.06}, {"one-per-core", 0.90}}));
  EXPECT_EQ(ranking.best, "one-per-core");
  EXPECT_THAT(ranking.sentence,
              testing::MatchesRegex("one-per-core is fastest: [89]\\.[0-9] to 1[01]\\.[0-9] % less time "
                                    "than the next, none"));
  EXPECT_THAT(order(ranking), testing::ElementsAre("one-per-core", "none", "numactl"));
  const RankedVariant& best = row(ranking, "one-per-core");
  EXPECT_NEAR(best.ratio->estimate, 0.90, 0.01);
  EXPECT_LT(best.ratio->high, 1);
  EXPECT_EQ(best.n, 6U);
  EXPECT_NEAR(best.seconds.value(), 0.9e-3, 0.1e-3);
  EXPECT_TRUE(best.variance && best.variance->plain_cv);
  EXPECT_FALSE(row(ranking, "none").ratio) << "the base is not compared with itself";
  EXPECT_NEAR(ranking.twin->estimate, 1, 0.02);
  expect_only_numbers(ranking);
}

TEST(Ranking, CorrectsForAllPairsOfOneCase) {
  Random random(2);
  const CaseRanking ranking = ranked(simulated::run(random, {{"none"}, {"numactl"}, {"remote"}, {"interleave"}}));
  EXPECT_DOUBLE_EQ(row(ranking, "remote").ratio->low_level, 1 - 0.05 / 12);
  EXPECT_DOUBLE_EQ(row(ranking, "remote").ratio->high_level, 1 - 0.05 / 12);
}

TEST(Ranking, KnowsAnIntervalDoneByHand) {
  // Three rounds at ln ratios 0.01, 0.02, 0.03; t(0.975, 2) = 4.302653, se = 0.01 / sqrt 3.
  Random random(3);
  bindgate::Run run = simulated::run(random, {{"none"}, {"numactl"}}, {.rounds = 3, .turns = 1});
  std::erase_if(run.launches, [](const Launch& launch) { return launch.member.role == Role::twin; });
  for (Launch& launch : run.launches) {
    const bool base = launch.member.role == Role::base;
    launch.cases.front().blocks = {block(0, {std::llround(1e9 * (base ? 1 : std::exp(0.01 * (launch.round + 1))))})};
  }
  const Ratio ratio = row(ranked(run), "numactl").ratio.value();
  EXPECT_NEAR(std::log(ratio.estimate), 0.02, 1e-8);
  EXPECT_NEAR(std::log(ratio.low), 0.02 - 0.0248414, 1e-6);
  EXPECT_NEAR(std::log(ratio.high), 0.02 + 0.0248414, 1e-6);
}

TEST(Ranking, ComparesWithBaseAndTwinPooled) {
  Random random(19);
  const Conditions frozen{.twin = std::exp(0.04), .turn_sd = 0, .round_sd = 0, .sample_sd = 0};
  const Ratio ratio = row(ranked(simulated::run(random, {{"none"}, {"numactl"}}, frozen)), "numactl").ratio.value();
  EXPECT_NEAR(std::log(ratio.estimate), -0.02, 1e-5);
}

TEST(Ranking, NamesTheBaseWhenItIsBest) {
  Random random(4);
  const CaseRanking ranking = ranked(simulated::run(random, {{"none"}, {"numactl", 1.06}, {"remote", 1.4}}));
  EXPECT_EQ(ranking.best, "none");
  EXPECT_THAT(ranking.sentence, testing::MatchesRegex("none is fastest: .* % less time than the next, numactl"));
}

TEST(Ranking, CallsATieATie) {
  Random random(5);
  const CaseRanking ranking =
      ranked(simulated::run(random, {{"none"}, {"numactl"}, {"remote", 1.3}, {"one-per-core"}}));
  EXPECT_EQ(ranking.best, "");
  EXPECT_THAT(ranking.sentence, StartsWith("tie: "));
  EXPECT_THAT(ranking.sentence, testing::EndsWith(" %)"));
  EXPECT_THAT(ranking.sentence, HasSubstr(" cannot be told apart (within "));
  for (const std::string name : {"none", "numactl", "one-per-core"}) EXPECT_THAT(ranking.sentence, HasSubstr(name));
  EXPECT_THAT(ranking.sentence, testing::Not(HasSubstr("remote"))) << "it was beaten";
}

TEST(Ranking, ComparesVariantsWithEachOtherAndNotOnlyWithTheBase) {
  // The base's own launches vary so much that nothing beats it; the two others are still told apart.
  Random random(6);
  bindgate::Run run = simulated::run(random, {{"none", 1.1}, {"numactl", 1.0}, {"remote", 1.1}});
  for (Launch& launch : run.launches)
    if (launch.member.variant == "none")
      for (Block& one : launch.cases.front().blocks)
        for (std::int64_t& time : one.nanoseconds[Clock::wall]) time = time * (launch.round % 2 == 0 ? 2 : 1);
  const CaseRanking ranking = ranked(run);
  EXPECT_EQ(ranking.best, "");
  EXPECT_THAT(ranking.sentence, StartsWith("tie: numactl and none cannot"));
}

TEST(Ranking, InvertsTheRatioWhenTheSidesAreSwapped) {
  Random random(7);
  bindgate::Run run = simulated::run(random, {{"none"}, {"numactl", 0.95}});
  std::erase_if(run.launches, [](const Launch& launch) { return launch.member.role == Role::twin; });
  const Ratio there = row(ranked(run), "numactl").ratio.value();
  run.plan.base = "numactl";
  const CaseRanking swapped = ranked(run);
  const Ratio back = row(swapped, "none").ratio.value();
  EXPECT_NEAR(there.estimate * back.estimate, 1, 1e-12);
  EXPECT_NEAR(there.low * back.high, 1, 1e-12);
  EXPECT_EQ(swapped.best, "numactl");
}

TEST(Ranking, DoesNotCareAboutTheOrderOfLaunches) {
  Random random(8);
  bindgate::Run run = simulated::run(random, {{"none"}, {"numactl", 0.97}, {"remote", 1.2}});
  const auto before = rank(evidence_of(run));
  std::reverse(run.launches.begin(), run.launches.end());
  const auto after = rank(evidence_of(run));
  EXPECT_EQ(before.front().sentence, after.front().sentence);
  EXPECT_EQ(row(before.front(), "remote").ratio, row(after.front(), "remote").ratio);
}

TEST(Ranking, NamesNothingWhenTheTwinDiffers) {
  Random random(9);
  const CaseRanking slower = ranked(simulated::run(random, {{"none"}, {"numactl", 0.80}}, {.twin = 1.1}));
  EXPECT_EQ(slower.best, "");
  EXPECT_THAT(slower.sentence, testing::MatchesRegex("disturbed: the twin, the same code and placement, took "
                                                     "[0-9.]+ to 1[0-9.]+ % more time than the base; "
                                                     "nothing can be named"));
  const CaseRanking faster = ranked(simulated::run(random, {{"none"}, {"numactl", 0.80}}, {.twin = 0.9}));
  EXPECT_THAT(faster.sentence, HasSubstr(" % less time than the base"));
  EXPECT_LT(faster.twin->high, 1);
}

TEST(Ranking, NamesTheBestThoughTheTwinDiffersWithinTheTolerance) {
  Random random(11);
  const simulated::Conditions quiet{.twin = 1.006, .turn_sd = 0.01, .round_sd = 0.001, .sample_sd = 0.005};
  const CaseRanking ranking = ranked(simulated::run(random, {{"none"}, {"numactl", 0.80}}, quiet));
  EXPECT_GT(ranking.twin->low, 1) << "it does differ";
  EXPECT_EQ(ranking.best, "numactl");
}

TEST(Ranking, NeverNamesAVariantWithTroubleInAnyLaunch) {
  Random random(10);
  const bindgate::Run good = simulated::run(random, {{"none"}, {"numactl", 1.05}, {"one-per-core", 0.80}});
  const std::vector<std::pair<std::string, std::function<void(Launch&, CaseRun&)>>> troubles{
      {"failed: wrong result",
       [](Launch&, CaseRun& one) { one.outcome = CaseOutcome::failed, one.reason = "wrong result"; }},
      {"failed: killed by SIGSEGV",
       [](Launch& launch, CaseRun& one) {
         one.outcome = CaseOutcome::unfinished;
         launch.failure = "killed by SIGSEGV";
       }},
      {"not run: no bf16 kernel",
       [](Launch&, CaseRun& one) { one.outcome = CaseOutcome::not_run, one.reason = "no bf16 kernel"; }},
      {"binding violated: thread 7 on CPU 3",
       [](Launch&, CaseRun& one) { one.proof = Proof{ProofStatus::violated, "thread 7 on CPU 3", 1, {}, 0}; }},
      {"unverifiable: move_pages: EPERM",
       [](Launch&, CaseRun& one) { one.proof = Proof{ProofStatus::unverifiable, "move_pages: EPERM", 1, {}, 0}; }},
      {"unverifiable: the journal holds no proof", [](Launch&, CaseRun& one) { one.proof.reset(); }}};
  for (const auto& [problem, trouble] : troubles) {
    bindgate::Run run = good;
    each(run, "one-per-core", [&](Launch& launch, CaseRun& one) {
      if (launch.round == 3) trouble(launch, one);
    });
    const CaseRanking ranking = ranked(run);
    EXPECT_EQ(row(ranking, "one-per-core").problem, problem);
    EXPECT_EQ(ranking.variants.back().variant, "one-per-core");
    EXPECT_EQ(row(ranking, "one-per-core").n, 5U);
    EXPECT_EQ(ranking.best, "none") << "of those that remain";
  }
}

TEST(Ranking, NamesTheGravestTrouble) {
  Random random(11);
  bindgate::Run run = simulated::run(random, {{"none"}, {"numactl"}});
  each(run, "numactl", [](Launch& launch, CaseRun& one) {
    one.proof->status = launch.round == 2 ? ProofStatus::violated : ProofStatus::unverifiable;
    one.proof->detail = "thread 7";
  });
  EXPECT_EQ(row(ranked(run), "numactl").problem, "binding violated: thread 7");
  EXPECT_EQ(ranked(run).sentence, "nothing to compare none with: numactl: binding violated: thread 7");
}

TEST(Ranking, SaysOnceWhatKeepsEveryVariantOut) {
  Random random(12);
  bindgate::Run run = simulated::run(random, {{"none"}, {"numactl"}});
  for (Launch& launch : run.launches)
    launch.cases.front().outcome = CaseOutcome::not_run, launch.cases.front().reason = "no bf16 kernel";
  EXPECT_EQ(ranked(run).sentence, "not run: no bf16 kernel");
}

TEST(Ranking, CountsCompleteRoundsOnly) {
  Random random(13);
  bindgate::Run run = simulated::run(random, {{"none"}, {"numactl", 0.9}});
  run.rounds = {0, 1, 2, 3};
  for (const Launch& launch : run.launches)
    if (launch.round == 3) run.abandoned.insert(launch.id);
  EXPECT_EQ(row(ranked(run), "numactl").n, 3U);
  for (Launch& launch : run.launches)
    if (launch.round == 2) launch.member.purpose = Purpose::attribute;
  EXPECT_EQ(row(ranked(run), "numactl").n, 2U);
  run.rounds = {0};
  EXPECT_EQ(row(ranked(run), "numactl").problem, "too few rounds: 1 usable, at least 2 are needed");
  EXPECT_EQ(ranked(run).sentence, "too few rounds: 1 usable, at least 2 are needed");
  run.rounds = {};
  EXPECT_EQ(ranked(run).best, "");
  EXPECT_FALSE(ranked(run).twin);
}

TEST(Ranking, SaysWhenThereIsOnePlacementOnly) {
  Random random(14);
  bindgate::Run run = simulated::run(random, {{"none"}});
  for (const std::string name : {"taskset", "numactl"}) {
    PlannedVariant same;
    same.name = name;
    same.same_as = "none";
    run.plan.variants.push_back(same);
  }
  PlannedVariant remote;
  remote.name = "remote";
  remote.status = VariantStatus::skipped;
  remote.reason = "one node only";
  run.plan.variants.push_back(remote);
  const CaseRanking ranking = ranked(run);
  EXPECT_EQ(ranking.best, "");
  EXPECT_EQ(ranking.sentence, "only one placement here: none, taskset and numactl are the same");
  EXPECT_THAT(row(ranking, "none").same_as, testing::ElementsAre("taskset", "numactl"));
  EXPECT_EQ(row(ranking, "remote").problem, "not run: one node only");
  EXPECT_TRUE(ranking.twin);
}

TEST(Ranking, GivesADefinedAnswerForConstantTimes) {
  Random random(15);
  const Conditions frozen{.turn_sd = 0, .round_sd = 0, .sample_sd = 0};
  const CaseRanking equal = ranked(simulated::run(random, {{"none"}, {"numactl"}}, frozen));
  EXPECT_EQ(equal.sentence, "tie: none and numactl cannot be told apart (within 0 %)");
  const CaseRanking different = ranked(simulated::run(random, {{"none"}, {"numactl", 0.97}}, frozen));
  EXPECT_EQ(different.sentence, "numactl is fastest: 3.0 % less time than the next, none");
  expect_only_numbers(different);
}

TEST(Ranking, StaysFiniteForTwoRoundsThatDisagreeWildly) {
  Random random(16);
  bindgate::Run run = simulated::run(random, {{"none"}, {"numactl"}, {"remote"}, {"interleave"}}, {.rounds = 2});
  each(run, "remote", [](Launch& launch, CaseRun& one) {
    for (Block& every : one.blocks) every.nanoseconds[Clock::wall] = {launch.round == 0 ? 1 : 1'000'000'000'000};
  });
  const CaseRanking ranking = ranked(run);
  EXPECT_EQ(ranking.best, "");
  EXPECT_THAT(ranking.sentence, testing::EndsWith("(not even within 100 %: run more rounds)"));
  expect_only_numbers(ranking);
}

TEST(Ranking, RanksEveryPlannedCaseInItsOrder) {
  Random random(17);
  bindgate::Run run = simulated::run(random, {{"none"}, {"numactl"}});
  CaseInfo never = run.plan.programs.front().cases.front();
  never.name = "matmul/bf16/m=512";
  run.plan.programs.front().cases.push_back(never);
  const auto rankings = rank(evidence_of(run));
  ASSERT_EQ(rankings.size(), 2U);
  EXPECT_EQ(rankings[1].case_name, "matmul/bf16/m=512");
  EXPECT_EQ(rankings[1].sentence, "not run: its launch ended before it");
}

/// In how many of 2,000 cases without any difference something is named.
double false_naming(const std::vector<simulated::Contestant>& contestants, unsigned rounds) {
  Random random(18);
  unsigned named = 0;
  for (unsigned i = 0; i < 2000; ++i) {
    const CaseRanking ranking = ranked(simulated::run(random, contestants, {.rounds = rounds, .turns = 2}));
    named += ranking.best.empty() ? 0U : 1U;
  }
  return named / 2000.0;
}

TEST(Ranking, NamesNothingMoreOftenThanItPromisesWhereNothingDiffers) {
  // 95 % confidence; three standard errors of 2,000 trials above it.
  EXPECT_LE(false_naming({{"none"}, {"numactl"}}, 6), 0.05 + 0.015);
  EXPECT_LE(false_naming({{"none"}, {"numactl"}, {"remote"}}, 3), 0.05);
}

TEST(Ranking, TellsWhatRanksGetDoneTogetherAndHowTheSlowestFares) {
  Random random(31);
  const CaseRanking ranking = ranked(
      simulated::run(random, {{"none"}, {"pair:0", 1.25, "pair"}, {"pair:1", 2.0, "pair"}, {"alone", 1.5}}));
  ASSERT_EQ(ranking.groups.size(), 1u);
  const CoRunning& pair = ranking.groups.front();
  EXPECT_EQ(pair.group, "pair");
  EXPECT_THAT(pair.ranks, testing::ElementsAre("pair:0", "pair:1"));
  EXPECT_EQ(pair.n, 6u);
  EXPECT_EQ(pair.problem, "");
  EXPECT_NEAR(pair.throughput->estimate, 1 / 1.25 + 1 / 2.0, 0.03);
  EXPECT_LE(pair.throughput->low, 1.3);
  EXPECT_GE(pair.throughput->high, 1.3);
  EXPECT_NEAR(pair.slowest->estimate, 2.0, 0.04);
  EXPECT_NEAR(row(ranking, "pair:0").ratio->estimate, 1.25, 0.03) << "each rank has its own row";
}

TEST(Ranking, LetsRanksCompeteWithNobody) {
  Random random(32);
  const CaseRanking ranking = ranked(
      simulated::run(random, {{"none"}, {"numactl", 0.9}, {"pair:0", 0.5, "pair"}, {"pair:1", 0.5, "pair"}}));
  EXPECT_EQ(ranking.best, "numactl");
  EXPECT_DOUBLE_EQ(row(ranking, "numactl").ratio->low_level, 1 - 0.05 / (2 * 5))
      << "one pair, two ranks, and what they do together and their slowest";
  EXPECT_THAT(order(ranking), testing::ElementsAre("numactl", "none", "pair:0", "pair:1"));
}

TEST(Ranking, SaysNothingOfAGroupOfWhichOneRankHasFailed) {
  Random random(33);
  bindgate::Run run = simulated::run(random, {{"none"}, {"pair:0", 1.2, "pair"}, {"pair:1", 1.2, "pair"}});
  for (Launch& launch : run.launches)
    if (launch.round == 3 && launch.member.variant == "pair:1") {
      launch.cases.front().outcome = CaseOutcome::failed;
      launch.cases.front().reason = "expected 1, found 2";
    }
  const CaseRanking ranking = ranked(run);
  ASSERT_EQ(ranking.groups.size(), 1u);
  EXPECT_FALSE(ranking.groups.front().throughput);
  EXPECT_EQ(ranking.groups.front().problem, "pair:1: failed: expected 1, found 2");
}

TEST(Ranking, LaysOutPairsOfNodesAsAMatrix) {
  Random random(34);
  bindgate::Run run = simulated::run(random, {{"none"}, {"matrix:0,0", 1.0}, {"matrix:0,8", 1.5}, {"matrix:8,0", 1.8},
                                              {"numactl", 1.2}});
  PlannedVariant equal;
  equal.name = "matrix:8,8";
  equal.same_as = "numactl";
  run.plan.variants.push_back(equal);
  const CaseRanking ranking = ranked(run);
  ASSERT_TRUE(ranking.matrix);
  EXPECT_THAT(ranking.matrix->cpu_nodes, testing::ElementsAre(0, 8));
  EXPECT_THAT(ranking.matrix->memory_nodes, testing::ElementsAre(0, 8));
  const auto& cells = ranking.matrix->cells;
  EXPECT_FALSE(cells[0][0].to_local);
  EXPECT_NEAR(cells[0][1].to_local->estimate, 1.5, 0.03);
  EXPECT_NEAR(cells[1][0].to_local->estimate, 1.8 / 1.2, 0.03);
  EXPECT_EQ(cells[1][1].seconds, row(ranking, "numactl").seconds);
}

TEST(Ranking, HasNoMatrixWhereNoPairOfNodesWasMeasured) {
  Random random(35);
  EXPECT_FALSE(ranked(simulated::run(random, {{"none"}, {"matrix", 1.0}, {"matrix:0", 1.5}})).matrix);
}

}  // namespace
}  // namespace bindgate
