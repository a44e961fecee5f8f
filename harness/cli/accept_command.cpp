#include "baseline/baseline.hpp"
#include "cli/commands.hpp"
#include "report/json.hpp"
#include "samples/journal.hpp"
#include "verdict/gate.hpp"

namespace bindgate {

Result<int> accept_command(const AcceptArguments& arguments, const Console& console) {
  const auto run = read_run(arguments.run);
  if (!run) return tl::unexpected(run.error());
  return 0;
}

}  // namespace bindgate
