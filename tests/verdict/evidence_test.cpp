#include "verdict/evidence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verdict/simulated.hpp"

namespace bindgate {
namespace {

using testing::IsEmpty;

Run small_run() {
  simulated::Random random(1);
  return simulated::run(random, {{"none"}, {"numactl"}}, {.rounds = 2, .turns = 4});
}

TEST(Evidence, KeepsADigestOfEachPlannedCaseAndNoSamples) {
  auto run = small_run();
  run.launches[0].loaded = {"/usr/lib/libc.so"};
  run.launches[0].cases[0].warmup_ns = {1, 2};
  const Evidence evidence = evidence_of(run);
  ASSERT_EQ(evidence.run.launches.size(), 6U);
  for (const Launch& launch : evidence.run.launches) {
    const CaseRun& measured = launch.cases.front();
    EXPECT_EQ(measured.blocks.capacity(), 0U) << "memory that is kept is not saved";
    EXPECT_EQ(measured.warmup_ns.capacity(), 0U);
    EXPECT_THAT(launch.loaded, IsEmpty());
    const CaseDigest* digest = evidence.digests.find(launch.id, measured.name);
    ASSERT_TRUE(digest);
    EXPECT_EQ(digest->turns.size(), 4U);
    EXPECT_TRUE(digest->times);
  }
  EXPECT_FALSE(evidence.digests.find(99, "matmul/f32/m=512"));
  EXPECT_FALSE(evidence.digests.find(1, "matmul/f32"));
}

TEST(Evidence, HasNoDigestOfWhatWasNotPlanned) {
  auto run = small_run();
  run.launches[0].cases[0].name = "matmul/f32/m=513";
  run.launches[1].program = "bench_other";
  const Evidence evidence = evidence_of(run);
  EXPECT_FALSE(evidence.digests.find(run.launches[0].id, "matmul/f32/m=513"));
  EXPECT_FALSE(evidence.digests.find(run.launches[1].id, "matmul/f32/m=512"));
}

TEST(Evidence, CountsLaunchesThatMeasuredInCompleteRounds) {
  auto run = small_run();
  run.launches[0].member.purpose = Purpose::probe;
  run.launches[1].program = "bench_other";
  run.abandoned = {run.launches[2].id};
  run.rounds.erase(1);
  EXPECT_THAT(counted_launches(evidence_of(run), "bench_matmul"), IsEmpty());
  run.rounds.insert(1);
  const Evidence evidence = evidence_of(run);
  const auto counted = counted_launches(evidence, "bench_matmul");
  ASSERT_EQ(counted.size(), 3U);
  const SeriesLaunch& first = counted[0].cases.at("matmul/f32/m=512");
  EXPECT_EQ(first.launch, &evidence.run.launches[3]);
  EXPECT_EQ(first.run, &evidence.run.launches[3].cases[0]);
  EXPECT_EQ(first.digest, evidence.digests.find(first.launch->id, "matmul/f32/m=512"));
}

TEST(CaseDigest, TellsWhyThereIsNoTime) {
  CaseInfo info;
  info.primary = Clock::thread;
  CaseRun run;
  EXPECT_FALSE(digest_of(run, info).undisturbed);
  EXPECT_FALSE(digest_of(run, info).mostly_disturbed);
  Block& block = run.blocks.emplace_back();
  block.nanoseconds[Clock::wall] = {5};
  EXPECT_TRUE(digest_of(run, info).undisturbed);
  EXPECT_FALSE(digest_of(run, info).timed);
  block.nanoseconds[Clock::thread] = {0};
  EXPECT_TRUE(digest_of(run, info).timed);
  EXPECT_FALSE(digest_of(run, info).times) << "a median of 0 ns";
  block.nanoseconds[Clock::thread] = {7};
  EXPECT_EQ(digest_of(run, info).times.value().median_ns, 7);
  block.disturbed = "others";
  const CaseDigest disturbed = digest_of(run, info);
  EXPECT_FALSE(disturbed.undisturbed || disturbed.timed || disturbed.times);
  EXPECT_TRUE(disturbed.mostly_disturbed);
}

TEST(CaseDigest, KeepsReferencesOfUndisturbedTurnsOnly) {
  CaseRun run;
  for (unsigned turn = 0; turn < 3; ++turn) {
    Block& block = run.blocks.emplace_back();
    block.turn = turn;
    block.nanoseconds[Clock::wall] = {100};
    block.references[ReferenceKernel::l2] = {turn == 2 ? 9000 : 10};
    block.disturbed = turn == 2 ? "others" : "";
  }
  const UndisturbedTimes times = digest_of(run, {}).times.value();
  EXPECT_EQ(times.references_ns[static_cast<std::size_t>(ReferenceKernel::l2)], 10);
  EXPECT_FALSE(times.references_ns[static_cast<std::size_t>(ReferenceKernel::dram)]);
}

TEST(CaseDigest, DropsTheSlowestTwoInAHundredWhateverTiesThereAre) {
  CaseRun run;
  Block& block = run.blocks.emplace_back();
  // 150 samples, three dropped: of the four equal slowest one stays.
  auto& samples = block.nanoseconds[Clock::wall];
  samples.assign(150, 1000);
  for (const std::size_t place : {10, 20, 30, 40}) samples[place] = 5000;
  const LaunchFigures figures = digest_of(run, {}).figures;
  const double mean = (146 * 1000.0 + 5000) / 147,
               deviation = 146 * (1000 - mean) * (1000 - mean) + (5000 - mean) * (5000 - mean);
  EXPECT_NEAR(figures.spread.value().cv, std::sqrt(deviation / 146) / mean, 1e-12);
}

}  // namespace
}  // namespace bindgate
