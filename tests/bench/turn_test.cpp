#include "support/turn.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <thread>

namespace bindgate {
namespace {

// Work that takes a while but no fixed time: a test must not relate two clocks.
void work() {
  for (int i = 0; i < 1000; ++i) asm volatile("" : : : "memory");
}

TEST(TakeTurn, RunsSamplesTimesBatchIterationsAfterItsLeadIn) {
  References references(1);
  std::vector<std::int64_t> calls;
  const Block block = take_turn({.turn = 7, .samples = 5, .batch = 3, .references = {}},
                                {[&](std::int64_t count) {
                                  calls.push_back(count);
                                  for (; count > 0; --count) work();
                                  return 0;
                                }},
                                references);
  ASSERT_GE(calls.size(), 6u);
  for (std::size_t i = 0; i < calls.size(); ++i) EXPECT_EQ(calls[i], i + 5 < calls.size() ? 1 : 3) << i;
  EXPECT_EQ(block.turn, 7u);
  for (const Clock clock : {Clock::wall, Clock::thread, Clock::process}) {
    ASSERT_EQ(block.nanoseconds.at(clock).size(), 5u);
    for (const auto sample : block.nanoseconds.at(clock)) EXPECT_GT(sample, 0);
  }
  EXPECT_EQ(block.forced.size(), 5u);
  EXPECT_TRUE(block.references.empty());
  EXPECT_TRUE(block.indicators.minor_faults && block.indicators.migrations && block.indicators.voluntary_switches);
}

TEST(TakeTurn, TakesThreeReadingsOfEachKernelAskedForBeforeTheOperation) {
  References references(1);
  const Block block = take_turn({.turn = 0, .samples = 1, .batch = 1,
                                 .references = {ReferenceKernel::compute, ReferenceKernel::chase}},
                                {[](std::int64_t) { return work(), 0; }}, references);
  EXPECT_EQ(block.references.size(), 2u);
  EXPECT_EQ(block.references.at(ReferenceKernel::compute).size(), 3u);
  EXPECT_EQ(block.references.at(ReferenceKernel::chase).size(), 3u);
}

TEST(TakeTurn, CountsTheVoluntarySwitchesOfAnOperationThatWaits) {
  References references(1);
  const Block block = take_turn({.turn = 0, .samples = 4, .batch = 1, .references = {}},
                                {[](std::int64_t) {
                                  std::thread([] { std::this_thread::yield(); }).join();
                                  return 0;
                                }},
                                references);
  EXPECT_GE(*block.indicators.voluntary_switches, 0);
  EXPECT_GT(*block.indicators.minor_faults + *block.indicators.voluntary_switches, 0);
}

TEST(TakeTurn, KeepsTheIntervalsOfAnOperationThatTimesItself) {
  References references(1);
  const Driven driven{[](std::int64_t count) { return work(), 7 * count; }, true};
  const Block block = take_turn({.turn = 0, .samples = 2, .batch = 3, .references = {}}, driven, references);
  EXPECT_EQ(block.nanoseconds.at(Clock::interval), (std::vector<std::int64_t>{21, 21}));
  EXPECT_EQ(block.nanoseconds.at(Clock::wall).size(), 2u);
  EXPECT_FALSE(block.nanoseconds.contains(Clock::tree));
}

// A process that computes until it is killed.
class BusyProcess {
 public:
  BusyProcess() : id_(fork()) {
    if (id_ == 0)
      for (;;) work();
  }
  ~BusyProcess() {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  BusyProcess(const BusyProcess&) = delete;
  BusyProcess& operator=(const BusyProcess&) = delete;
  [[nodiscard]] pid_t id() const { return id_; }

 private:
  pid_t id_;
};

TEST(TakeTurn, CountsTheTimeOfWorkerProcessesInTheTree) {
  References references(1);
  const BusyProcess process;
  const Workers workers({process.id()});
  const std::int64_t before = workers.cpu_ns();
  const Driven driven{[&](std::int64_t) {
    const std::int64_t start = workers.cpu_ns();
    while (workers.cpu_ns() == start) std::this_thread::yield();
    return 0;
  }};
  const Block block = take_turn({.turn = 0, .samples = 2, .batch = 1, .references = {}}, driven, references, &workers);
  EXPECT_GT(workers.cpu_ns(), before);
  const auto& tree = block.nanoseconds.at(Clock::tree);
  const auto& process_alone = block.nanoseconds.at(Clock::process);
  ASSERT_EQ(tree.size(), 2u);
  for (std::size_t i = 0; i < tree.size(); ++i) EXPECT_GT(tree[i], process_alone[i]);
}

TEST(Workers, RefusesAProcessThatIsGone) {
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  waitpid(gone, nullptr, 0);
  EXPECT_THROW(Workers({gone}), std::runtime_error);
}

TEST(WarmUp, StopsAfterTwoIterationsOnceTwoSecondsAreSpent) {
  int calls = 0;
  const auto series = warm_up([&](std::int64_t) { return ++calls, 0; }, 3'000'000'000);
  EXPECT_EQ(calls, 1);
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0], 3'000'000'000);
}

TEST(WarmUp, TakesTenIterationsWhenTheFirstWasLong) {
  int calls = 0;
  EXPECT_EQ(warm_up([&](std::int64_t) { return ++calls, 0; }, 1'000'000'000).size(), 10u);
  EXPECT_EQ(calls, 9);
}

TEST(WarmUp, RecordsAThousandIterationsOfAVeryShortOperationAndGoesOn) {
  std::int64_t calls = 0;
  EXPECT_EQ(warm_up([&](std::int64_t) { return ++calls, 0; }, 10).size(), 1000u);
  EXPECT_GT(calls, 1000);
}

}  // namespace
}  // namespace bindgate
