#include "runner/run_plan.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "core/units.hpp"
#include "runner/charge.hpp"
#include "runner/discover.hpp"

namespace bindgate {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Adds to the ensembles' progress what only the whole run knows. Cases take very different times, so from the second
// round on a place within the round counts for the time that the first round had taken there.
class Meter : public RunWatcher {
 public:
  Meter(RunWatcher& watcher, std::size_t complete) : watcher_(watcher), complete_(static_cast<double>(complete)) {}

  void progress(const Progress& progress) override {
    Progress whole = progress;
    const double place = progress.cases == 0 ? 0 : (progress.case_index + progress.case_done) / progress.cases;
    const auto now = SteadyClock::now();
    if (rounds_ended_ == 0) first_round_[place] = Seconds(now - start_).count();
    const double rounds = rounds_ended_ + share_of_round(place);
    whole.done = std::min(1.0, (complete_ + rounds) / std::max(1u, progress.rounds));
    static constexpr double enough_to_tell = 0.02;  // of a round
    if (rounds >= enough_to_tell) {
      const double missing = std::max(0.0, progress.rounds - complete_ - rounds);
      whole.left = std::chrono::duration_cast<std::chrono::nanoseconds>(Seconds(now - start_) * (missing / rounds));
    }
    watcher_.progress(whole);
  }
  void note(const std::string& text) override { watcher_.note(text); }
  void output(const std::string& tail) override { watcher_.output(tail); }
  void round_ended() {
    if (rounds_ended_ == 0) first_round_[1] = Seconds(SteadyClock::now() - start_).count();
    rounds_ended_ += 1;
  }

 private:
  using Seconds = std::chrono::duration<double>;

  double share_of_round(double place) const {
    const auto whole = first_round_.find(1);
    const auto reached = first_round_.upper_bound(place);
    if (whole == first_round_.end() || whole->second <= 0 || reached == first_round_.begin()) return place;
    return std::prev(reached)->second / whole->second;
  }

  RunWatcher& watcher_;
  double complete_;
  double rounds_ended_ = 0;               // by this process
  std::map<double, double> first_round_;  // place within it -> seconds from its start to there
  SteadyClock::time_point start_ = SteadyClock::now();
};

Result<void> check_programs(const Plan& plan) {
  for (const PlannedProgram& program : plan.programs) {
    if (program.build_id.empty()) continue;
    const auto found = content_hash(program.path);
    if (!found) return tl::unexpected(found.error());
    if (*found != program.build_id)
      return fail(program.path + ": is another build (" + *found + ") than the one that was planned (" +
                  program.build_id + "); start a new run");
  }
  return {};
}

}  // namespace

Resumption resumption_of(const Run& run) { return {run.rounds, run.launches.empty() ? 0 : run.launches.back().id + 1}; }

Result<RunOutcome> run_plan(const Plan& plan, const Resumption& resumption, Journal& journal, const RunOptions& options,
                            const StopRequest& stop, RunWatcher& watcher) {
  if (auto checked = check_programs(plan); !checked) return tl::unexpected(checked.error());
  RunOutcome outcome;
  outcome.complete = resumption.complete;
  Meter meter(watcher, outcome.complete.size());
  Progress progress;
  progress.rounds = plan.rounds;
  for (const PlannedProgram& program : plan.programs) progress.cases += static_cast<unsigned>(program.cases.size());

  const auto stop_early = [&](RunOutcome::End end, std::string reason) -> Result<RunOutcome> {
    outcome.end = end;
    outcome.reason = std::move(reason);
    if (auto written = journal.stopped(outcome.reason); !written) return tl::unexpected(written.error());
    return outcome;
  };
  const auto start = SteadyClock::now();
  SteadyClock::duration longest{};
  unsigned next_launch = resumption.next_launch;
  auto planning = std::chrono::duration<double>(options.planning).count();
  for (unsigned round = 0; round < plan.rounds; ++round) {
    if (outcome.complete.contains(round)) continue;
    if (stop.raised()) return stop_early(RunOutcome::End::interrupted, stop.reason());
    const auto round_start = SteadyClock::now();
    if (options.budget && longest.count() > 0 && round_start - start + longest > *options.budget)
      return stop_early(RunOutcome::End::out_of_budget,
                        "the budget of " + format_duration(*options.budget) + " has no room for another round of " +
                            format_duration(longest) + "; " + std::to_string(outcome.complete.size()) + " of " +
                            std::to_string(plan.rounds) + " rounds are complete");
    progress.round = round;
    progress.case_index = 0;
    Spent spent;
    spent.planning = std::exchange(planning, 0);
    for (const PlannedProgram& program : plan.programs) {
      if (program.cases.empty()) continue;
      Ensemble ensemble({plan, program, round, next_launch, options, stop}, journal, meter, progress);
      const auto step = ensemble.run();
      outcome.failures += ensemble.failures();
      spent += ensemble.spent();
      if (!step && step.error().error) return tl::unexpected(*step.error().error);
      if (!step) return stop_early(RunOutcome::End::interrupted, stop.reason());
      next_launch += ensemble.launches();
      progress.case_index += static_cast<unsigned>(program.cases.size());
    }
    spent.wall = spent.planning + seconds_since(round_start);
    if (auto written = journal.round_completed(round, spent); !written) return tl::unexpected(written.error());
    outcome.complete.insert(round);
    outcome.spent += spent;
    meter.round_ended();
    longest = std::max(longest, SteadyClock::now() - round_start);
  }
  if (auto written = journal.finished(); !written) return tl::unexpected(written.error());
  return outcome;
}

}  // namespace bindgate
