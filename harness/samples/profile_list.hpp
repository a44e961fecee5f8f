#pragma once
// Which cases a profile holds on one machine, what each costs there, and what was left out and why. A stored one
// makes tonight's list last night's. Who makes it, and by what rules, is the planner's business.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "samples/case_info.hpp"

namespace bindgate {

/// A case that the programs have and the run does not measure.
struct LeftOut {
  std::string case_name;
  std::string reason;  ///< one line, with its figures
  bool operator==(const LeftOut&) const = default;
};

struct ListedCase {
  std::string name;
  double seconds = 0;                              ///< in the whole run: all rounds and launches; an estimate
  std::optional<std::int64_t> iteration_ns;        ///< of the base; nothing for a case that gave none
  std::optional<std::uint64_t> working_set_bytes;  ///< of one launch; the same
  std::string note;                                ///< "not run: no bf16 kernel", "failed: ..."; or ""
  bool operator==(const ListedCase&) const = default;
};

struct ProfileList {
  Profile profile = Profile::nightly;
  std::string planned;        ///< UTC
  unsigned rounds = 6;        ///< for which `seconds` are
  unsigned members = 2;       ///< launches of a program in a round, the twin included; the same
  std::vector<ListedCase> cases;  ///< in the order in which they were taken, no name twice
  std::vector<LeftOut> left_out;  ///< of the profile, for want of time
  bool operator==(const ProfileList&) const = default;
};

/// Of all cases, for the `rounds` and `members` of the list.
[[nodiscard]] double total_seconds(const ProfileList& list);

/// As part of a journal's plan.
[[nodiscard]] nlohmann::json to_json(const ProfileList& list);
[[nodiscard]] ProfileList read_profile_list(const JsonCursor& cursor);
[[nodiscard]] nlohmann::json to_json(const LeftOut& left_out);
[[nodiscard]] LeftOut read_left_out(const JsonCursor& cursor);

/// The text of a file of its own: sorted keys, one case a line, ending in a line feed; schema "bindgate.profile/1".
[[nodiscard]] std::string encode(const ProfileList& list);

/// Errors: as JsonDocument, and a wrong schema, an unknown key, a value out of range, a case that stands there twice.
[[nodiscard]] Result<ProfileList> parse_profile_list(std::string_view text, const std::string& source);

}  // namespace bindgate
