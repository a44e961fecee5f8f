#include <algorithm>

#include "binding/verification.hpp"
#include "cli/commands.hpp"
#include "cli/variant_planning.hpp"
#include "report/verification.hpp"
#include "topology/machine.hpp"

namespace bindgate {
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
    const auto& file = arguments.variants_file;
    const auto catalogue = file.empty() ? Catalogue() : Catalogue::with_file(file);
    if (!catalogue) return tl::unexpected(catalogue.error());
    const auto machine = read_machine("live", catalogue->needs_devices({&arguments.variant, 1}));
    if (!machine) return tl::unexpected(machine.error());
    const auto variant = plan_one_here(*machine, *catalogue, arguments.variant);
    if (!variant) return tl::unexpected(variant.error());
    const auto nodes = static_cast<unsigned>(std::count_if(machine->nodes.begin(), machine->nodes.end(),
                                                           [](const Node& node) { return node.memory_bytes > 0; }));
    report.variant = variant->name;
    report.placement = nearest_placement(*variant, report.facts, machine->nodes);
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
