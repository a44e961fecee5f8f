#pragma once
// One launch's seat in an ensemble: its process, the record of it that the journal gets, and how far it is
// with the present case. It writes no journal and knows nothing of the other seats but their CPU time.

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "binding/proof.hpp"
#include "runner/launch_client.hpp"
#include "runner/proc_files.hpp"
#include "runner/turn_rules.hpp"
#include "samples/launch.hpp"
#include "samples/spent.hpp"

namespace bindgate {

/// CPU time of one launch so far, and where it ran.
struct CpuUse {
  IndexSet cpus;
  double seconds = 0;
};

class Seat {
 public:
  /// `launch`: round, program, member and placement are filled in.
  Seat(Launch launch, unsigned node_count) : launch_(std::move(launch)), node_count_(node_count) {}

  // Each of these is one step of the conversation and gives false when the stop request was raised meanwhile.
  // A launch that cannot go on is over from then on: the record says why, and so does every further case.

  /// Starts the process; nothing is waited for, so that several can start at once.
  void start(const LaunchOrder& order, const Deadlines& deadlines, const StopRequest& stop);
  /// Hears the hello of a process that was started.
  [[nodiscard]] bool hear_hello();
  [[nodiscard]] bool begin_case(const CaseInfo& info);
  /// From here on turns, samples and time are counted anew: of a case that is taken in parts, each is like a whole one.
  void begin_part();
  /// A turn in three steps, so that seats of a group work at once and none is looked at while another still works:
  /// it is asked for, heard, and settled.
  [[nodiscard]] bool ask_turn(const protocol::Turn& turn);
  [[nodiscard]] bool hear_turn();
  /// The block, marked if it was disturbed; nothing if the case failed. `charged`: the time account gets it, as it does
  /// once for a group.
  [[nodiscard]] std::optional<Block> settle_turn(unsigned attempt, bool charged);
  /// The proof, then the tear-down; the case's outcome stands afterwards.
  [[nodiscard]] bool end_case();

  /// Fails the present case from outside; its set-up is torn down by `end_case`.
  void refuse_case(const std::string& reason);
  /// Fails a case from outside without setting it up.
  void withhold_case(const CaseInfo& info, const std::string& reason);
  /// Others of its group work on its CPUs: their switches are the group's own.
  void share_cpus() { shares_cpus_ = true; }
  /// The launch gets its id, as it does when the journal first hears of it.
  void announce(unsigned id);
  /// So that several end at once, before the first of them is waited for.
  void ask_to_exit();
  /// Asks the process to exit, waits until it has, and completes the record.
  void finish();
  /// As LaunchClient's, for interruptions; the record stays incomplete.
  void hang_up();
  void abandon();

  [[nodiscard]] bool is_over() const { return !over_.empty(); }
  [[nodiscard]] bool is_announced() const { return announced_; }
  /// The case was begun or withheld, and no other since.
  [[nodiscard]] bool has_case(const std::string& name) const { return case_.name == name; }
  /// The case is set up and has not failed.
  [[nodiscard]] bool in_case() const { return in_case_ && !failed_; }
  [[nodiscard]] const Launch& launch() const { return launch_; }
  [[nodiscard]] CaseRun& case_run() { return case_; }
  /// From asking until it was heard, of the last turn.
  [[nodiscard]] double turn_seconds() const { return turn_.seconds; }
  [[nodiscard]] std::uint64_t working_set_bytes() const { return case_.working_set_bytes; }

  /// The launch should take more turns than planned: too few samples to judge by, and time for more.
  [[nodiscard]] bool wants_more() const;
  /// It has had its share of time: no further turn but the fewest that a case needs.
  [[nodiscard]] bool is_spent() const { return block_ns_ >= longest_case_ns || turns_ >= most_turns; }
  /// Another repetition of a disturbed turn is within the allowance for `turns` turns; counts it.
  [[nodiscard]] bool may_repeat(unsigned turns);

  [[nodiscard]] CpuUse cpu_use() const;
  /// Marks from where on others' CPU time counts for the launch, and settles it: `uses` are those of all seats now.
  void open_account(std::span<const CpuUse> uses);
  void settle_account(std::span<const CpuUse> uses);
  /// The same for the present case, from before it begins to before it ends.
  void open_case_account(std::span<const CpuUse> uses);
  void settle_case_account(std::span<const CpuUse> uses);

  /// Of the harness's time, with this launch; what belongs to no launch is 0.
  [[nodiscard]] const Spent& spent() const { return spent_; }

 private:
  struct Account {
    CpuTicks ticks;
    double known_seconds = 0;  // of the ensemble and the harness, on this launch's CPUs
    std::chrono::steady_clock::time_point at;
  };
  Account account(std::span<const CpuUse> uses) const;
  // Others' CPU time and steal, in seconds, between two accounts.
  static std::pair<double, double> taken(const Account& from, const Account& to);
  bool go_on_after(const LaunchOver& over);
  void reset_case(const CaseInfo& info);
  void fail_case(const std::string& reason);
  void wait_until_still();
  CpuTicks ticks();
  void charge_turn(double seconds, const Block& block);
  void mark(Block& block);

  Launch launch_;
  unsigned node_count_;
  std::optional<LaunchClient> client_;
  std::optional<Prover> prover_;
  std::set<std::string> known_cases_;
  std::string over_;  // why the launch is over; "" while it lives
  bool waits_busily_ = false, announced_ = false, shares_cpus_ = false;
  std::chrono::steady_clock::time_point started_;
  Account opened_, case_opened_;
  Spent spent_;

  /// The turn that was asked for.
  struct Asked {
    protocol::Turn turn;
    CpuTicks before;
    std::chrono::steady_clock::time_point at;
    double seconds = 0;
    std::optional<LaunchClient::TurnAnswer> answer;  // nothing: the launch is over
  };
  Asked turn_;

  CaseInfo info_;
  CaseRun case_;
  std::vector<protocol::Range> ranges_;
  bool moves_ = false;  // the case narrows its threads' masks itself
  bool in_case_ = false, failed_ = false;
  std::vector<double> cpu_shares_;
  SampleCount samples_, last_;  // in all, and of the last block
  std::int64_t block_ns_ = 0;
  unsigned turns_ = 0, repeated_ = 0;
};

}  // namespace bindgate
