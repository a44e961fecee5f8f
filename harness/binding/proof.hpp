#pragma once
// Whether a placement was in force, read from the kernel and never from the program's word: the masks of
// all threads after every turn, the pages of the reported ranges once at a case's end. It adds nothing to a
// timed block, since the process waits while it is looked at.

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "samples/launch.hpp"
#include "samples/placement.hpp"
#include "samples/protocol.hpp"

namespace bindgate {

class Prover {
 public:
  /// `process` must be a child of the caller. `node_count`: memory nodes that exist; with one, or with the
  /// default policy, pages need no proof.
  Prover(int process, Placement placement, unsigned node_count);

  /// Reads every thread of the process (and of its descendants) against the placement's CPUs.
  void check_threads(unsigned turn);

  /// Asks for the node of every page of `ranges` (move_pages in query mode) where the placement claims one,
  /// and gives the proof of everything seen since the last call. A refused read is `unverifiable` with its
  /// syscall and errno; anything out of place is `violated` with its name, place and amount.
  [[nodiscard]] Proof conclude(std::span<const protocol::Range> ranges);

 private:
  int process_;
  Placement placement_;
  unsigned node_count_;
  Proof seen_;
  std::map<int, std::uint64_t> first_migrations_;
};

}  // namespace bindgate
