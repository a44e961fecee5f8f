#pragma once
// Makes a run one more night of a baseline: all of its cases or none. What a night says was computed
// elsewhere; here it is only decided whether the run may become one.

#include <filesystem>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "samples/night.hpp"
#include "samples/run.hpp"

namespace bindgate {

struct AcceptOptions {
  std::string accepted;    ///< now, UTC
  std::string note;        ///< why; required for a new level
  bool new_level = false;  ///< an intended change: only nights from this one on count
  bool force = false;      ///< although something speaks against it; recorded in the night
  bool operator==(const AcceptOptions&) const = default;
};

struct AcceptedNight {
  Night night;                       ///< as it was stored, but for `variants`; `level` is the highest of its cases
  std::filesystem::path folder;      ///< DIR/<fingerprint id>
  std::vector<std::string> cases;    ///< in the order of `summaries`
  std::vector<std::string> unusable; ///< planned cases without a usable launch: not kept, in the plan's order
  bool first = false;                ///< nothing was stored for this machine before
  bool nightly_list = false;         ///< the run's list of cases was kept, there being none before
  std::vector<std::string> against;  ///< what spoke against it and was overruled
  bool operator==(const AcceptedNight&) const = default;
};

/// Why this run should not become a baseline, one line each with its cure: unfinished or stopped, no complete
/// round, failed cases or processes, violated or unverifiable bindings, Debug builds. Abandoned launches do not count.
[[nodiscard]] std::vector<std::string> reasons_against(const Run& run);

/// Appends the run to the history of each case in `summaries` (each holding this run's one night). A case's level
/// is that of its last night, or the next with `new_level`; histories of other cases stay as they are. The list by
/// which the run's cases were chosen is kept where none is stored; a stored one stays, whatever the level.
/// Errors: something speaks against the run (without `force`), nothing to store, a run that is there already, a new
/// level without a note, another clock than the history's, faults of stored files, a directory that cannot be
/// written, a full disk. After an error the old content stands.
[[nodiscard]] Result<AcceptedNight> accept_night(const std::filesystem::path& directory, const Run& run,
                                                 const std::vector<CaseHistory>& summaries,
                                                 const AcceptOptions& options);

}  // namespace bindgate
