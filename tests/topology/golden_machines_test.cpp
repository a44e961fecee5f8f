// What every described machine is read as. tests/machines/derive.py derives the same from hwloc's own programs, so
// that a golden file is not merely what the code once did.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/described_machines.hpp"
#include "support/golden.hpp"
#include "topology/machine.hpp"

namespace bindgate {
namespace {

// `topology --json` without where it was read from; one element a line, so that a difference can be read.
std::string golden_text(const Machine& machine) {
  nlohmann::json json = to_json(machine);
  json.erase("source");
  json.erase("live");
  std::string text;
  for (const auto& [key, value] : json.items()) {
    text += (text.empty() ? "{\n\"" : ",\n\"") + key + "\": ";
    if (!value.is_array() || value.empty()) {
      text += value.dump();
      continue;
    }
    std::string separator = "[\n  ";
    for (const nlohmann::json& element : value) text += std::exchange(separator, ",\n  ") + element.dump();
    text += "\n]";
  }
  return text + "\n}\n";
}

void expect_goldens(const std::filesystem::path& folder) {
  const testing::DescribedMachines machines(folder);
  EXPECT_FALSE(machines.empty()) << folder;
  for (const testing::DescribedMachine& described : machines) {
    SCOPED_TRACE(described.name);
    const auto machine = read_machine(described.source, true);
    ASSERT_TRUE(machine) << machine.error().message;
    testing::expect_golden("machines/" + described.name + ".topology.json", golden_text(*machine));
  }
}

TEST(GoldenMachines, OfTheProjectAreReadAsEver) {
  expect_goldens(std::filesystem::path(BINDGATE_TESTS) / "machines");
}

TEST(GoldenMachines, ThatAreRealAreReadAsEver) {
  if (!std::filesystem::is_directory(BINDGATE_TOPOLOGIES))
    GTEST_SKIP() << "no real machines' topologies at " << BINDGATE_TOPOLOGIES << "; set -DBINDGATE_TOPOLOGIES to have them";
  expect_goldens(BINDGATE_TOPOLOGIES);
}

}  // namespace
}  // namespace bindgate
