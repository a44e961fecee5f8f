#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>

#include "binding/environment.hpp"
#include "cli/commands.hpp"
#include "cli/planning.hpp"
#include "cli/progress.hpp"
#include "core/error.hpp"
#include "core/names.hpp"
#include "core/units.hpp"
#include "report/json.hpp"
#include "runner/run_plan.hpp"
#include "samples/journal.hpp"

namespace bindgate {
namespace {

namespace fs = std::filesystem;

constexpr int interrupted = 128, no_trustworthy_answer = 4;
constexpr unsigned fewest_rounds_to_gate = 5;  // the launches that the variance gate needs

// A signal handler reaches only what is global; the object itself lives in run_command.
StopRequest* stop_of_handler = nullptr;
volatile std::sig_atomic_t last_signal = 0;

class SignalsToStop {
 public:
  explicit SignalsToStop(StopRequest& stop) {
    stop_of_handler = &stop;
    struct sigaction action {};
    action.sa_handler = [](int signal) {
      last_signal = signal;
      stop_of_handler->raise(signal);
    };
    sigemptyset(&action.sa_mask);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      struct sigaction inherited {};
      // Whoever started us may have had it ignored, as nohup does.
      if (sigaction(signal, nullptr, &inherited) == 0 && inherited.sa_handler == SIG_IGN) continue;
      sigaction(signal, &action, nullptr);
    }
  }
  ~SignalsToStop() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
    stop_of_handler = nullptr;
  }
};

/// A run and the journal that it goes on in.
struct Opened {
  Run run;
  Journal journal;
  fs::path directory;
};

Result<Opened> begin(const RunArguments& arguments, const Catalogue& catalogue, const PlanningSetting& setting) {
  auto run = plan_run(arguments, catalogue, setting);
  if (!run) return tl::unexpected(run.error());
  std::string stamp = run->started;
  for (char& c : stamp)
    if (c == ':') c = '-';  // no colon in a directory's name: tools that take HOST:PATH would misread it
  const fs::path directory = arguments.out.empty() ? fs::path("runs") / stamp : arguments.out;
  std::error_code error;
  const fs::path absolute = fs::absolute(directory, error).lexically_normal();
  if (error)
    return fail(directory.string() + ": " + describe_errno("getcwd", error.value()) +
                "; the current directory is gone, change to another one");
  run->id = absolute.filename().string();
  if (run->id.empty()) run->id = absolute.parent_path().filename().string();
  // A pipeline names its directory alike every night.
  if (run->id != stamp) run->id += '@' + stamp;
  auto journal = Journal::create(directory, *run);
  if (!journal) return tl::unexpected(journal.error());
  return Opened{*std::move(run), *std::move(journal), directory};
}

// To go on and to tell what failed takes no sample.
void forget_samples(const Plan&, Launch&, CaseRun& measured) { measured.blocks = std::vector<Block>(); }

// What was not asked for anew is as it was; what was asked for must be as it was.
RunArguments wishes_of(const Run& stored, const RunArguments& arguments) {
  RunArguments wishes = arguments;
  const Selection& selection = stored.plan.selection;
  if (wishes.cases.empty()) wishes.cases = selection.cases;
  if (wishes.variants.empty()) wishes.variants = selection.variants;
  if (!wishes.profile) wishes.profile = selection.profile;
  if (!wishes.rounds) wishes.rounds = stored.plan.rounds;
  if (!wishes.seed) wishes.seed = stored.plan.seed;
  return wishes;
}

std::map<std::string, std::string> bindgate_of(const Run& run) {
  return {{"bindgate", run.bindgate_version + ", " + run.bindgate_build}};
}

Result<Opened> resume(const RunArguments& arguments, const Catalogue& catalogue, const PlanningSetting& setting) {
  const fs::path& directory = arguments.resume;
  if (!arguments.out.empty()) return fail("--resume goes on in its own directory; leave --out away");
  auto stored = read_run(directory, forget_samples);
  if (!stored) return tl::unexpected(stored.error());
  auto fresh = plan_run(wishes_of(*stored, arguments), catalogue, setting, &stored->plan);
  if (!fresh) return tl::unexpected(fresh.error());
  auto changes = differences(fresh->fingerprint.fields, stored->fingerprint.fields);
  for (std::string& change : differences(bindgate_of(*fresh), bindgate_of(*stored)))
    changes.push_back(std::move(change));
  for (std::string& change : plan_differences(stored->plan, fresh->plan)) changes.push_back(std::move(change));
  if (!changes.empty())
    return fail(directory.string() + ": cannot be resumed with another plan (there: the stored run): " +
                joined(changes, "; ") + "; start a new run");
  auto journal = Journal::resume(directory);
  if (!journal) return tl::unexpected(journal.error());
  // Another process may have written rounds until the lock was ours.
  stored = read_run(directory, forget_samples);
  if (!stored) return tl::unexpected(stored.error());
  return Opened{*std::move(stored), *std::move(journal), directory};
}

// Of the complete rounds that an earlier process left.
bool has_failures(const Run& run) {
  const auto failed = [](const CaseRun& measured) {
    return measured.outcome == CaseOutcome::failed ||
           (measured.proof && measured.proof->status == ProofStatus::violated);
  };
  return std::any_of(run.launches.begin(), run.launches.end(), [&](const Launch& launch) {
    return !run.abandoned.contains(launch.id) &&
           (!launch.failure.empty() || std::any_of(launch.cases.begin(), launch.cases.end(), failed));
  });
}

int exit_status(const RunOutcome& outcome, const Run& earlier) {
  if (outcome.end == RunOutcome::End::interrupted) return interrupted + last_signal;
  const bool failed = outcome.failures > 0 || has_failures(earlier);
  return outcome.end == RunOutcome::End::out_of_budget || failed ? no_trustworthy_answer : 0;
}

