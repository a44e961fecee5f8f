#pragma once
// What there is, as text: cases, profiles, variants, the machine. No result of a measurement is shown here.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "report/table.hpp"
#include "samples/placement.hpp"
#include "samples/run.hpp"
#include "topology/comparison.hpp"
#include "topology/machine.hpp"

namespace bindgate {

/// What the variants are here.
struct VariantsListing {
  struct Row {
    PlannedVariant variant;
    std::string meaning;                       ///< one line; ""
    std::map<std::string, std::string> lines;  ///< what to type without bindgate, by tool
  };
  std::vector<Row> rows;
  std::vector<std::string> left_out;  ///< what there is beside them, as it is typed
  std::vector<std::string> notes;
};

/// Every variant's meaning and placement with its launch lines, or why it has none.
[[nodiscard]] std::string variants_table(const VariantsListing& listing, const Style& style);

/// Cores, caches, nodes and distances one by one, or in groups of what is alike where there are many.
[[nodiscard]] std::string topology_text(const Machine& machine, const Style& style);

/// `then` and `now`: the names of the two sources.
[[nodiscard]] std::string comparison_text(const MachineComparison& comparison, const std::string& then,
                                          const std::string& now, const Style& style);

/// What a profile holds on one machine.
struct ProfileListing {
  ProfileList list;
  std::vector<PlannedProgram> programs;  ///< that have the listed cases, as far as they still exist
  std::string stored_in;                 ///< the list's file; "" for one that was made just now
  std::vector<std::string> findings;
  bool operator==(const ProfileListing&) const = default;
};

/// Each case's time per iteration, time in the run and working set; the sum; what was left out and why.
[[nodiscard]] std::string profile_table(const ProfileListing& listing, const Style& style);

/// Cases by program: work per iteration, profile, what to know.
[[nodiscard]] std::string list_table(std::span<const PlannedProgram> programs, const Style& style);

}  // namespace bindgate
