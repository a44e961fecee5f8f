#pragma once
// The bench programs beside bindgate: which there are, which cases they have, the settings under which they compute
// well, and what their cases cost here. Nothing is chosen by time, and nothing measured for a result.

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "runner/discover.hpp"
#include "samples/run.hpp"
#include "topology/machine.hpp"

namespace bindgate {

/// A bench program and what it says of itself.
struct Program {
  std::filesystem::path path;
  protocol::Hello hello;
};

/// Starts every bench_* program beside bindgate and asks for its cases. Errors: none there, or one that does
/// not speak the protocol.
[[nodiscard]] Result<std::vector<Program>> find_programs(const Placement& placement, const StopRequest& stop);

/// The programs with the cases for which `chosen` holds; programs left without a case are absent. Paths and names are
/// filled in, nothing else. Errors: a case that two programs have.
[[nodiscard]] Result<std::vector<PlannedProgram>> choose_cases(std::span<const Program> programs,
                                                               const std::function<bool(const CaseInfo&)>& chosen);

/// The cases that `selection` names, by its globs, else by its profile. Errors: as choose_cases, and a glob that
/// matches no case.
[[nodiscard]] Result<std::vector<PlannedProgram>> select_cases(std::span<const Program> programs,
                                                               const Selection& selection);

/// The cases that the programs have and the selection's profile leaves out; none where cases were named.
[[nodiscard]] std::vector<LeftOut> cases_left_out(std::span<const Program> programs, const Selection& selection);

/// A program as it will be launched, and what its cases cost, where that was looked at on the way.
struct SettledProgram {
  PlannedProgram program;
  std::optional<Discovery> probed;  ///< under the program's settings
};

/// Where and how programs are looked at before a run.
struct Probing {
  const Placement& placement;
  const Machine& machine;
  const StopRequest& stop;
  CaseListener begins = [](const std::string&) {};  ///< hears of each case that is set up
};

/// Gives the program its build's identity and the settings that its selected cases need. A replaced BLAS core must
/// first compute every one of them right: some kernels give wrong results on some processors. What was found is
/// added to `findings`.
[[nodiscard]] Result<SettledProgram> settle(PlannedProgram program, const protocol::Hello& hello, const Probing& probing,
                                            std::vector<std::string>& findings);

/// What a program's cases cost.
struct ProbedProgram {
  std::string name;
  double start_seconds = 0;        ///< of one launch, from its start to its hello
  std::vector<CaseInfo> cases;     ///< in the program's order
  std::vector<ProbedCase> probed;  ///< of each of them
};

/// Sets every case of the program up once, in as few launches as its deaths allow. Errors: as discover.
[[nodiscard]] Result<ProbedProgram> probe_cases(SettledProgram settled, const Probing& probing);

}  // namespace bindgate
