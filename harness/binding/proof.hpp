#pragma once
// Whether a placement was in force, read from the kernel and never from the program's word: the masks of
// all threads after every turn, pages and policies once at a case's end. It adds nothing to a
// timed block, since the process waits while it is looked at.

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "binding/circumstances.hpp"
#include "binding/page_rules.hpp"
#include "binding/threads.hpp"
#include "samples/placement.hpp"
#include "samples/proof.hpp"
#include "samples/protocol.hpp"

namespace bindgate {

class Prover {
 public:
  /// `process` must be a child of the caller. `node_count`: memory nodes that exist; with one, or with a policy that
  /// does not bind pages, pages need no proof. `root`: where the kernel tells the rest, "/".
  Prover(int process, Placement placement, unsigned node_count, std::filesystem::path root = "/");

  /// From here on the kernel's counts are this case's, and where the pages of `ranges` lie is what they are moved
  /// from. Without it, what happened meanwhile stays unknown.
  void begin(std::span<const protocol::Range> ranges);

  /// Reads every thread of the process and of its descendants. A thread of the process may run on the placement's
  /// CPUs, one of a descendant on those for its workers: the same ones, or some of them where the case `moves` its
  /// threads itself.
  void check_threads(unsigned turn, bool moves = false);

  /// Asks where the pages of `ranges` lie and gives the proof of everything seen since the last call. A refused read
  /// of what the placement claims is `unverifiable` with its syscall, errno and the missing permission; anything out
  /// of place is `violated` with its name, place, amount and likely cause.
  [[nodiscard]] Proof conclude(std::span<const protocol::Range> ranges);

 private:
  /// A thread that did not run under the placement's mask, as it was first seen.
  struct Stray {
    ThreadState thread;
    unsigned since_turn = 0;
  };
  /// A count of one thread when the case began and when it was last seen.
  struct Count {
    std::uint64_t first = 0, last = 0;
  };
  using Counts = std::map<int, Count>;  // by thread id
  [[nodiscard]] const IndexSet& cpus_of(const ThreadState& thread) const;
  [[nodiscard]] bool in_place(const ThreadState& thread, bool moves) const;
  [[nodiscard]] std::string describe_strays() const;
  [[nodiscard]] std::string likely_cause() const;
  void judge_pages(std::span<const protocol::Range> ranges, Proof& proof, std::string& violation, std::string& doubt,
                   std::string& note) const;
  [[nodiscard]] std::string cause_of_misplacement(const Proof& proof) const;
  void add_circumstances(Proof& proof) const;

  int process_;
  Placement placement_;
  unsigned node_count_;
  std::filesystem::path root_;
  bool threads_seen_ = false;
  bool moves_ = false;           ///< narrower masks were the case's own doing
  std::string refusal_;          ///< why the threads could not be read, the first time
  std::map<int, Stray> strays_;  ///< by thread id
  std::map<int, int> seen_;      ///< thread id -> its process
  std::size_t in_place_ = 0;     ///< most threads seen at once that were where they belong
  unsigned most_threads_ = 0;
  IndexSet ran_on_;
  Counts migrations_, balanced_;
  std::optional<Circumstances> begun_;
  NodeBytes bytes_begun_;
};

}  // namespace bindgate
