#include "cli/commands.hpp"
#include "cli/read_evidence.hpp"
#include "report/json.hpp"
#include "report/terminal.hpp"
#include "verdict/gate.hpp"
#include "verdict/proofs.hpp"

namespace bindgate {

Result<int> show_command(const ShowArguments& arguments, const Console& console) {
  const auto evidence = read_evidence(arguments.run, true);
  if (!evidence) return tl::unexpected(evidence.error());
  const Run& run = evidence->run;
  const std::vector<CaseRanking> rankings = rank(*evidence);
  const std::vector<VariantProofs> proofs = proofs_of(*evidence);
  console.result(console.json() ? show_json(rankings, proofs, run)
                                : show_table(rankings, proofs, run, console.style()));
  return 0;
}

}  // namespace bindgate
