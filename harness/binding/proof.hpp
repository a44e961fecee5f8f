#pragma once
// Whether a placement was in force, read from the kernel and never from the program's word: the masks of
// all threads after every turn, the pages of the reported ranges once at a case's end. It adds nothing to a
// timed block, since the process waits while it is looked at.

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "binding/threads.hpp"
#include "samples/launch.hpp"
#include "samples/placement.hpp"
#include "samples/protocol.hpp"

namespace bindgate {

class Prover {
 public:
  /// `process` must be a child of the caller. `node_count`: memory nodes that exist; with one, or with the
  /// default policy, pages need no proof.
  Prover(int process, Placement placement, unsigned node_count);

  /// Reads every thread of the process (and of its descendants) against the placement's CPUs: the same ones, or some
  /// of them where the case `moves` its threads itself.
  void check_threads(unsigned turn, bool moves = false);

  /// Asks for the node of every page of `ranges` (move_pages in query mode) where the placement claims one,
  /// and gives the proof of everything seen since the last call. A refused read is `unverifiable` with its
  /// syscall and errno; anything out of place is `violated` with its name, place and amount.
  [[nodiscard]] Proof conclude(std::span<const protocol::Range> ranges);

 private:
  /// A thread that did not run under the placement's mask, as it was first seen.
  struct Stray {
    ThreadState thread;
    unsigned since_turn = 0;
  };
  [[nodiscard]] bool in_place(const ThreadState& thread, bool moves) const;
  [[nodiscard]] std::string describe_strays() const;

  int process_;
  Placement placement_;
  unsigned node_count_;
  bool threads_seen_ = false;
  bool moves_ = false;  ///< narrower masks were the case's own doing
  std::string refusal_;          ///< why the threads could not be read, the first time
  std::map<int, Stray> strays_;  ///< by thread id
  unsigned most_threads_ = 0;
  /// Per thread id, its count of migrations when the case began and when it was last seen.
  struct Migrations {
    std::uint64_t first = 0, last = 0;
  };
  std::map<int, Migrations> migrations_;
};

}  // namespace bindgate
