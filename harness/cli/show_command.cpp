#include "cli/commands.hpp"
#include "report/json.hpp"
#include "report/terminal.hpp"
#include "samples/journal.hpp"
#include "verdict/gate.hpp"

namespace bindgate {

Result<int> show_command(const ShowArguments& arguments, const Console& console) {
  const auto run = read_run(arguments.run);
  if (!run) return tl::unexpected(run.error());
  const std::vector<CaseRanking> rankings = rank(*run);
  console.result(console.json() ? show_json(rankings, *run) : show_table(rankings, *run, console.style()));
  return 0;
}

}  // namespace bindgate
