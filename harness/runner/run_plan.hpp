#pragma once
// A plan, done: rounds of ensembles from the first that is missing to the last, each written to the journal as
// it happens. It makes no plan, judges nothing and prints nothing.

#include <set>
#include <string>

#include "core/error.hpp"
#include "runner/ensemble.hpp"
#include "runner/run_watcher.hpp"
#include "runner/stop_request.hpp"
#include "samples/journal.hpp"
#include "samples/run.hpp"

namespace bindgate {

/// What an earlier process left of the same run; nothing for a fresh one.
struct Resumption {
  std::set<unsigned> complete;  ///< rounds that need not be run again
  unsigned next_launch = 0;     ///< above every id in the journal
};

/// From the journal of a run.
[[nodiscard]] Resumption resumption_of(const Run& run);

struct RunOutcome {
  enum class End { finished, interrupted, out_of_budget };
  End end = End::finished;
  std::string reason;           ///< why it ended early, as in the journal; else ""
  std::set<unsigned> complete;  ///< rounds, those of earlier processes included
  Spent spent;                  ///< on the rounds that this process completed
  unsigned failures = 0;        ///< failed cases and launches, and violated bindings, of this process
};

/// Runs what is missing of `plan`. Errors: a program that is not the one that was planned; the journal cannot be
/// written. In every case all children are gone when it returns, and the journal reads.
/// Of the budget: the first round always starts; a further one does if the longest so far would fit again.
[[nodiscard]] Result<RunOutcome> run_plan(const Plan& plan, const Resumption& resumption, Journal& journal,
                                          const RunOptions& options, const StopRequest& stop, RunWatcher& watcher);

}  // namespace bindgate
