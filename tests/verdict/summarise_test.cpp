#include "verdict/summarise.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bindgate {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Block block(unsigned turn, std::vector<std::int64_t> times, unsigned attempt = 0, std::string disturbed = "") {
  Block made;
  made.turn = turn;
  made.attempt = attempt;
  made.nanoseconds[Clock::thread] = std::move(times);
  made.nanoseconds[Clock::wall] = std::vector<std::int64_t>(made.nanoseconds[Clock::thread].size(), 77'777);
  made.disturbed = std::move(disturbed);
  return made;
}

/// One case, "none" with base and twin, `rounds` rounds.
Run small_run(unsigned rounds = 1) {
  Run run;
  run.id = "run-1";
  run.started = "2026-01-31T00:00:00Z";
  run.fingerprint.fields = {{"cpu", "Example"}};
  run.environment = {{"kernel", "6.1"}};
  CaseInfo info;
  info.name = "matmul/a";
  info.primary = Clock::thread;
  PlannedProgram program;
  program.name = "bench_matmul";
  program.cases = {info};
  run.plan.programs = {program};
  run.plan.variants.resize(1);
  run.plan.variants[0].name = "none";
  for (unsigned round = 0; round < rounds; ++round) {
    run.rounds.insert(round);
    for (const Role role : {Role::twin, Role::base}) {
      Launch& launch = run.launches.emplace_back();
      launch.id = static_cast<unsigned>(run.launches.size());
      launch.round = round;
      launch.program = "bench_matmul";
      launch.member = {"none", Side::new_side, role, Purpose::measure};
      CaseRun& one = launch.cases.emplace_back();
      one.name = "matmul/a";
      one.outcome = CaseOutcome::ok;
      one.batch = 10;
      one.blocks = {block(0, {1000, 1010}), block(1, {990, 1020})};
    }
  }
  return run;
}

std::vector<NightLaunch> launches(const Run& run) {
  const auto cases = summarise(evidence_of(run));
  return cases.empty() ? std::vector<NightLaunch>{} : cases.front().nights.front().variants.at("none");
}

TEST(Summarise, KeepsWhatANightNeeds) {
  const auto cases = summarise(evidence_of(small_run()));
  ASSERT_EQ(cases.size(), 1U);
  EXPECT_EQ(cases[0].case_name, "matmul/a");
  EXPECT_EQ(cases[0].clock, Clock::thread);
  EXPECT_EQ(cases[0].fingerprint, small_run().fingerprint);
  const Night& night = cases[0].nights.front();
  EXPECT_EQ(night.run, "run-1");
  EXPECT_EQ(night.measured, "2026-01-31T00:00:00Z");
  EXPECT_EQ(night.environment, small_run().environment);
  // 990, 1000, 1010, 1020: median 1005, median absolute deviation 10.
  EXPECT_THAT(night.variants.at("none"), ElementsAre(NightLaunch{0, Role::base, 100.5, 0.0147522, {}},
                                                     NightLaunch{0, Role::twin, 100.5, 0.0147522, {}}));
}

void count(Block& block, std::int64_t misses, std::int64_t instructions) {
  block.indicators.cache_misses = misses;
  block.indicators.instructions = instructions;
}

TEST(Summarise, KeepsTheMedianOfCacheMissesOverUndisturbedTurnsInThreeDigits) {
  auto run = small_run();
  for (Launch& launch : run.launches) {
    auto& blocks = launch.cases[0].blocks = {block(0, {1000}), block(1, {1000}, 0, "others"), block(2, {1000}),
                                             block(3, {1000})};
    count(blocks[0], 900'000, 1'000'000);  // it began cold
    count(blocks[1], 800'000, 1'000'000);
    count(blocks[2], 1'234, 100'000);
    count(blocks[3], 10, 0);  // nothing to divide by
  }
  auto& twin = run.launches[0].cases[0].blocks;
  twin[0].indicators.instructions.reset();
  EXPECT_EQ(launches(run)[0].mpki, 456.0);  // (900 + 12.34) / 2
  EXPECT_EQ(launches(run)[1].mpki, 12.3);
  for (Block& own : twin) count(own, 1, 100'000'000);
  EXPECT_EQ(launches(run)[1].mpki, 0.0);
  for (Block& own : twin) own.indicators = {};
  EXPECT_EQ(launches(run)[1].mpki, std::nullopt);
}

TEST(Summarise, ARepetitionReplacesItsDisturbedTurn) {
  auto run = small_run();
  for (Launch& launch : run.launches)
    launch.cases[0].blocks = {block(0, {9000}, 0, "others"), block(0, {1000}, 1), block(1, {8000}, 0, "others"),
                              block(1, {8000}, 1, "others"), block(2, {1200})};
  EXPECT_EQ(launches(run).front().median_ns, 110);
  for (Launch& launch : run.launches)
    for (Block& own : launch.cases[0].blocks) own.disturbed = "others";
  EXPECT_THAT(summarise(evidence_of(run)), IsEmpty());
}

TEST(Summarise, NumbersCarrySixDigits) {
  auto run = small_run();
  for (Launch& launch : run.launches) {
    launch.cases[0].batch = 7;
    launch.cases[0].blocks = {block(0, {123'456'789})};
    launch.cases[0].blocks[0].references[ReferenceKernel::compute] = {1'000'001, 1'000'004};
  }
  EXPECT_EQ(launches(run).front().median_ns, 1.76367e7);
  EXPECT_THAT(launches(run).front().references_ns, ElementsAre(std::pair(ReferenceKernel::compute, 1e6)));
}

TEST(Summarise, LeavesOutWhatDoesNotCount) {
  const auto without = [](auto change) {
    auto run = small_run(2);
    change(run, run.launches[0]);
    return launches(run).size();
  };
  EXPECT_EQ(without([](bindgate::Run&, Launch&) {}), 4U);
  EXPECT_EQ(without([](bindgate::Run& run, Launch& launch) { run.abandoned.insert(launch.id); }), 3U);
  EXPECT_EQ(without([](bindgate::Run& run, Launch&) { run.rounds.erase(0); }), 2U);
  EXPECT_EQ(without([](bindgate::Run&, Launch& launch) { launch.member.purpose = Purpose::probe; }), 3U);
  EXPECT_EQ(without([](bindgate::Run&, Launch& launch) { launch.cases[0].outcome = CaseOutcome::failed; }), 3U);
  EXPECT_EQ(without([](bindgate::Run&, Launch& launch) { launch.cases[0].outcome = CaseOutcome::unfinished; }), 3U);
  EXPECT_EQ(without([](bindgate::Run&, Launch& launch) { launch.failure = "crashed at its end"; }), 3U);
  EXPECT_EQ(without([](bindgate::Run&, Launch& launch) {
              launch.cases[0].proof = Proof{ProofStatus::violated, "x", 1, {}, 0};
            }),
            3U);
  EXPECT_EQ(without([](bindgate::Run&, Launch& launch) { launch.placement.memory.policy = MemoryPolicy::bind; }), 3U)
      << "a claim without a proof";
  EXPECT_EQ(without([](bindgate::Run&, Launch& launch) { launch.cases[0].blocks = {block(0, {0})}; }), 3U)
      << "below resolution";
}

TEST(Summarise, WhatItGivesReadsBackAsItIs) {
  for (const CaseHistory& history : summarise(evidence_of(small_run(3)))) {
    const auto read = parse_case_history(encode(history), "test");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, history);
  }
}

}  // namespace
}  // namespace bindgate
