#include <chrono>
#include <fstream>

#include "baseline/accept.hpp"
#include "baseline/store.hpp"
#include "cli/commands.hpp"
#include "cli/read_evidence.hpp"
#include "core/files.hpp"
#include "core/units.hpp"
#include "report/json.hpp"
#include "report/markdown.hpp"
#include "report/terminal.hpp"
#include "verdict/gate.hpp"
#include "verdict/summarise.hpp"

namespace bindgate {
namespace {

// Without a policy file the defaults are in force: a new project needs none.
Result<Policy> read_policy(const GateArguments& arguments) {
  std::error_code error;
  const auto file = arguments.policy.empty() ? arguments.baselines / "policy.json" : arguments.policy;
  if (arguments.policy.empty() && !std::filesystem::exists(file, error)) return Policy{};
  const auto text = read_file(file);
  if (!text) return tl::unexpected(text.error());
  return parse_policy(*text, file.string());
}

// A CI job summary is one file that every step appends to.
Result<void> append(const std::filesystem::path& path, const std::string& text) {
  errno = 0;
  std::ofstream file(path, std::ios::app);
  file << text << std::flush;
  if (!file)
    return fail(path.string() + ": " + describe_errno("write", errno) + "; choose another file with --markdown");
  return {};
}

// For pools whose machines change: a machine seen for the first time keeps this night as its first.
Result<void> keep_first_night(const GateArguments& arguments, const Evidence& evidence, const Console& console) {
  const AcceptOptions options{format_utc(std::chrono::system_clock::now()), "first night of this machine", false,
                              false};
  const auto accepted = accept_night(arguments.baselines, evidence.run, summarise(evidence), options);
  if (!accepted) return tl::unexpected(accepted.error());
  console.note("kept as the first night of this machine in " + accepted->folder.string());
  return {};
}

}  // namespace

Result<int> gate_command(const GateArguments& arguments, const Console& console) {
  const auto evidence = read_evidence(arguments.run);
  if (!evidence) return tl::unexpected(evidence.error());
  const Run& run = evidence->run;
  const auto policy = read_policy(arguments);
  if (!policy) return tl::unexpected(policy.error());
  const auto baseline = load_baseline(arguments.baselines, run.fingerprint);
  if (!baseline) return tl::unexpected(baseline.error());

  GateResult result = gate(*evidence, *baseline, *policy);
  if (baseline->cases.empty() && policy->no_baseline == Policy::OnNoBaseline::accept)
    if (const auto kept = keep_first_night(arguments, *evidence, console); !kept) {
      result.notes.push_back("not kept as this machine's first night: " + kept.error().message);
      if (result.exit == 0) result.exit = 4;  // neither compared nor kept: nothing was gained, and that never passes
    }
  if (!arguments.markdown.empty())
    if (const auto written = append(arguments.markdown, gate_markdown(result, run, *policy)); !written)
      return tl::unexpected(written.error());
  console.result(console.json() ? gate_json(result, run) : gate_table(result, run, *policy, console.style()));
  return result.exit;
}

}  // namespace bindgate
