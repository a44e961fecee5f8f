#pragma once
// What every test of the runner needs: where we may run, short deadlines, and a fixture that sees to it that
// neither a descriptor nor a process is left behind.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "binding/environment.hpp"
#include "runner/launch_client.hpp"
#include "runner/proc_files.hpp"
#include "runner/run_plan.hpp"

namespace bindgate::testing {

inline IndexSet allowed_cpus() {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  IndexSet cpus;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.insert(cpu);
  return cpus;
}

inline Placement placement_here() {
  Placement placement;
  placement.cpus = allowed_cpus();
  placement.threads = static_cast<unsigned>(placement.cpus.size());
  return placement;
}

inline std::string child_path(const std::string& name) { return std::string(BINDGATE_BIN) + '/' + name; }

inline LaunchOrder order_for(const std::string& child, std::map<std::string, std::string> environment) {
  return {child_path(child), std::move(environment), placement_here(), environment_of_process()};
}

/// Generous where an answer is expected, so that a busy machine fails no test.
inline Deadlines patient() {
  Deadlines deadlines;
  deadlines.grace = Milliseconds(20'000);
  return deadlines;
}

/// For children that are known not to answer.
inline Deadlines hasty() {
  Deadlines deadlines;
  deadlines.set_up = deadlines.turn = deadlines.tear_down = Milliseconds(50);
  deadlines.exit = deadlines.grace = Milliseconds(20);
  return deadlines;
}

class NothingLeft : public ::testing::Test {
 protected:
  void SetUp() override { descriptors_ = open_descriptors(); }
  void TearDown() override {
    EXPECT_EQ(open_descriptors(), descriptors_) << "descriptors were leaked";
    EXPECT_THAT(children_of(getpid()), ::testing::IsEmpty()) << "processes were left behind";
  }

  StopRequest stop_;

 private:
  static std::size_t open_descriptors() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
    return count;
  }
  std::size_t descriptors_ = 0;
};

}  // namespace bindgate::testing
