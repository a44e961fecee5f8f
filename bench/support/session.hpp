#pragma once
// The conversation with the harness: reads commands, serves the turns of the case that is running, writes
// replies. Which cases exist, and calling the author's function, is the program's part.

#include <memory>
#include <optional>
#include <string>

#include "core/files.hpp"
#include "samples/protocol.hpp"
#include "support/event_counts.hpp"
#include "support/references.hpp"
#include "support/turn.hpp"

namespace bindgate {

class State;

/// Thrown out of a case when the harness has ended the conversation: the process shall end.
struct EndOfConversation {};

/// The descriptors that the environment names.
struct HarnessDescriptors {
  int command = -1, reply = -1;
  std::optional<int> life;
};

/// Nothing when the program was started by hand (no variable set). Error: only one of the two is set, or a
/// value is no open descriptor.
[[nodiscard]] Result<std::optional<HarnessDescriptors>> harness_descriptors();

/// Ends this process as soon as the other end of `life` is closed.
void end_with(int life);

class Session {
 public:
  explicit Session(const HarnessDescriptors& descriptors);

  /// The next command. Throws EndOfConversation at end-of-file and at `exit`, protocol::Failed on a line that
  /// is no command.
  [[nodiscard]] protocol::Command receive();

  /// What of the CPU's events is counted, or why not.
  [[nodiscard]] const std::string& event_state() const { return events_.state(); }

  /// Throws EndOfConversation when the harness no longer reads.
  void send(const protocol::Reply& reply);

  /// Warms the case up, reports it ready and serves turns until `next`, which the program answers after
  /// tear-down. Throws what the operation throws, and as receive().
  void serve(const State& state, const Driven& driven, std::int64_t first_ns);

 private:
  Descriptor command_, reply_;
  EventCounts events_;  // opened here, before the program has many threads
  std::string unread_;
  std::unique_ptr<References> references_;  // kept from case to case: allocated and touched once
};

}  // namespace bindgate
