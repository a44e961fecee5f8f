#include "cli/commands.hpp"
#include "report/json.hpp"
#include "report/listings.hpp"
#include "topology/comparison.hpp"
#include "topology/machine.hpp"

namespace bindgate {
namespace {

Result<int> compare_with(const std::string& earlier, const std::string& source, const Console& console) {
  const auto then = read_machine_document(earlier);
  if (!then) return fail("--compare: " + then.error().message);
  const auto now = read_machine_document(source);
  if (!now) return tl::unexpected(now.error());
  const MachineComparison comparison = compare(*then, *now);
  console.result(console.json() ? comparison_json(comparison, earlier, source)
                                : comparison_text(comparison, earlier, source, console.style()));
  return 0;
}

}  // namespace

Result<int> topology_command(const TopologyArguments& arguments, const Console& console) {
  if (!arguments.compare.empty()) return compare_with(arguments.compare, arguments.source, console);
  const auto machine = read_machine(arguments.source, true);
  if (!machine) return tl::unexpected(machine.error());
  console.result(console.json() ? topology_json(*machine) : topology_text(*machine, console.style()));
  return 0;
}

}  // namespace bindgate
