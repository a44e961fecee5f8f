#include "cli/commands.hpp"
#include "cli/planning.hpp"
#include "report/json.hpp"
#include "report/terminal.hpp"

namespace bindgate {

Result<int> list_command(const ListArguments& arguments, const Console& console) {
  const StopRequest stop;
  const auto machine = read_machine("live", false);
  if (!machine) return tl::unexpected(machine.error());
  const auto base = plan_variants_base(*machine);
  return 0;
}

}  // namespace bindgate
