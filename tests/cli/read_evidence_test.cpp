#include "cli/read_evidence.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "samples/journal.hpp"
#include "support/example_run.hpp"
#include "support/scratch_directory.hpp"
#include "topology/machine.hpp"

namespace bindgate {
namespace {

NearestMemory nearest_memory_of(const std::string& machine) {
  const testing::ScratchDirectory directory;
  Run run = testing::example_run_header();
  run.machine = machine;
  const auto journal = Journal::create(directory / "run", run);
  EXPECT_TRUE(journal);
  const auto evidence = read_evidence(directory / "run");
  EXPECT_TRUE(evidence);
  return evidence ? evidence->nearest_memory : NearestMemory{};
}

TEST(ReadEvidence, LearnsFromTheRunsMachineWhichMemoryIsNear) {
  Machine machine;
  machine.nodes = {{0, {0, 1}, 1ull << 30, "dram"}, {1, {}, 1ull << 30, "cxl"}};
  machine.distances = {{10, 20}, {20, 10}};
  EXPECT_EQ(nearest_memory_of(to_json(machine).dump()), (NearestMemory{{0, {0}}, {1, {0}}}));
}

TEST(ReadEvidence, ReadsARunWhoseMachineIsNotTold) {
  EXPECT_EQ(nearest_memory_of(""), NearestMemory{});
  EXPECT_EQ(nearest_memory_of(R"({"nodes": "many"})"), NearestMemory{});
}

}  // namespace
}  // namespace bindgate
