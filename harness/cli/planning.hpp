#pragma once
// From what the user asked for to a plan that can be run: variants that this machine's kernel really grants,
// the selected cases of the programs beside bindgate, and the settings that make their numbers comparable.

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
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

/// The programs with the cases that `selection` names (by its globs, else by its profile); programs left without a
/// case are absent. Paths and names are filled in, nothing else. Errors: a glob that matches no case.
[[nodiscard]] Result<std::vector<PlannedProgram>> select_cases(std::span<const Program> programs,
                                                               const Selection& selection);

/// The cases that the programs have and the selection's profile leaves out; none where cases were named.
[[nodiscard]] std::vector<std::string> cases_left_out(std::span<const Program> programs, const Selection& selection);

/// plan_variants, and on a live machine each placement is tried in a child first: what the kernel refuses is
/// `skipped` with its syscall and errno.
[[nodiscard]] Result<std::vector<PlannedVariant>> plan_here(const Machine& machine, std::span<const std::string> names);

/// A run that has not begun: everything but its launches and its directory. Starts programs to ask what they can
/// and, where a BLAS core is replaced, to check that it computes right.
[[nodiscard]] Result<Run> plan_run(const RunArguments& arguments, const Machine& machine, const StopRequest& stop);

/// In what `fresh` differs from the plan `stored`, one line a key: "rounds: 5 here, 6 there"; empty: nothing.
[[nodiscard]] std::vector<std::string> plan_differences(const Plan& stored, const Plan& fresh);

}  // namespace bindgate
