#pragma once
// The harness's side of the protocol with one launch: typed questions and answers under deadlines. A launch
// that breaks the conversation in any way is over: it is ended on the spot, and the answer says how.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/error.hpp"
#include "runner/child.hpp"
#include "runner/proc_files.hpp"
#include "samples/protocol.hpp"

namespace bindgate {

/// How long a launch may take for what.
struct Deadlines {
  Milliseconds hello{60'000};
  Milliseconds set_up{300'000};  ///< set-up, check and warm-up of one case
  Milliseconds turn{60'000};
  Milliseconds tear_down{60'000};
  Milliseconds launch{4 * 3'600'000};  ///< from its start to its end
  Milliseconds exit{10'000};           ///< from the exit command on
  Milliseconds grace{2'000};           ///< for each of: end of its pipes, SIGTERM
};

/// Every step of the conversation may take as long as `step`; the end no longer than that either, nor than a sixth of
/// it where that is more than usual.
[[nodiscard]] Deadlines deadlines_for(Milliseconds step);

/// Free bytes of a memory node; nothing where the kernel does not tell.
using ReadFreeBytes = std::function<std::optional<std::uint64_t>(unsigned node)>;

/// What to start: a program under a placement.
struct LaunchOrder {
  std::string path;                                ///< absolute
  std::map<std::string, std::string> environment;  ///< what the harness sets for this program
  Placement placement;
  std::map<std::string, std::string> inherited;  ///< the caller's environment
  ReadFreeBytes free_bytes = free_bytes_of_node;
};

/// Why there is no answer; the launch has ended.
struct LaunchOver {
  bool stopped = false;  ///< the stop request was raised: nothing is wrong with the launch
  std::string how;       ///< "killed by SIGSEGV; it last said: ...", one line
};

template <class T>
using Answer = tl::expected<T, LaunchOver>;

class LaunchClient {
 public:
  using BeginAnswer = std::variant<protocol::Ready, protocol::NotRun, protocol::Failed>;
  using TurnAnswer = std::variant<Block, protocol::Failed>;

  /// Errors: as Child::start. `stop` must outlive the client.
  static Result<LaunchClient> start(const LaunchOrder& order, const Deadlines& deadlines, const StopRequest& stop);

  [[nodiscard]] Answer<protocol::Hello> hello();
  /// After NotRun or Failed the case is over on both sides: no `next` follows.
  [[nodiscard]] Answer<BeginAnswer> begin(const std::string& case_name);
  /// In two steps, so that several launches can work at once. A block that is not what was asked for (samples, turn)
  /// ends the launch. After Failed no `next` follows.
  [[nodiscard]] Answer<void> ask_turn(const protocol::Turn& turn);
  [[nodiscard]] Answer<TurnAnswer> hear_turn(const protocol::Turn& turn);
  [[nodiscard]] Answer<protocol::Done> next();

  /// So that several end at once, before the first of them is waited for.
  void ask_to_exit();
  /// Asks the process to exit and sees that it does. "" if it went with status 0, else one line.
  std::string finish();
  /// For interruptions: closes its pipes without asking; `abandon` also waits, and then insists.
  void hang_up() { child_->hang_up(); }
  void abandon() { child_->end(Milliseconds(0), deadlines_.grace); }

  [[nodiscard]] int pid() const { return child_->pid(); }
  [[nodiscard]] const Child& child() const { return *child_; }
  [[nodiscard]] const std::map<std::string, std::string>& environment() const { return environment_; }
  [[nodiscard]] const std::vector<std::string>& removed() const { return removed_; }

 private:
  LaunchClient(const LaunchOrder& order, const Deadlines& deadlines)
      : path_(order.path), deadlines_(deadlines), memory_(order.placement.memory), free_bytes_(order.free_bytes) {}

  Answer<void> say(const protocol::Command& command);
  Answer<protocol::Reply> ask(const protocol::Command& command, Milliseconds limit);
  Answer<protocol::Reply> reply(Milliseconds limit);
  LaunchOver over(const NoLine& why, Milliseconds limit);
  LaunchOver rubbish(const std::string& what);
  void note_free_memory();
  std::string about_memory(const Ending& ending) const;

  std::string path_;
  Deadlines deadlines_;
  Memory memory_;
  ReadFreeBytes free_bytes_;
  std::map<unsigned, std::uint64_t> free_before_;  // of the nodes that memory is bound to, before the last step
  std::chrono::steady_clock::time_point latest_end_;
  std::unique_ptr<Child> child_;
  bool asked_to_exit_ = false;
  std::map<std::string, std::string> environment_;  // what the harness set
  std::vector<std::string> removed_;
};

}  // namespace bindgate
