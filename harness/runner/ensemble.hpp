#pragma once
// All launches of one program in one round, alive together and taking turns: the base, its twin, and one for
// each further placement. One works while the others sleep; the members of a group work at once. Where their working sets do not fit into memory at once, a
// case is taken in parts, each with base and twin. Everything goes to the journal as it happens.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "runner/memory_rules.hpp"
#include "runner/run_watcher.hpp"
#include "runner/seat.hpp"
#include "samples/journal.hpp"
#include "samples/run.hpp"
#include "topology/machine.hpp"

namespace bindgate {

/// How a run is done, beside what its plan says.
struct RunOptions {
  Deadlines deadlines;
  std::chrono::nanoseconds planning{0};            ///< what went before; counts as spent with the first round
  std::optional<std::chrono::nanoseconds> budget;  ///< no round is started that would not end in time
  std::vector<Node> nodes;                         ///< the machine's, for the proof and the memory check
  std::map<std::string, std::string> inherited;    ///< the caller's environment
  std::function<FreeMemory(std::span<const Node>)> free_memory = read_free_memory;  ///< asked before every case
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
  /// Where the harness's time went, but for planning and the wall time of all.
  [[nodiscard]] Spent spent() const;
  [[nodiscard]] unsigned failures() const { return failures_; }  ///< cases x launches that failed, launches that did

 private:
  using Members = std::vector<std::size_t>;  // positions in seats_
  using Units = std::vector<std::size_t>;    // positions in units_

  void take_seats();
  void join_groups();
  Step start();
  Step run_case(const CaseInfo& info);
  Members next_part(const CaseInfo& info, Members& waiting);
  Step begin_case(const CaseInfo& info, const Members& members);
  void calibrate();
  void refuse_what_is_too_large(Members part);
  Step announce(Members members);
  Step take_turns(const CaseInfo& info, const Members& starting);
  Step take_turn(const CaseInfo& info, const Members& unit, unsigned turn, unsigned attempt, bool& disturbed);
  Step end_case(const CaseInfo& info, const Members& members);
  Step finish();

  std::vector<MemoryClaim> claims() const;
  const Members& unit_of(std::size_t seat) const;
  bool unit_in_case(const Members& unit);
  bool unit_is_spent(const Members& unit) const;
  bool unit_wants_more(const Members& unit) const;
  std::vector<CpuUse> cpu_uses() const;
  template <class Write, class... Values>
  Step record(Write write, const Values&... values);  // one line of the journal
  Members order(std::string_view moment) const;
  Units turn_order(std::string_view case_name, unsigned turn) const;
  void show(const Seat& seat, double part_done);
  void note(const Seat& seat, const std::string& what);

  Setting setting_;
  Journal& journal_;
  RunWatcher& watcher_;
  Progress progress_;
  std::vector<Seat> seats_;     // in order of start
  std::vector<Members> units_;  // who takes turns as one: a seat, or those of a group
  unsigned announced_ = 0;   // seats whose launches stand in the journal
  unsigned failures_ = 0;
  double journal_seconds_ = 0;

  // Of the present case.
  FreeMemory free_;                    // before it was set up
  std::optional<TurnPlan> turn_plan_;  // nothing while no launch has it set up
  unsigned first_turn_ = 0;            // of the present part
  double done_ = 0, share_ = 1;        // of the case: by earlier parts, and in the present one
};

}  // namespace bindgate
