#include "cli/read_evidence.hpp"

#include "samples/journal.hpp"

namespace bindgate {

Result<Evidence> read_evidence(const std::filesystem::path& path, bool first_calls) {
  Digests digests(first_calls);
  auto run = read_run(path, [&](const Plan& plan, Launch& launch, CaseRun& measured) {
    digests.take(plan, launch, measured);
  });
  if (!run) return tl::unexpected(run.error());
  return Evidence{*std::move(run), std::move(digests)};
}

}  // namespace bindgate
