#include "cli/commands.hpp"
#include "report/json.hpp"
#include "report/listings.hpp"
#include "topology/machine.hpp"

namespace bindgate {

Result<int> topology_command(const TopologyArguments& arguments, const Console& console) {
  const auto machine = read_machine(arguments.source, true);
  if (!machine) return tl::unexpected(machine.error());
  console.result(console.json() ? topology_json(*machine) : topology_text(*machine, console.style()));
  return 0;
}

}  // namespace bindgate
