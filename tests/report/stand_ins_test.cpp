// What report uses of rooms that are not merged yet. This file goes when they come.
#include <nlohmann/json.hpp>

#include "topology/machine.hpp"
#include "verdict/judgement.hpp"
#include "verdict/policy.hpp"

namespace bindgate {

std::string_view name_of(Verdict verdict) {
  static constexpr std::string_view names[] = {"failed",       "incomparable", "missing", "regressed",   "unstable",
                                               "inconclusive", "improved",     "pass",    "not selected"};
  return names[static_cast<std::size_t>(verdict)];
}
Limits Policy::limits_for(std::string_view, std::string_view) const { return limits; }
Fingerprint fingerprint_of(const Machine& machine) { return {{{"cpu", machine.cpu_model}}}; }
nlohmann::json to_json(const Machine& machine) { return {{"fingerprint", fingerprint_of(machine).id()}}; }

}  // namespace bindgate
