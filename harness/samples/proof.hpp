#pragma once
// Whether a placement was in force for a case, and the evidence that says so, as the journal keeps it. What could
// not be read is absent; it is judged where it is read (binding), never here.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/index_set.hpp"
#include "core/json_cursor.hpp"

namespace bindgate {

enum class ProofStatus { held, violated, unverifiable };

using NodeBytes = std::map<unsigned, std::uint64_t>;  ///< bytes in memory by memory node

/// A large piece of anonymous memory that the program did not report.
struct BesideMapping {
  std::string name;    ///< the kernel's: "heap", "stack"; "" where it has none
  std::string policy;  ///< the kernel's word: "default", "bind:1"
  NodeBytes node_bytes;
  bool operator==(const BesideMapping&) const = default;
};

/// Lowest and highest clock of some CPUs at one moment.
struct Frequencies {
  std::uint64_t lowest_khz = 0, highest_khz = 0;
  bool operator==(const Frequencies&) const = default;
};

struct Proof {
  ProofStatus status = ProofStatus::unverifiable;
  std::string detail;    ///< which thread, how many MiB where, which syscall and errno; held: what else to know, or ""
  unsigned threads = 0;  ///< most threads seen at once
  NodeBytes node_bytes;  ///< of the reported ranges at the case's end; empty: not asked
  std::uint64_t migrations = 0;              ///< of all threads during the turns, where readable
  NodeBytes node_bytes_before = {};          ///< the same when the case began; empty: not asked
  IndexSet ran_on = {};                      ///< where its threads had last run, after each turn; empty: not readable
  std::set<std::string> policies = {};       ///< of the mappings that hold the ranges; empty: not readable
  std::set<std::string> thread_policies = {};  ///< of its threads; empty: not readable
  std::vector<BesideMapping> beside = {};    ///< the largest first
  /// Bytes of the reported ranges in huge pages, by the size of a page; nothing: not readable.
  std::optional<std::map<std::uint64_t, std::uint64_t>> huge_page_bytes = {};
  std::optional<std::uint64_t> balanced_bytes = {};  ///< moved by numa_balancing for its threads meanwhile
  std::optional<double> throttled_seconds = {};      ///< of its control groups meanwhile, added up over CPUs
  std::optional<Frequencies> frequencies = {};       ///< of the placement's CPUs at the case's end
  bool operator==(const Proof&) const = default;
};

[[nodiscard]] std::string_view name_of(ProofStatus status);  ///< "held", "violated", "unverifiable"
[[nodiscard]] ProofStatus read_proof_status(const JsonCursor& cursor);

/// `{"0": 67125248}`
[[nodiscard]] nlohmann::json to_json(const NodeBytes& bytes);
/// The keys that samples/README.md lists; what could not be read is left out.
[[nodiscard]] nlohmann::json to_json(const Proof& proof);
[[nodiscard]] Proof read_proof(const JsonCursor& cursor);

}  // namespace bindgate
