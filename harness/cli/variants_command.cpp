#include "binding/variants.hpp"
#include "cli/commands.hpp"
#include "cli/planning.hpp"
#include "report/json.hpp"
#include "report/listings.hpp"

namespace bindgate {

Result<int> variants_command(const VariantsArguments& arguments, const Console& console) {
  const auto machine = read_machine(arguments.source, false);
  if (!machine) return tl::unexpected(machine.error());
  const auto variants = plan_here(*machine, arguments.names);
  if (!variants) return tl::unexpected(variants.error());
  LaunchLines lines;
  for (const PlannedVariant& variant : *variants)
    lines.push_back(variant.status == VariantStatus::skipped ? LaunchLines::value_type{}
                                                             : launch_lines(variant.placement, *machine));
  console.result(console.json() ? variants_json(*variants, lines) : variants_table(*variants, lines, console.style()));
  return 0;
}

}  // namespace bindgate
