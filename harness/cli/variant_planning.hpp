#pragma once
// Variants as this machine's kernel really grants them: planned, tried in a child, and what is refused said with its
// system call, or weakened under another name where the user allows it.

#include <span>
#include <string>
#include <vector>

#include "binding/catalogue.hpp"
#include "core/error.hpp"
#include "samples/run.hpp"
#include "topology/machine.hpp"

namespace bindgate {

struct VariantWishes {
  std::vector<std::string> names;  ///< empty: all that profile thorough measures
  bool allow_degraded = false;
  std::vector<PlannedVariant> remembered = {};  ///< as planned by a run that is resumed, in its order
};

/// plan_variants, and on a live machine each placement is tried in a child first: what the kernel refuses is
/// `skipped` with its syscall and errno, and where the wishes allow it followed by NAME-degraded: the CPUs alone, if
/// those are granted. A remembered variant that the catalogue does not know is taken as it was planned.
[[nodiscard]] Result<std::vector<PlannedVariant>> plan_here(const Machine& machine, const Catalogue& catalogue,
                                                            const VariantWishes& wishes);

/// The one variant of this name, in whichever of its forms it is typed ("device:81:00.0", "each-node:00"), as a program
/// may have been bound by anyone: planned, with wrappers tried, but nothing asked of this process's kernel. Errors: as
/// plan_variants, a family of which no member is named, and a variant that this machine cannot have.
[[nodiscard]] Result<PlannedVariant> plan_one_here(const Machine& machine, const Catalogue& catalogue,
                                                   const std::string& name);

/// Makes the wishes those of a stored plan: its degraded variants are allowed again, and those that came from a file
/// are remembered, so that the file is not needed.
void remember(const Plan& stored, const Catalogue& catalogue, VariantWishes& wishes);

/// What was asked for by `names`, as this machine has it: families as their members; the base only if it is named.
[[nodiscard]] std::vector<std::string> asked_for(std::span<const PlannedVariant> planned,
                                                 std::span<const std::string> names, const std::string& base);

/// The name that a degraded variant was asked for by; else its own.
[[nodiscard]] std::string strong_name(const PlannedVariant& variant);

/// How many placements are measured: variants that can be had, equal ones once.
[[nodiscard]] unsigned placements_of(std::span<const PlannedVariant> variants);

/// Threads of every launch that a program has in a round: the base, its twin, and each other placement that is measured.
[[nodiscard]] std::vector<unsigned> threads_of_members(std::span<const PlannedVariant> variants);

}  // namespace bindgate
