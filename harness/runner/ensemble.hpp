#pragma once
// All launches of one program in one round, alive together and taking turns: the base, its twin, and one for
// each further placement. One works while the others sleep. Everything goes to the journal as it happens.

#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "runner/run_watcher.hpp"
#include "runner/seat.hpp"
#include "samples/journal.hpp"
#include "samples/run.hpp"
#include "topology/machine.hpp"

namespace bindgate {

/// How a run is done, beside what its plan says.
struct RunOptions {
  Deadlines deadlines;
  std::optional<std::chrono::nanoseconds> budget;  ///< no round is started that would not end in time
  std::vector<Node> nodes;                         ///< the machine's, for the proof and the memory check
  std::map<std::string, std::string> inherited;    ///< the caller's environment
};

class Ensemble {
 public:
  /// Why it ended before its time; the launches are gone.
  struct Cut {
    std::optional<Error> error;  ///< of the journal; nothing: the stop request was raised
  };
  using Step = tl::expected<void, Cut>;

  struct Setting {
    const Plan& plan;
    const PlannedProgram& program;
    unsigned round = 0;
    unsigned first_launch = 0;  ///< id
    const RunOptions& options;
    const StopRequest& stop;
  };
  /// `progress`: its round, rounds, cases and the index of this program's first case are filled in.
  Ensemble(const Setting& setting, Journal& journal, RunWatcher& watcher, Progress progress);

  [[nodiscard]] Step run();

  [[nodiscard]] unsigned launches() const { return static_cast<unsigned>(seats_.size()); }
  [[nodiscard]] unsigned failures() const { return failures_; }  ///< cases x launches that failed, launches that did

 private:
  void take_seats();
  Step start();
  Step run_case(const CaseInfo& info);
  Step set_up(const CaseInfo& info);
  void check_memory();
  Step take_turns(const CaseInfo& info);
  Step take_turn(const CaseInfo& info, Seat& seat, unsigned turn, unsigned attempt, bool& disturbed);
  Step end_case(const CaseInfo& info);
  Step finish();

  std::vector<std::size_t> order(std::string_view moment, unsigned turn = 0) const;
  void show(const Seat& seat, double case_done);
  void note(const Seat& seat, const std::string& what);

  Setting setting_;
  Journal& journal_;
  RunWatcher& watcher_;
  Progress progress_;
  std::vector<Seat> seats_;                       // in order of start
  std::map<unsigned, std::uint64_t> free_bytes_;  // by node, before the present case was set up
  TurnPlan turn_plan_;
  bool journalled_ = false;  // the launches' first lines are written
  unsigned failures_ = 0;
};

}  // namespace bindgate
