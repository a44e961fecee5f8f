#include "cli/commands.hpp"
#include "cli/planning.hpp"
#include "cli/progress.hpp"
#include "report/json.hpp"
#include "report/listings.hpp"

namespace bindgate {
namespace {

// What a profile holds on this machine and how long it takes, by its stored list or by setting every case up.
Result<int> list_profile(Profile profile, const ListArguments& arguments, std::span<const Program> programs,
                         std::span<const PlannedVariant> variants, const Machine& machine, const Deadlines& deadlines,
                         const StopRequest& stop, const Console& console) {
  Result<ProfileAnswer> answer = ProfileAnswer{};
  {
    ProgressPrinter progress(console);
    const auto begins = [&](const std::string& name, std::size_t index, std::size_t count) {
      progress.planning(name, index, count);
    };
    const PlanningSetting setting{machine, stop, deadlines, begins};
    answer = list_of_profile(profile, programs, variants, arguments.baselines, setting);
  }
  if (!answer) return tl::unexpected(answer.error());
  const auto listed = select_listed(programs, answer->list, answer->file.string());
  if (!listed) return tl::unexpected(listed.error());
  ProfileListing listing{answer->list, listed->programs, answer->stored ? answer->file.string() : "", answer->findings};
  listing.findings.insert(listing.findings.end(), listed->findings.begin(), listed->findings.end());
  console.result(console.json() ? profile_json(listing) : profile_table(listing, console.style()));
  return 0;
}

}  // namespace

Result<int> list_command(const ListArguments& arguments, const Console& console) {
  const StopRequest stop;
  const auto machine = read_machine("live", false);
  if (!machine) return tl::unexpected(machine.error());
  // A profile is measured in as many launches as it has placements.
  const Catalogue catalogue;
  const auto names = arguments.profile ? catalogue.defaults(*arguments.profile) : std::vector<std::string>{"none"};
  const auto variants = plan_here(*machine, catalogue, {names});
  if (!variants) return tl::unexpected(variants.error());
  Deadlines deadlines;
  if (arguments.deadline) deadlines = deadlines_for(std::chrono::ceil<Milliseconds>(*arguments.deadline));
  const auto programs = find_programs(variants->front().placement, deadlines, stop);
  if (!programs) return tl::unexpected(programs.error());
  if (arguments.profile)
    return list_profile(*arguments.profile, arguments, *programs, *variants, *machine, deadlines, stop, console);
  const auto selected = select_cases(*programs, {arguments.globs, {}, Profile::thorough});
  if (!selected) return tl::unexpected(selected.error());
  console.result(console.json() ? list_json(*selected) : list_table(*selected, console.style()));
  return 0;
}

}  // namespace bindgate
