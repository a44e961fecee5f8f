#include "cli/read_evidence.hpp"

#include "samples/journal.hpp"
#include "topology/machine_document.hpp"
#include "topology/nearest_memory.hpp"

namespace bindgate {

Result<Evidence> read_evidence(const std::filesystem::path& path, bool first_calls) {
  Digests digests(first_calls);
  auto run = read_run(path, [&](const Plan& plan, Launch& launch, CaseRun& measured) {
    digests.take(plan, launch, measured);
  });
  if (!run) return tl::unexpected(run.error());
  Evidence evidence{*std::move(run), std::move(digests), {}};
  // A journal without a machine that can be read still tells its times.
  if (const auto machine = parse_machine(evidence.run.machine, path.string()))
    evidence.nearest_memory = nearest_memory(*machine);
  return evidence;
}

}  // namespace bindgate
