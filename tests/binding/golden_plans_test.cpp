// What every built-in variant is on every described machine.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "binding/variants.hpp"
#include "support/golden_machines.hpp"

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

void expect_plans(const std::filesystem::path& folder) {
  const Catalogue catalogue;
  testing::expect_goldens(folder, "variants", [&](const Machine& machine) {
    return plan_variants(catalogue, machine, every_name(catalogue, machine)).map([&](const auto& plan) {
      return golden_text(plan, machine);
    });
  });
}

TEST(GoldenPlans, OfTheProjectsMachinesAreAsEver) { expect_plans(testing::own_machines()); }
TEST(GoldenPlans, OfTheGuestsOfTheNumaTestsAreAsEver) { expect_plans(testing::machines_of_guests()); }
TEST(GoldenPlans, OfRealMachinesAreAsEver) { expect_plans(testing::real_machines()); }

}  // namespace
}  // namespace bindgate
