#include "binding/variants.hpp"
#include "cli/commands.hpp"
#include "cli/variant_planning.hpp"
#include "report/json.hpp"
#include "report/listings.hpp"

namespace bindgate {
namespace {

VariantsListing listing_of(const std::vector<PlannedVariant>& variants, const Catalogue& catalogue,
                           const Machine& machine) {
  VariantsListing listing;
  for (const PlannedVariant& variant : variants) {
    VariantsListing::Row& row = listing.rows.emplace_back();
    row.variant = variant;
    // What is left of a degraded one is not what its name means.
    if (variant.status != VariantStatus::degraded) row.meaning = catalogue.meaning_of(variant.name);
    if (variant.status != VariantStatus::skipped)
      row.lines = launch_lines(variant.placement, machine, !variant.group.empty());
  }
  if (const std::string why = why_no_srun(machine); !why.empty()) listing.notes.push_back("no lines for srun: " + why);
  return listing;
}

}  // namespace

Result<int> variants_command(const VariantsArguments& arguments, const Console& console) {
  const auto catalogue = arguments.variants_file.empty() ? Catalogue() : Catalogue::with_file(arguments.variants_file);
  if (!catalogue) return tl::unexpected(catalogue.error());
  const bool all = arguments.names.empty();
  const VariantWishes wishes{
      all ? catalogue->defaults(Profile::thorough) : arguments.names, arguments.allow_degraded, {}};
  const auto machine = read_machine(arguments.source, catalogue->needs_devices(wishes.names));
  if (!machine) return tl::unexpected(machine.error());
  const auto variants = plan_here(*machine, *catalogue, wishes);
  if (!variants) return tl::unexpected(variants.error());
  VariantsListing listing = listing_of(*variants, *catalogue, *machine);
  if (all)
    for (const VariantHelp& other : catalogue->help())
      if (other.asked) listing.left_out.push_back(other.name);
  console.result(console.json() ? variants_json(listing) : variants_table(listing, console.style()));
  return 0;
}

}  // namespace bindgate
