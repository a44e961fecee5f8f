#include "baseline/accept.hpp"

#include <chrono>

#include "cli/commands.hpp"
#include "cli/read_evidence.hpp"
#include "core/names.hpp"
#include "core/printable.hpp"
#include "core/units.hpp"
#include "report/json.hpp"
#include "verdict/summarise.hpp"

namespace bindgate {

Result<int> accept_command(const AcceptArguments& arguments, const Console& console) {
  const auto evidence = read_evidence(arguments.run);
  if (!evidence) return tl::unexpected(evidence.error());
  const Run& run = evidence->run;
  const AcceptOptions options{format_utc(std::chrono::system_clock::now()), arguments.note, arguments.new_level,
                              arguments.force};
  const auto accepted = accept_night(arguments.baselines, run, summarise(*evidence), options);
  if (!accepted) return tl::unexpected(accepted.error());
  if (console.json()) {
    console.result(accept_json(accepted->night, run.fingerprint, accepted->folder.string(), accepted->cases,
                               accepted->unusable));
    return 0;
  }
  for (const std::string& reason : accepted->against) console.note("forced: " + reason);
  if (!accepted->unusable.empty())
    console.note("not kept, for want of a usable launch: " + joined(accepted->unusable));
  if (accepted->nightly_list) console.note("its list of cases is from now on that of every nightly run here");
  console.result(printable("kept " + counted(accepted->cases.size(), "case") + " of run " + run.id + " in " +
                           accepted->folder.string() + (accepted->first ? ", the first night of this machine" : "") +
                           ", level " + std::to_string(accepted->night.level)) +
                 '\n');
  return 0;
}

}  // namespace bindgate
