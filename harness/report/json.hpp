#pragma once
// One JSON document for each command, for scripts: every key stays, what is unknown is null. Values are raw;
// only the text reports round.

#include <span>
#include <string>
#include <vector>

#include "report/listings.hpp"
#include "samples/night.hpp"
#include "samples/run.hpp"
#include "topology/machine.hpp"
#include "verdict/judgement.hpp"
#include "verdict/proofs.hpp"

namespace bindgate {

/// All end in a line feed; "schema" is "bindgate.<command>/1".
[[nodiscard]] std::string gate_json(const GateResult& result, const Run& run);
[[nodiscard]] std::string show_json(const std::vector<CaseRanking>& rankings, const std::vector<VariantProofs>& proofs,
                                    const Run& run);
/// With "schema" "bindgate.variants_plan/1": what a file of variants says, planned on a machine.
[[nodiscard]] std::string variants_json(const VariantsListing& listing);
[[nodiscard]] std::string topology_json(const Machine& machine);
/// Of `topology --compare`, with "schema" "bindgate.topology-compare/1". `then`, `now`: the names of the two sources.
[[nodiscard]] std::string comparison_json(const MachineComparison& comparison, const std::string& then,
                                          const std::string& now);
[[nodiscard]] std::string list_json(std::span<const PlannedProgram> programs);
/// The document of `list`, with what the profile knows of each case and of the whole.
[[nodiscard]] std::string profile_json(const ProfileListing& listing);

/// `directory`: where the run lies; `exit`: what the command returns.
[[nodiscard]] std::string run_json(const Run& run, const std::string& directory, int exit);

/// `night`: what was accepted (its variants are not shown) for `cases`, stored in `directory`; `unusable`: the planned
/// cases of which nothing was.
[[nodiscard]] std::string accept_json(const Night& night, const Fingerprint& fingerprint, const std::string& directory,
                                      const std::vector<std::string>& cases, const std::vector<std::string>& unusable);

}  // namespace bindgate
