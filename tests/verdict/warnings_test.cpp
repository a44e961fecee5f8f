// Warnings: when they are said, of what, and that nothing hangs on them.
#include "verdict/warnings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "verdict/cache_misses.hpp"
#include "verdict/gate.hpp"
#include "verdict/remote_pages.hpp"
#include "verdict/simulated.hpp"
#include "verdict/summarise.hpp"

namespace bindgate {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

const NearestMemory two_nodes{{0, {0}}, {1, {0}}, {2, {1}}, {3, {1}}};

/// One launch of one case, with 1,000 bytes of which `remote` lie on node 1.
struct OneLaunch {
  Launch launch;
  CaseRun run;
  CaseDigest digest;

  OneLaunch(IndexSet ran_on, std::uint64_t remote, Memory memory = {}) {
    launch.placement.cpus = {0, 1, 2, 3};
    launch.placement.memory = std::move(memory);
    run.proof.emplace().status = ProofStatus::held;
    run.proof->ran_on = std::move(ran_on);
    run.proof->node_bytes = {{0, 1000 - remote}, {1, remote}};
  }
  [[nodiscard]] SeriesLaunch seat() const { return {&launch, &run, &digest}; }
  [[nodiscard]] std::optional<RemotePages> warned(double threshold = 0.1,
                                                  const NearestMemory& nearest = two_nodes) const {
    return remote_pages(std::vector{seat()}, nearest, threshold);
  }
};

TEST(RemotePages, AreThoseOnNodesThatAreNotNearTheCpusOfTheLaunch) {
  const auto pages = OneLaunch({0, 1}, 450).warned();
  ASSERT_TRUE(pages);
  EXPECT_DOUBLE_EQ(pages->share, 0.45);
  EXPECT_EQ(pages->threshold, 0.1);
  EXPECT_EQ(pages->bytes, 450u);
  EXPECT_EQ(pages->working_set_bytes, 1000u);
  EXPECT_EQ(pages->nodes, IndexSet{1});
  EXPECT_EQ(pages->nearest, IndexSet{0});
  EXPECT_EQ(OneLaunch({0, 2}, 450).warned(), std::nullopt) << "it ran on both nodes";
  EXPECT_DOUBLE_EQ(OneLaunch({2}, 450).warned().value().share, 0.55);
}

TEST(RemotePages, UpToTheThresholdAreNotWorthAWord) {
  EXPECT_EQ(OneLaunch({0}, 100).warned(), std::nullopt);
  EXPECT_TRUE(OneLaunch({0}, 101).warned());
  EXPECT_TRUE(OneLaunch({0}, 1).warned(0));
  EXPECT_EQ(OneLaunch({0}, 0).warned(0), std::nullopt);
  EXPECT_EQ(remote_pages(std::vector{OneLaunch({0}, 900).seat()}, two_nodes, std::nullopt), std::nullopt);
}

TEST(RemotePages, ThatThePlacementAsksForAreNoAccident) {
  EXPECT_EQ(OneLaunch({0}, 1000, {MemoryPolicy::bind, {1}}).warned(), std::nullopt) << "as remote and the matrix do";
  EXPECT_EQ(OneLaunch({0}, 500, {MemoryPolicy::interleave, {0, 1}}).warned(), std::nullopt);
  EXPECT_EQ(OneLaunch({0}, 300, {MemoryPolicy::preferred_many, {1}}).warned(), std::nullopt) << "all else is near";
  EXPECT_TRUE(OneLaunch({0}, 300, {MemoryPolicy::preferred, {0}}).warned()) << "what spilled over was not asked for";
  EXPECT_TRUE(OneLaunch({0}, 300, {MemoryPolicy::local, {}}).warned());
}

TEST(RemotePages, AreHeldAgainstWhereItMayRunWhereItsThreadsWereNotSeen) {
  OneLaunch launch({}, 450);
  EXPECT_EQ(launch.warned(), std::nullopt);
  launch.launch.placement.cpus = {0, 1};
  EXPECT_TRUE(launch.warned());
  launch.launch.placement.workers = {2};
  EXPECT_EQ(launch.warned(), std::nullopt) << "its workers' node is near, too";
}

TEST(RemotePages, AreNotSpokenOfWhereNotEnoughIsKnown) {
  OneLaunch launch({0, 7}, 1000);
  EXPECT_EQ(launch.warned(), std::nullopt) << "CPU 7 may be near node 1";
  EXPECT_EQ(OneLaunch({0}, 1000).warned(0.1, {}), std::nullopt);
  launch.run.proof->ran_on = {0};
  EXPECT_TRUE(launch.warned());
  launch.run.proof->node_bytes.clear();
  EXPECT_EQ(launch.warned(), std::nullopt);
  launch.run.proof.reset();
  EXPECT_EQ(launch.warned(), std::nullopt);
}

TEST(RemotePages, AreToldOfTheWorstLaunchWithHowManyAreLikeIt) {
  std::vector<OneLaunch> launches{{{0}, 50}, {{0}, 200}, {{0}, 700}, {{0}, 300}, {{0}, 0}};
  for (unsigned round = 0; round < launches.size(); ++round) launches[round].launch.round = round;
  launches[4].run.proof->node_bytes.clear();
  std::vector<SeriesLaunch> seats;
  for (const OneLaunch& launch : launches) seats.push_back(launch.seat());
  const auto pages = remote_pages(seats, two_nodes, 0.1);
  ASSERT_TRUE(pages);
  EXPECT_DOUBLE_EQ(pages->share, 0.7);
  EXPECT_EQ(pages->round, 2u);
  EXPECT_EQ(pages->beyond, 3u);
  EXPECT_EQ(pages->launches, 4u);
}

NightLaunch with(std::optional<double> mpki) { return {0, Role::other, 1e6, 0.01, {}, mpki}; }

TEST(CacheMisses, AreComparedByTheMediansOfLaunches) {
  const std::vector<NightLaunch> tonight{with(1), with(4), with(5), with(std::nullopt)};
  const std::vector<double> stored{2, 2.1, 100, 0.1};
  const auto misses = more_cache_misses(tonight, stored, 1.5);
  ASSERT_TRUE(misses);
  EXPECT_EQ(*misses, (CacheMisses{4, 2.05, 1.5, 3, 4}));
  EXPECT_EQ(more_cache_misses(tonight, stored, 2), std::nullopt);
  EXPECT_EQ(more_cache_misses(tonight, stored, std::nullopt), std::nullopt);
}

TEST(CacheMisses, JustAtTheFactorOrTooFewToMatterAreNotWorthAWord) {
  const std::vector<double> two{2}, hardly_any{0.0001}, none{0};
  EXPECT_EQ(more_cache_misses(std::vector{with(3)}, two, 1.5), std::nullopt);
  EXPECT_TRUE(more_cache_misses(std::vector{with(3.01)}, two, 1.5));
  EXPECT_EQ(more_cache_misses(std::vector{with(0.0099)}, hardly_any, 1.5), std::nullopt);
  EXPECT_TRUE(more_cache_misses(std::vector{with(0.01)}, hardly_any, 1.5));
  EXPECT_TRUE(more_cache_misses(std::vector{with(0.01)}, none, 1.5));
}

TEST(CacheMisses, ThatOneSideDidNotCountAreNotCompared) {
  const std::vector<double> two{2};
  EXPECT_EQ(more_cache_misses(std::vector{with(std::nullopt)}, two, 1.5), std::nullopt);
  EXPECT_EQ(more_cache_misses(std::vector{with(9)}, {}, 1.5), std::nullopt);
}

/// Six rounds of none and numactl on node 0, their pages there, `mpki` cache misses per 1,000 instructions.
Run quiet_run(std::int64_t mpki = 2) {
  simulated::Random random(7);
  const simulated::Conditions quiet{.rounds = 6, .turns = 60, .turn_sd = 1e-3, .round_sd = 1e-3, .sample_sd = 1e-3};
  auto run = simulated::run(random, {{"none", 1}, {"numactl", 1}}, quiet);
  run.id = "tonight";
  run.plan.rounds = 6;
  for (Launch& launch : run.launches) {
    launch.cases[0].proof->ran_on = {0, 1};
    launch.cases[0].proof->node_bytes = {{0, 1000}};
    launch.settings["perf_events"] = "cycles, instructions, cache_misses";
    for (Block& block : launch.cases[0].blocks) {
      block.indicators.instructions = 1'000'000;
      block.indicators.cache_misses = 1000 * mpki;
    }
  }
  return run;
}

Evidence evidence(const Run& run) {
  Evidence made = evidence_of(run);
  made.nearest_memory = two_nodes;
  return made;
}

Baseline stored(const Run& run) {
  Baseline baseline;
  baseline.cases = summarise(evidence_of(run));
  for (CaseHistory& history : baseline.cases) {
    Night night = history.nights.front();
    history.nights.clear();
    for (const char* name : {"a", "b", "c", "d", "e"}) {
      night.run = name;
      history.nights.push_back(night);
    }
  }
  return baseline;
}

void each(Run& run, const std::string& variant, const std::function<void(Launch&)>& change) {
  for (Launch& launch : run.launches)
    if (launch.member.variant == variant) change(launch);
}

const Warnings& of(const GateResult& result, const std::string& variant) {
  static const Warnings none;
  for (const Judgement& judgement : result.cases)
    if (judgement.variant == variant) return judgement.warnings;
  ADD_FAILURE() << variant;
  return none;
}

TEST(GateWarnings, StandBesideTheVerdictAndNeverChangeIt) {
  auto run = quiet_run(4);
  each(run, "none", [](Launch& launch) {
    if (launch.member.role == Role::twin && launch.round == 3) launch.cases[0].proof->node_bytes = {{0, 500}, {1, 500}};
  });
  GateResult result = gate(evidence(run), stored(quiet_run()), {});
  EXPECT_EQ(result.verdict, Verdict::pass);
  EXPECT_EQ(result.exit, 0);
  ASSERT_TRUE(of(result, "none").remote_pages);
  EXPECT_EQ(of(result, "none").remote_pages->round, 3u);
  EXPECT_EQ(of(result, "none").remote_pages->launches, 12u) << "the twin's among them";
  EXPECT_EQ(of(result, "none").cache_misses, (CacheMisses{4, 2, 1.5, 12, 60}));
  EXPECT_EQ(of(result, "numactl").remote_pages, std::nullopt);
  EXPECT_EQ(of(result, "numactl").cache_misses, (CacheMisses{4, 2, 1.5, 6, 30}));
  for (Judgement& judgement : result.cases) judgement.warnings = {};
  EXPECT_EQ(result, gate(evidence(quiet_run()), stored(quiet_run()), {})) << "but for the warnings all is as without";
}

TEST(GateWarnings, FollowThePolicyOfTheirSeries) {
  auto run = quiet_run(4);
  for (const char* variant : {"none", "numactl"})
    each(run, variant, [](Launch& launch) { launch.cases[0].proof->node_bytes = {{0, 800}, {1, 200}}; });
  Policy policy;
  policy.overrides.resize(1);
  policy.overrides[0].pattern.variant_glob = "numactl";
  policy.overrides[0].warn_remote_pages.emplace(std::nullopt);
  policy.overrides[0].warn_cache_misses = 3;
  const GateResult result = gate(evidence(run), stored(quiet_run()), policy);
  EXPECT_TRUE(of(result, "none").remote_pages && of(result, "none").cache_misses);
  EXPECT_EQ(of(result, "numactl"), Warnings{});
}

TEST(GateWarnings, OfPagesNeedNoBaselineAndOfMissesOneThatCanBeCompared) {
  auto run = quiet_run(4);
  each(run, "none", [](Launch& launch) { launch.cases[0].proof->node_bytes = {{1, 1}}; });
  const GateResult alone = gate(evidence(run), {}, {});
  EXPECT_TRUE(of(alone, "none").remote_pages);
  EXPECT_EQ(of(alone, "none").cache_misses, std::nullopt);
  Baseline elsewhere = stored(quiet_run());
  for (Night& night : elsewhere.cases[0].nights) night.placements["none"] = "CPUs 7, memory default, 1 thread";
  const GateResult other = gate(evidence(run), elsewhere, {});
  EXPECT_EQ(of(other, "none").cache_misses, std::nullopt);
  EXPECT_TRUE(of(other, "numactl").cache_misses);
}

TEST(GateWarnings, OfMissesForgetNightsBeforeTheLevel) {
  Baseline baseline = stored(quiet_run());
  const Baseline of_the_level = stored(quiet_run(4));
  for (Night later : of_the_level.cases[0].nights) {
    later.run += "-later";
    later.level = 1;
    baseline.cases[0].nights.push_back(later);
  }
  EXPECT_EQ(of(gate(evidence(quiet_run(4)), baseline, {}), "none"), Warnings{});
}

std::vector<std::string> notes_on_misses(const Run& run, const Baseline& baseline, const Policy& policy = {}) {
  std::vector<std::string> notes = gate(evidence(run), baseline, policy).notes;
  std::erase_if(notes, [](const std::string& note) { return !note.starts_with("cache misses: "); });
  return notes;
}

TEST(GateWarnings, SayOnceWhyMissesWereNotCounted) {
  auto run = quiet_run();
  EXPECT_THAT(notes_on_misses(run, stored(quiet_run())), IsEmpty());
  for (Launch& launch : run.launches) {
    launch.settings["perf_events"] = "refused: perf_event_paranoid is 4";
    for (Block& block : launch.cases[0].blocks) block.indicators = {};
  }
  EXPECT_THAT(notes_on_misses(run, stored(quiet_run())),
              ElementsAre("cache misses: not counted, so not compared: perf_event_open refused: perf_event_paranoid is "
                          "4"));
  EXPECT_THAT(notes_on_misses(run, {}), testing::SizeIs(1)) << "whoever looks for it before there is a baseline, too";
  for (Launch& launch : run.launches) launch.settings["perf_events"] = "cycles; cache_misses refused: why";
  EXPECT_THAT(notes_on_misses(run, {}), ElementsAre("cache misses: not counted, so not compared: of perf_event_open "
                                                    "there are cycles; cache_misses refused: why"));
  for (Launch& launch : run.launches) launch.settings.clear();
  EXPECT_THAT(notes_on_misses(run, {}),
              ElementsAre("cache misses: not counted, so not compared: the program does not say why"));
  Policy off;
  off.limits.warn_cache_misses.reset();
  EXPECT_THAT(notes_on_misses(run, {}, off), IsEmpty());
  off.overrides.resize(1);
  off.overrides[0].warn_cache_misses = 2;
  EXPECT_THAT(notes_on_misses(run, {}, off), testing::SizeIs(1));
}

TEST(GateWarnings, NameTheProgramsThatDoNotCountWhereOthersDo) {
  auto run = quiet_run();
  run.plan.programs.push_back(run.plan.programs[0]);
  run.plan.programs[1].name = "bench_other";
  run.plan.programs[1].cases[0].name = "other";
  const std::vector<Launch> launches = run.launches;
  for (Launch launch : launches) {
    launch.id += 1000;
    launch.program = "bench_other";
    launch.settings.clear();
    launch.cases[0].name = "other";
    for (Block& block : launch.cases[0].blocks) block.indicators = {};
    run.launches.push_back(launch);
  }
  EXPECT_THAT(notes_on_misses(run, {}), ElementsAre("cache misses: not counted, so not compared for bench_other: the "
                                                    "program does not say why"));
}

TEST(GateWarnings, SayThatTheBaselineHasNoCountsYet) {
  auto before = quiet_run();
  for (Launch& launch : before.launches)
    for (Block& block : launch.cases[0].blocks) block.indicators = {};
  EXPECT_THAT(notes_on_misses(quiet_run(), stored(before)),
              ElementsAre(StartsWith("cache misses: counted here, but in no night of the baseline")));
}

TEST(ShowWarnings, AreOfPagesAlone) {
  auto run = quiet_run(4);
  each(run, "none", [](Launch& launch) {
    if (launch.member.role == Role::twin) launch.cases[0].proof->node_bytes = {{1, 1}};
  });
  const std::vector<CaseRanking> rankings = rank(evidence(run));
  for (const RankedVariant& row : rankings.front().variants) {
    EXPECT_EQ(row.warnings.remote_pages.has_value(), row.variant == "none") << row.variant;
    EXPECT_EQ(row.warnings.cache_misses, std::nullopt);
  }
}

}  // namespace
}  // namespace bindgate