void announce_length(const Plan& plan, std::size_t cases, const std::optional<std::chrono::nanoseconds>& budget,
                     const Console& console) {
  const unsigned placements = placements_of(plan.variants);
  const auto estimate = estimate_for(*plan.list, plan.rounds, placements + 1);
  const std::size_t left_out = plan.list->left_out.size();
  console.note("about " + format_duration(estimate) + ": " + counted(cases, "case") + ", " +
               counted(plan.rounds, "round") + ", " + counted(placements, "placement") + " + twin" +
               (left_out == 0 ? "" : "; " + counted(left_out, "case") + " left out") +
               ", see 'bindgate list --profile nightly'");
  if (budget && estimate > *budget)
    console.note("note: that does not fit into the budget of " + format_duration(*budget));
}

void announce_variants(const Plan& plan, const Console& console) {
  for (const PlannedVariant& variant : plan.variants)
    if (variant.status != VariantStatus::ok)
      console.note("note: variant " + variant.name + " is " + std::string(name_of(variant.status)) + ": " +
                   variant.reason);
}

void announce_left_out(const std::vector<std::string>& measured, const Catalogue& catalogue, const Console& console) {
  std::vector<std::string> left_out;
  for (const std::string& name : catalogue.defaults(Profile::thorough))
    if (std::find(measured.begin(), measured.end(), name) == measured.end()) left_out.push_back(name);
  if (!left_out.empty())
    console.note("note: " + counted(left_out.size(), "variant") + " left to larger profiles: " + joined(left_out) +
                 "; --variant NAME measures one");
}

std::string next_step(const RunOutcome& outcome, const fs::path& directory) {
  const std::string name = directory.string();
  const std::string done = outcome.failures == 0 ? "done" : "done, with failures (exit 4)";
  if (outcome.end != RunOutcome::End::finished) return outcome.reason + "; go on with: bindgate run --resume " + name;
  return done + "; read it with: bindgate show " + name + ", or compare with the baseline: bindgate gate " + name;
}

}  // namespace

Result<int> run_command(const RunArguments& arguments, const Console& console) {
  const auto start = std::chrono::steady_clock::now();
  StopRequest stop;
  const SignalsToStop signals(stop);
  const auto catalogue = arguments.variants_file.empty() ? Catalogue() : Catalogue::with_file(arguments.variants_file);
  if (!catalogue) return tl::unexpected(catalogue.error());
  auto names = arguments.variants;
  if (names.empty()) names = catalogue->defaults(arguments.profile.value_or(Profile::quick));
  // Whether a run that is resumed needs devices stands in its journal, which is read later.
  const bool with_devices = !arguments.resume.empty() || catalogue->needs_devices(names);
  const auto machine = read_machine("live", with_devices);
  if (!machine) return tl::unexpected(machine.error());
  Deadlines deadlines;
  if (arguments.deadline) deadlines = deadlines_for(std::chrono::ceil<Milliseconds>(*arguments.deadline));
  console.note("planning: asking the programs for their cases");
  const auto opened_here = [&] {
    ProgressPrinter progress(console);
    const auto show = [&](const std::string& name, std::size_t index, std::size_t count) {
      progress.planning(name, index, count);
    };
    const PlanningSetting setting{*machine, stop, deadlines, show};
    return arguments.resume.empty() ? begin(arguments, *catalogue, setting) : resume(arguments, *catalogue, setting);
  };
  auto opened = opened_here();
  if (!opened) {
    if (!stop.raised()) return tl::unexpected(opened.error());
    console.note(stop.reason() + " before anything was measured");
    return interrupted + last_signal;
  }

  const Plan& plan = opened->run.plan;
  for (const std::string& finding : opened->run.findings) console.note("note: " + finding);
  announce_variants(plan, console);
  if (arguments.variants.empty() && arguments.resume.empty())
    announce_left_out(catalogue->defaults(plan.selection.profile), *catalogue, console);
  if (plan.rounds < fewest_rounds_to_gate)
    console.note("note: fewer than " + std::to_string(fewest_rounds_to_gate) +
                 " rounds can be shown, but never pass a gate");
  std::size_t cases = 0;
  for (const PlannedProgram& program : plan.programs) cases += program.cases.size();
  const unsigned placements = placements_of(plan.variants);
  if (plan.list) announce_length(plan, cases, arguments.budget, console);
  console.note("measuring " + counted(cases, "case") + " under " + counted(placements, "placement") + " and a twin, " +
               counted(plan.rounds, "round") + ", seed " + std::to_string(plan.seed) + ", into " +
               opened->directory.string());

  RunOptions options;
  options.planning = std::chrono::steady_clock::now() - start;
  options.budget = arguments.budget;
  options.deadlines = deadlines;
  options.nodes = machine->nodes;
  options.inherited = environment_of_process();
  Result<RunOutcome> outcome = RunOutcome{};
  {
    ProgressPrinter progress(console);
    outcome = run_plan(plan, resumption_of(opened->run), opened->journal, options, stop, progress);
  }
  if (!outcome) return tl::unexpected(outcome.error());
  if (const std::string spent = describe(outcome->spent); !spent.empty()) console.note("time: " + spent);
  console.note(next_step(*outcome, opened->directory));
  if (console.quiet() && outcome->failures > 0)
    console.error(counted(outcome->failures, "failure") + "; see which with: bindgate show " + opened->directory.string());
  const int exit = exit_status(*outcome, opened->run);
  if (!console.json()) return exit;
  const auto measured = read_run(opened->directory, forget_samples);
  if (!measured) return tl::unexpected(measured.error());
  console.result(run_json(*measured, opened->directory.string(), exit));
  return exit;
}

}  // namespace bindgate
