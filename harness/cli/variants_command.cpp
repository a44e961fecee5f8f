#include "binding/variants.hpp"
#include "cli/commands.hpp"
#include "cli/variant_planning.hpp"
#include "report/json.hpp"
#include "report/listings.hpp"

namespace bindgate {

Result<int> variants_command(const VariantsArguments& arguments, const Console& console) {
  const auto catalogue = arguments.variants_file.empty() ? Catalogue() : Catalogue::with_file(arguments.variants_file);
  if (!catalogue) return tl::unexpected(catalogue.error());
  const VariantWishes wishes{
      arguments.names.empty() ? catalogue->defaults(Profile::thorough) : arguments.names, arguments.allow_degraded, {}};
  const auto machine = read_machine(arguments.source, catalogue->needs_devices(wishes.names));
  if (!machine) return tl::unexpected(machine.error());
  const auto variants = plan_here(*machine, *catalogue, wishes);
  if (!variants) return tl::unexpected(variants.error());
  LaunchLines lines;
  for (const PlannedVariant& variant : *variants)
    lines.push_back(variant.status == VariantStatus::skipped ? LaunchLines::value_type{}
                                                             : launch_lines(variant.placement, *machine));
  console.result(console.json() ? variants_json(*variants, lines) : variants_table(*variants, lines, console.style()));
  return 0;
}

}  // namespace bindgate
