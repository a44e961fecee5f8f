#pragma once
// One process's life in an ensemble: who it was, what it was given, what it measured, how it ended.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_cursor.hpp"
#include "samples/block.hpp"
#include "samples/placement.hpp"
#include "samples/proof.hpp"

namespace bindgate {

enum class Side { old_side, new_side };
enum class Role { base, twin, other };
enum class Purpose { measure, probe, attribute };

/// A launch's seat in its ensemble.
struct Member {
  std::string variant;
  Side side = Side::new_side;
  Role role = Role::other;
  Purpose purpose = Purpose::measure;
  bool operator==(const Member&) const = default;
};

enum class CaseOutcome {
  unfinished,  ///< the journal ends before the case did
  ok,
  not_run,
  failed,
};

/// One case in one launch.
struct CaseRun {
  std::string name;
  CaseOutcome outcome = CaseOutcome::unfinished;
  std::string reason;                   ///< why not run or failed
  std::vector<std::int64_t> warmup_ns;  ///< wall time per warm-up iteration
  std::int64_t batch = 1;               ///< iterations per sample
  unsigned threads = 1;
  std::uint64_t working_set_bytes = 0;
  std::vector<Block> blocks;  ///< in order of time
  std::optional<Proof> proof;
  std::map<std::string, double> figures;  ///< what else the program found out, by name: "share_waiting"
  std::optional<double> wall_seconds = {};        ///< from its set-up to its end
  std::optional<double> others_cpu_seconds = {};  ///< CPU time of others on the placement's CPUs meanwhile
  std::optional<double> steal_seconds = {};       ///< stolen by the hypervisor from those CPUs meanwhile
  bool operator==(const CaseRun&) const = default;
};

struct Launch {
  unsigned id = 0;     ///< unique in its run, in order of its first line
  unsigned round = 0;  ///< from 0
  std::string program;
  Member member;
  int pid = 0;
  Placement placement;
  std::string build_type;
  std::map<std::string, std::string> libraries;    ///< name -> version, from the program
  std::map<std::string, std::string> settings;     ///< from the program
  std::vector<std::string> loaded;                 ///< paths of shared objects in its address space
  std::map<std::string, std::string> environment;  ///< what the harness set
  std::vector<std::string> removed;                ///< what the harness took from the inherited environment
  std::vector<CaseRun> cases;
  std::string failure;                       ///< how the process failed as a whole; "" when it did not
  std::string output_tail;                   ///< the end of its stdout and stderr, kept only with a failure
  std::optional<double> wall_seconds;        ///< from start to end; nothing while unfinished
  std::optional<double> others_cpu_seconds;  ///< CPU time of others on the placement's CPUs meanwhile
  std::optional<double> steal_seconds;       ///< stolen by the hypervisor from those CPUs meanwhile
  bool operator==(const Launch&) const = default;
};

[[nodiscard]] std::string_view name_of(Side side);            ///< "old", "new"
[[nodiscard]] std::string_view name_of(Role role);            ///< "base", "twin", "other"
[[nodiscard]] std::string_view name_of(Purpose purpose);      ///< "measure", "probe", "attribute"
[[nodiscard]] std::string_view name_of(CaseOutcome outcome);  ///< "unfinished", "ok", "not_run", "failed"
[[nodiscard]] Side read_side(const JsonCursor& cursor);
[[nodiscard]] Role read_role(const JsonCursor& cursor);
[[nodiscard]] Purpose read_purpose(const JsonCursor& cursor);
[[nodiscard]] CaseOutcome read_case_outcome(const JsonCursor& cursor);

}  // namespace bindgate
