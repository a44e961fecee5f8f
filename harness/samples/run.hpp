#pragma once
// One `bindgate run`: the plan it was given, the machine it ran on, and every launch, as the journal
// tells it. Reading it back gives exactly what was written; what it means is the verdict's business.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/fingerprint.hpp"
#include "samples/case_info.hpp"
#include "samples/launch.hpp"
#include "samples/placement.hpp"
#include "samples/profile_list.hpp"
#include "samples/spent.hpp"

namespace bindgate {

/// What the user chose to measure; a series outside it is "not selected", without effect.
struct Selection {
  std::vector<std::string> cases;     ///< globs; empty: the profile's cases
  std::vector<std::string> variants;  ///< names; empty: all built-in ones (a profile that leaves some out names its own)
  Profile profile = Profile::quick;
  bool operator==(const Selection&) const = default;
};

struct PlannedProgram {
  std::string name;                                ///< file name, as "bench_matmul"
  std::string path;                                ///< absolute
  std::string build_id;                            ///< hash of the file's content
  std::map<std::string, std::string> environment;  ///< what the harness sets for this program
  std::vector<CaseInfo> cases;                     ///< the selected ones, in the program's order
  bool operator==(const PlannedProgram&) const = default;
};

struct Plan {
  Selection selection;
  std::string base = "none";  ///< the variant that all others are compared with
  unsigned rounds = 6;
  unsigned turns = 60;         ///< per case and round
  unsigned minimum_turns = 8;  ///< for iterations longer than a block
  std::uint64_t seed = 0;      ///< below 2^63
  std::vector<PlannedVariant> variants;
  std::vector<PlannedProgram> programs;
  std::optional<ProfileList> list;  ///< by which the cases were chosen; nothing: by their profile or name
  std::vector<LeftOut> left_out;    ///< cases that the programs have and the profile or the list leaves out
  bool operator==(const Plan&) const = default;
};

/// Facts that may change a number without making machines incomparable: kernel, governor, microcode, ...
using Environment = std::map<std::string, std::string>;

struct Run {
  std::string id;       ///< tells it from all others: its directory's name when it was made, and when that was
  std::string started;  ///< UTC, as 2026-01-31T23:59:59Z
  std::string bindgate_version;
  std::string bindgate_build;  ///< "Release", "Debug"
  std::string machine;         ///< the topology's own JSON text, carried unread; "" when there is none
  Fingerprint fingerprint;
  Environment environment;
  std::vector<std::string> findings;  ///< what the user should know before believing anything
  Plan plan;
  std::vector<Launch> launches;  ///< in order of start, those of rounds that were begun again included
  std::set<unsigned> abandoned;  ///< ids of launches of unfinished rounds: never counted
  std::set<unsigned> rounds;     ///< the complete ones
  Spent spent;                   ///< of those rounds; all 0 where it was not told
  bool finished = false;         ///< the plan was done
  std::string stopped;           ///< why it ended early, as "interrupted by SIGINT"; else ""
  bool operator==(const Run&) const = default;
};

/// Debug builds among what measured: "bindgate" and programs, each once. Launches that never count are left out.
[[nodiscard]] std::vector<std::string> debug_builds(const Run& run);

/// "outside profile quick", the reason of a case that is left out for its own smallest profile.
[[nodiscard]] std::string outside(Profile profile);

[[nodiscard]] nlohmann::json to_json(const Plan& plan);
[[nodiscard]] Plan read_plan(const JsonCursor& cursor);

}  // namespace bindgate
