#pragma once
// The proof for any running process, started by whomever: where its threads may run and ran, where its memory lies,
// and what of it does not fit a placement. `repair` moves both; nothing else changes anything.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "samples/placement.hpp"
#include "samples/proof.hpp"
#include "topology/machine.hpp"

namespace bindgate {

/// Threads of one process that have the same mask and memory policy.
struct ThreadGroup {
  IndexSet cpus;
  std::string policy;  ///< the kernel's word; "" where it tells none
  unsigned threads = 0;
  IndexSet ran_on;                 ///< where they run or last ran
  std::vector<std::string> names;  ///< different ones, at most a few
  bool descendants = false;        ///< of the processes that it started
  bool operator==(const ThreadGroup&) const = default;
};

/// What the kernel says of one process and what it started.
struct ProcessFacts {
  int process = 0;
  std::string command;
  std::vector<ThreadGroup> groups;  ///< its own first, then the largest first
  NodeBytes node_bytes;             ///< of all its memory; empty: not readable
  NodeBytes anonymous_node_bytes;   ///< of what no file backs: this is what a memory policy decides
  std::vector<BesideMapping> largest;  ///< of its anonymous mappings
  std::string memory_refusal;       ///< why its memory could not be read; else ""
  std::optional<std::map<std::string, std::string>> environment = {};  ///< as it was started; nothing: not readable
  bool operator==(const ProcessFacts&) const = default;
};

/// Errors: no such process; it may not be read.
[[nodiscard]] Result<ProcessFacts> read_process(int process);

struct Verification {
  ProofStatus status = ProofStatus::unverifiable;
  std::vector<std::string> misfits;  ///< one line each; empty: it fits
  std::vector<std::string> doubts;   ///< what could not be read, and what permission is missing
  std::vector<std::string> notes;    ///< what a placement only wishes
  bool operator==(const Verification&) const = default;
};

/// Its masks, its pages and the environment that the variant sets; not how many threads it computes with.
/// `node_count`: memory nodes that exist; on one, memory has nowhere else to be.
[[nodiscard]] Verification verify(const ProcessFacts& facts, const Placement& placement, unsigned node_count);

/// Of the placements that stand for the variant alike, the one that needs least to be done to the process: fewest
/// misfits, then least of its memory elsewhere than the placement's memory nodes, or than its CPUs' own where it names
/// none.
[[nodiscard]] const Placement& nearest_placement(const PlannedVariant& variant, const ProcessFacts& facts,
                                                 std::span<const Node> nodes);

/// What a repair does to this process, or would: one line each, as "12 threads to CPUs 0-3".
[[nodiscard]] std::vector<std::string> planned_repair(const ProcessFacts& facts, const Placement& placement,
                                                      unsigned node_count);

/// Binds all threads and moves the process's pages that lie elsewhere. Its memory policy cannot be changed from outside:
/// what it touches later follows the old one. Gives what was done; errors: the call, its errno and the permission.
[[nodiscard]] Result<std::vector<std::string>> repair(int process, const Placement& placement, unsigned node_count);

}  // namespace bindgate
