#include "cli/commands.hpp"
#include "cli/planning.hpp"
#include "report/json.hpp"
#include "report/listings.hpp"

namespace bindgate {

Result<int> list_command(const ListArguments& arguments, const Console& console) {
  const StopRequest stop;
  const auto machine = read_machine("live", false);
  if (!machine) return tl::unexpected(machine.error());
  const auto variants = plan_here(*machine, std::vector<std::string>{"none"});
  if (!variants) return tl::unexpected(variants.error());
  const auto programs = find_programs(variants->front().placement, stop);
  if (!programs) return tl::unexpected(programs.error());
  const auto selected = select_cases(*programs, {arguments.globs, {}, Profile::thorough});
  if (!selected) return tl::unexpected(selected.error());
  console.result(console.json() ? list_json(*selected) : list_table(*selected, console.style()));
  return 0;
}

}  // namespace bindgate
