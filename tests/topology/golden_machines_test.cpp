// What every described machine is read as.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "support/golden_machines.hpp"

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

void expect_topologies(const std::filesystem::path& folder) {
  testing::expect_goldens(folder, "topology", golden_text);
}

TEST(GoldenMachines, OfTheProjectAreReadAsEver) { expect_topologies(testing::own_machines()); }
TEST(GoldenMachines, ThatAreGuestsOfTheNumaTestsAreReadAsEver) { expect_topologies(testing::machines_of_guests()); }
TEST(GoldenMachines, ThatAreRealAreReadAsEver) { expect_topologies(testing::real_machines()); }

}  // namespace
}  // namespace bindgate
