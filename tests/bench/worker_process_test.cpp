#include "support/worker_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/files.hpp"
#include "samples/protocol.hpp"
#include "support/cpus.hpp"
#include "support/shared_memory.hpp"

namespace bindgate {
namespace {

struct Shared {
  std::atomic<int> pieces, number;
};

class WorkerProcessTest : public testing::Test {
 protected:
  SharedMemory memory_{sizeof(Shared)};
  const IndexSet parent_ = allowed_cpus();
  Shared& shared_ = *new (memory_.data()) Shared{};
};

std::string what_is_thrown_by(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "nothing";
}

TEST_F(WorkerProcessTest, DoesOnePieceForEachStart) {
  WorkerProcess worker("one", [&] { ++shared_.pieces; });
  EXPECT_EQ(shared_.pieces, 0);
  for (int piece = 1; piece <= 3; ++piece) {
    worker.start();
    worker.wait();
    EXPECT_EQ(shared_.pieces, piece);
  }
}

TEST_F(WorkerProcessTest, RunsWhereTheHarnessWantsWorkers) {
  const unsigned last = *allowed_cpus().last();
  setenv(protocol::worker_cpus_variable, std::to_string(last).c_str(), 1);
  WorkerProcess worker("one", [&] { shared_.number = allowed_cpus() == IndexSet{last} ? 1 : 2; });
  unsetenv(protocol::worker_cpus_variable);
  WorkerProcess other("other", [&] { shared_.number = allowed_cpus() == parent_ ? 3 : 4; });
  for (const auto& [which, expected] : {std::pair{&worker, 1}, {&other, 3}}) {
    which->start();
    which->wait();
    EXPECT_EQ(shared_.number, expected);
  }
}

TEST_F(WorkerProcessTest, SaysWhyItCannotRunThere) {
  setenv(protocol::worker_cpus_variable, "1000000", 1);
  WorkerProcess worker("one", [] {});
  worker.start();
  EXPECT_THAT(what_is_thrown_by([&] { worker.wait(); }), testing::StartsWith("CPUs 1000000: "));
  setenv(protocol::worker_cpus_variable, "first", 1);
  EXPECT_THAT(what_is_thrown_by([] { WorkerProcess("two", [] {}); }),
              testing::StartsWith("worker two: BINDGATE_WORKER_CPUS: "));
  unsetenv(protocol::worker_cpus_variable);
}

TEST_F(WorkerProcessTest, PassesOnWhatTheWorkThrewAndGoesOn) {
  WorkerProcess worker("one", [&] {
    if (++shared_.pieces == 1) throw std::runtime_error("no such picture");
    if (shared_.pieces == 2) throw std::runtime_error(std::string(100'000, 'x'));
  });
  worker.start();
  EXPECT_EQ(what_is_thrown_by([&] { worker.wait(); }), "no such picture");
  worker.start();
  EXPECT_THAT(what_is_thrown_by([&] { worker.wait(); }), testing::StartsWith("xxx"));
  worker.start();
  EXPECT_EQ(what_is_thrown_by([&] { worker.wait(); }), "nothing");
}

TEST_F(WorkerProcessTest, SaysHowTheWorkerEndedAsOftenAsAsked) {
  WorkerProcess killed("one", [] { raise(SIGKILL); }), left("two", [] { _exit(3); });
  killed.start();
  left.start();
  EXPECT_EQ(what_is_thrown_by([&] { killed.wait(); }), "worker one: killed by SIGKILL");
  EXPECT_EQ(what_is_thrown_by([&] { killed.start(); }), "worker one: killed by SIGKILL");
  EXPECT_EQ(what_is_thrown_by([&] { left.wait(); }), "worker two: exited with status 3");
}

TEST_F(WorkerProcessTest, IsGoneWithItsObjectEvenWhenItHangs) {
  pid_t idle = 0, hanging = 0;
  {
    WorkerProcess first("one", [] {}), second("two", [&] {
      shared_.number = 1;
      for (;;) pause();
    });
    idle = first.id();
    hanging = second.id();
    second.start();
    WorkerProcess moved(std::move(first));
    EXPECT_EQ(moved.id(), idle);
  }
  EXPECT_EQ(kill(idle, 0), -1);
  EXPECT_EQ(kill(hanging, 0), -1);
}

TEST_F(WorkerProcessTest, HoldsNoDescriptorOfTheProgramOrOfItsSiblings) {
  const Pipe pipe = make_pipe().value();
  const auto count = [&] {
    shared_.number = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++shared_.number;
  };
  WorkerProcess first("one", [] {}), second("two", count);
  second.start();
  second.wait();
  EXPECT_LE(shared_.number, 3 + 1 + 1) << "the standard ones, its channel, and the folder that it reads";
}

// The program is killed: nobody is left to tell the worker.
TEST_F(WorkerProcessTest, EndsWithTheProgram) {
  const pid_t program = fork();
  if (program == 0) {
    WorkerProcess worker("one", [&] {
      shared_.pieces = 1;
      for (;;) pause();
    });
    shared_.number = worker.id();
    worker.start();
    while (shared_.pieces == 0) sched_yield();
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(program, &status, 0), program);
  ASSERT_TRUE(WIFSIGNALED(status));
  // It is no child of ours: its end shows in that its number is free, or names a process that waits to be reaped.
  const std::string stat = "/proc/" + std::to_string(shared_.number.load()) + "/stat";
  const auto gone = [&] {
    const std::string line = read_line_of(stat);
    return line.empty() || line.find(") Z ") != std::string::npos || line.find(") X ") != std::string::npos;
  };
  while (!gone()) sched_yield();
}

}  // namespace
}  // namespace bindgate
