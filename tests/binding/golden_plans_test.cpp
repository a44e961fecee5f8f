// What every built-in variant is on every described machine. tests/machines/derive.py derives the same from hwloc's own
// programs and the meaning of each variant, so that a golden file is not merely what the code once did.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "binding/variants.hpp"
#include "support/described_machines.hpp"
#include "support/golden.hpp"

namespace bindgate {
namespace {

using Json = nlohmann::ordered_json;

// All of them, and of lists of CPUs that of the first and the last one.
std::vector<std::string> every_name(const Catalogue& catalogue, const Machine& machine) {
  const IndexSet cpus = machine.allowed_cpus & machine.online;
  std::vector<std::string> names;
  for (const Variant& variant : catalogue.variants()) {
    const bool needs_list = !variant.family.empty() && variant.family.front() == Parameter::cpu_list;
    names.push_back(needs_list ? variant.name + ':' + IndexSet{*cpus.first(), *cpus.last()}.list() : variant.name);
  }
  return names;
}

// As in `variants --json`, but without what says nothing, and of the placements that it rotates with only what differs
// from the first: a machine of a thousand cores rotates over a thousand.
Json told(const PlannedVariant& planned, const Machine& machine) {
  const nlohmann::json whole = to_json(planned);
  Json json;
  for (const char* key : {"name", "status", "reason", "same_as", "group", "cpus", "memory", "threads", "workers",
                          "environment", "rotates"})
    if (!whole[key].empty()) json[key] = whole[key];
  if (planned.status == VariantStatus::skipped) return json;
  if (json.contains("rotates"))
    for (Json& other : json["rotates"])
      for (const char* key : {"memory", "threads", "workers", "environment"})
        if (other[key] == Json(whole[key])) other.erase(key);
  json["launch"] = launch_lines(planned.placement, machine, !planned.group.empty());
  return json;
}

// One variant a line, so that a difference can be read.
std::string golden_text(const std::vector<PlannedVariant>& plan, const Machine& machine) {
  std::string text, separator = "{\n\"variants\": [\n  ";
  for (const PlannedVariant& planned : plan) text += std::exchange(separator, ",\n  ") + told(planned, machine).dump();
  return text + "\n]\n}\n";
}

void expect_goldens(const std::filesystem::path& folder) {
  const Catalogue catalogue;
  for (const testing::DescribedMachine& described : testing::DescribedMachines(folder)) {
    SCOPED_TRACE(described.name);
    const auto machine = read_machine(described.source, true);
    ASSERT_TRUE(machine) << machine.error().message;
    const auto plan = plan_variants(catalogue, *machine, every_name(catalogue, *machine));
    ASSERT_TRUE(plan) << plan.error().message;
    testing::expect_golden("machines/" + described.name + ".variants.json", golden_text(*plan, *machine));
  }
}

TEST(GoldenPlans, OfTheProjectsMachinesAreAsEver) {
  expect_goldens(std::filesystem::path(BINDGATE_TESTS) / "machines");
}

TEST(GoldenPlans, OfTheGuestsOfTheNumaTestsAreAsEver) {
  expect_goldens(std::filesystem::path(BINDGATE_TESTS) / "machines/guests");
}

TEST(GoldenPlans, OfRealMachinesAreAsEver) {
  if (!std::filesystem::is_directory(BINDGATE_TOPOLOGIES))
    GTEST_SKIP() << "no real machines' topologies at " << BINDGATE_TOPOLOGIES
                 << "; set -DBINDGATE_TOPOLOGIES to have them";
  expect_goldens(BINDGATE_TOPOLOGIES);
}

}  // namespace
}  // namespace bindgate
