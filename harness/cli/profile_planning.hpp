#pragma once
// Which cases fit into a night, and how long they take: pure functions over what probing found. Nothing is started
// or read here.

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "cli/programs.hpp"
#include "samples/profile_list.hpp"

namespace bindgate {

/// What a nightly run may take by its estimate, which leaves a third of an hour for disturbed turns that are taken again
/// (up to a quarter of all) and a machine that is busier than when it was asked; and an iteration of a case in it.
inline constexpr std::chrono::minutes nightly_budget{40};
inline constexpr std::int64_t nightly_iteration_ns = 1'000'000'000;

/// How much a profile measures.
struct Effort {
  unsigned rounds = 6, turns = 60, minimum_turns = 8;
};
[[nodiscard]] Effort effort_of(Profile profile);

/// Seconds that one launch with `threads` gives to a case in one round: set-up, then as many turns as the rules of the
/// runner make of its warm-up on a machine that disturbs none. A case that computed with more threads when it was probed
/// takes so many times longer. A case without a warm-up takes its set-up alone.
[[nodiscard]] double seconds_of_a_launch(const ProbedCase& probed, const Effort& effort, unsigned threads);

/// The list of `profile` where each program has a launch for every element of `members`, the threads of its placement,
/// in each round. Cases stand in the order in which they
/// are taken: smaller profiles first, within a profile one of each program in turn, each program's in its own order,
/// so that what is cut at the end leaves every program represented. The first case of a program counts its launches'
/// starts too. Only `nightly` is cut: a case whose iteration takes nightly_iteration_ns or more is left out, and so is
/// one for which nightly_budget has no room left, while smaller ones after it may still fit. What is not run or failed
/// when probed stays, so that it is seen; what failed takes no room.
[[nodiscard]] ProfileList plan_profile(Profile profile, std::span<const ProbedProgram> programs,
                                       std::span<const unsigned> members, std::string planned);

/// What a list chooses of the programs that there are.
struct ListedSelection {
  std::vector<PlannedProgram> programs;
  std::vector<LeftOut> left_out;      ///< every other case of the programs
  std::vector<std::string> findings;  ///< cases that came or went since the list was made
};

/// `file`: where the list is stored, for what is said of it. Errors: as choose_cases.
[[nodiscard]] Result<ListedSelection> select_listed(std::span<const Program> programs, const ProfileList& list,
                                                    const std::string& file);

/// What the list's cases take in a run of `rounds` rounds with `members` launches of each program.
[[nodiscard]] std::chrono::duration<double> estimate_for(const ProfileList& list, unsigned rounds, unsigned members);

}  // namespace bindgate
