#pragma once
// An accepted run as a baseline keeps it: per case, variant and launch a few numbers, never the samples.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/fingerprint.hpp"
#include "samples/block.hpp"
#include "samples/launch.hpp"
#include "samples/run.hpp"

namespace bindgate {

/// One launch's summary of one case by its primary clock.
struct NightLaunch {
  unsigned round = 0;
  Role role = Role::other;
  double median_ns = 0;  ///< per iteration, above 0
  double spread = 0;     ///< MAD-based coefficient of variation of its samples, a share, at least 0
  std::map<ReferenceKernel, double> references_ns;  ///< median reading of each kernel, above 0
  std::optional<double> mpki = {};  ///< cache misses per 1,000 instructions; nothing: not counted
  bool operator==(const NightLaunch&) const = default;
};

/// One accepted run's launches of one case, by variant.
struct Night {
  std::string run;       ///< the run's id; accepting it twice is refused
  std::string measured;  ///< UTC, when the run started
  std::string accepted;  ///< UTC
  std::string note;      ///< why, in the words of whoever accepted it; or ""
  unsigned level = 0;    ///< nights of the highest level count; an intended change starts the next
  bool forced = false;   ///< accepted although something spoke against it
  Environment environment;
  std::map<std::string, std::vector<NightLaunch>> variants;
  /// By variant, as `describe` words it; times under different placements are never compared.
  std::map<std::string, std::string> placements;
  bool operator==(const Night&) const = default;
};

/// Everything that one baseline file holds.
struct CaseHistory {
  std::string case_name;
  Fingerprint fingerprint;
  Clock clock = Clock::wall;
  std::vector<Night> nights;  ///< in order of acceptance
  bool operator==(const CaseHistory&) const = default;
};

/// What is stored for one machine; when nothing is, which machine is nearest and how it differs.
struct Baseline {
  std::vector<CaseHistory> cases;        ///< sorted by name; empty: nothing matches
  std::string nearest;                   ///< fingerprint id of the nearest other machine, or ""
  std::vector<std::string> differences;  ///< "memory: 32 GiB here, 64 GiB there"
  bool operator==(const Baseline&) const = default;
};

/// The file's text: sorted keys, indented, ending in a line feed; schema "bindgate.baseline/1".
[[nodiscard]] std::string encode(const CaseHistory& history);

/// Errors: as JsonDocument, and a wrong schema, an unknown key, a value out of range, nights out of order.
[[nodiscard]] Result<CaseHistory> parse_case_history(std::string_view text, const std::string& source);

}  // namespace bindgate
