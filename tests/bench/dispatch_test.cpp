#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "dispatch/ping_pong.hpp"
#include "dispatch/sleeper.hpp"
#include "dispatch/steps.hpp"
#include "support/cpus.hpp"

namespace bindgate {
namespace {

TEST(Team, RunsEveryMemberOnceAndWaitsForAll) {
  for (const unsigned size : {1u, 2u, 5u}) {
    Team team(size, "a name that is too long");
    EXPECT_EQ(team.size(), size);
    std::vector<int> calls(size);
    for (int run = 0; run < 200; ++run) team.run([&](unsigned member) { ++calls.at(member); });
    EXPECT_EQ(calls, std::vector<int>(size, 200));
  }
}

TEST(Team, EndsWithoutEverHavingRun) { Team team(3, "test"); }

TEST(SpinBarrier, LetsNobodyThroughBeforeAllHaveArrived) {
  Team team(2, "test");
  SpinBarrier barrier(2);
  std::atomic<unsigned> arrived[2] = {};
  std::atomic<unsigned> early = 0;
  team.run([&](unsigned member) {
    for (unsigned i = 1; i <= 300; ++i) {
      ++arrived[member];
      barrier.arrive_and_wait();
      if (arrived[1 - member] < i) ++early;
    }
  });
  EXPECT_EQ(early, 0u);
  EXPECT_EQ(arrived[0], 300u);
}

TEST(Scramble, HasAClosedForm) {
  for (const std::uint64_t rounds : {0u, 1u, 2u, 3u, 1000u, 65'537u})
    EXPECT_EQ(scramble(42, rounds), expected_scramble(42, rounds)) << rounds;
}

TEST(SharedSteps, DoTheirWorkWithAnyNumberOfThreads) {
  for (const unsigned threads : {1u, 2u, 4u}) {
    Team team(threads, "test");
    SharedSteps steps(team, 1000);
    steps.run();
    steps.run();
    const auto right = steps.check();
    EXPECT_TRUE(right) << right.error().message;
  }
}

TEST(Sleeper, IsWokenOnceACall) {
  Sleeper sleeper;
  for (int i = 0; i < 50; ++i) EXPECT_GT(sleeper.wake(std::chrono::milliseconds(0)).count(), 0);
  EXPECT_EQ(sleeper.wakes(), 50u);
}

TEST(Sleeper, EndsWithoutEverHavingBeenWoken) { Sleeper sleeper; }

TEST(PingPong, PlaysOnTheCpuThatItIsGiven) {
  const KeptMask kept;
  PingPong players(kept.cpus().last());
  players.play(300);
  EXPECT_EQ(players.seen().echoes, 300u);
  EXPECT_EQ(players.seen().elsewhere, 0u);
}

TEST(PingPong, PlaysAnywhere) {
  PingPong players(std::nullopt);
  players.play(10);
  EXPECT_EQ(players.seen().echoes, 10u);
}

TEST(PingPong, SaysThatTheOtherThreadIsGone) {
  PingPong players(IndexSet::largest_id);
  EXPECT_THROW(players.play(1), std::runtime_error);
}

}  // namespace
}  // namespace bindgate
