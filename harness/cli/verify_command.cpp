#include <algorithm>

#include "binding/variants.hpp"
#include "binding/verification.hpp"
#include "cli/commands.hpp"
#include "report/verification.hpp"
#include "topology/machine.hpp"

namespace bindgate {
namespace {

// Of the placements that stand for the variant alike, the one that the process comes nearest to.
Placement nearest_placement(const PlannedVariant& variant, const ProcessFacts& facts, unsigned node_count) {
  if (variant.alternatives.empty()) return variant.placement;
  const auto misfits = [&](const Placement& one) { return verify(facts, one, node_count).misfits.size(); };
  return *std::min_element(variant.alternatives.begin(), variant.alternatives.end(),
                           [&](const Placement& a, const Placement& b) { return misfits(a) < misfits(b); });
}

Result<PlannedVariant> plan(const Machine& machine, const std::string& name) {
  const std::vector<std::string> names{name};
  const auto variants = plan_variants(machine, names);
  if (!variants) return tl::unexpected(variants.error());
  const auto found = std::find_if(variants->begin(), variants->end(),
                                  [&](const PlannedVariant& variant) { return variant.name == name; });
  if (found == variants->end()) return fail("variant '" + name + "': was not planned; see 'bindgate variants'");
  if (found->status == VariantStatus::skipped) return fail("variant '" + name + "': not on this machine: " + found->reason);
  return *found;
}

}  // namespace

Result<int> verify_command(const VerifyArguments& arguments, const Console& console) {
  VerifyReport report;
  const auto read = [&]() -> Result<void> {
    auto facts = read_process(arguments.process);
    if (!facts) return tl::unexpected(facts.error());
    report.facts = *std::move(facts);
    return {};
  };
  if (auto done = read(); !done) return tl::unexpected(done.error());
  if (!arguments.variant.empty()) {
    const bool by_device = arguments.variant.find(':') != std::string::npos;
    const auto machine = read_machine("live", by_device);
    if (!machine) return tl::unexpected(machine.error());
    const auto variant = plan(*machine, arguments.variant);
    if (!variant) return tl::unexpected(variant.error());
    const auto nodes = static_cast<unsigned>(
        std::count_if(machine->nodes.begin(), machine->nodes.end(), [](const Node& node) { return node.memory_bytes > 0; }));
    report.variant = variant->name;
    report.placement = nearest_placement(*variant, report.facts, nodes);
    if (arguments.repair && !arguments.yes) report.planned = planned_repair(report.facts, *report.placement, nodes);
    if (arguments.repair && arguments.yes) {
      auto repaired = repair(arguments.process, *report.placement, nodes);
      if (!repaired) return tl::unexpected(repaired.error());
      report.repaired = *std::move(repaired);
      if (auto done = read(); !done) return tl::unexpected(done.error());
    }
    report.verification = verify(report.facts, *report.placement, nodes);
  }
  const bool fits = !report.verification || report.verification->status == ProofStatus::held;
  const int exit = fits ? 0 : 4;
  console.result(console.json() ? verify_json(report, exit) : verify_text(report, console.style()));
  return exit;
}

}  // namespace bindgate
