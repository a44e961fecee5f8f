#pragma once
// From what the user asked for to a plan that can be run: variants that this machine's kernel really grants,
// the selected cases of the programs beside bindgate, and the settings that make their numbers comparable.

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/profile_planning.hpp"
#include "cli/variant_planning.hpp"
#include "core/error.hpp"
#include "samples/run.hpp"
#include "topology/machine.hpp"

namespace bindgate {

/// Where a plan is made, and who hears of each case that is set up for it (`index` from 1, of `count`).
struct PlanningSetting {
  const Machine& machine;
  const StopRequest& stop;
  Deadlines deadlines = {};
  std::function<void(const std::string& case_name, std::size_t index, std::size_t count)> begins =
      [](const std::string&, std::size_t, std::size_t) {};
};

/// Which cases a profile holds here.
struct ProfileAnswer {
  ProfileList list;
  bool stored = false;                  ///< as an earlier night made it
  std::filesystem::path file;           ///< where the nightly list is or will be stored
  std::vector<PlannedProgram> settled;  ///< of a list that was made now: the candidates' programs with their settings
  std::vector<std::string> findings;    ///< of settling them
};

/// The nightly list stored in `baselines` for this machine; where there is none, and for other profiles, the list made
/// now, for which every case of the profile is set up once under the base placement. `variants`: the base first.
[[nodiscard]] Result<ProfileAnswer> list_of_profile(Profile profile, std::span<const Program> programs,
                                                    std::span<const PlannedVariant> variants,
                                                    const std::filesystem::path& baselines,
                                                    const PlanningSetting& setting);

/// A run that has not begun: everything but its launches and its directory. Starts programs to ask what they can
/// and, where a BLAS core is replaced or the nightly list is made, to set their cases up. `stored`: the plan of a run
/// that is resumed, whose list of cases holds, and whose variants that the catalogue does not know.
[[nodiscard]] Result<Run> plan_run(const RunArguments& arguments, const Catalogue& catalogue,
                                   const PlanningSetting& setting, const Plan* stored = nullptr);

/// In what `fresh` differs from the plan `stored`, one line a key: "rounds: 5 here, 6 there"; empty: nothing.
[[nodiscard]] std::vector<std::string> plan_differences(const Plan& stored, const Plan& fresh);

}  // namespace bindgate
