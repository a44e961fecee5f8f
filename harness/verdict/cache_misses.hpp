#pragma once
// Cache misses per instruction, tonight and in the nights before. Few machines that CI runs on let them be counted;
// where they do not, that is said once for the whole run.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "samples/night.hpp"
#include "verdict/warnings.hpp"

namespace bindgate {

struct Evidence;
struct Policy;
struct StoredNights;

/// Fewer misses per 1,000 instructions than this cost a program less than a hundredth of its time (at 300 cycles a
/// miss and one instruction a cycle), and the count of a block is then mostly chance.
inline constexpr double fewest_mpki = 0.01;

/// The median over the undisturbed ones of `standing` blocks, so that one block that began cold does not decide;
/// nothing where misses or instructions were not counted.
[[nodiscard]] std::optional<double> misses_per_1000_instructions(std::span<const Block* const> standing);

/// The median over tonight's launches against the median over those of all stored nights that count; `stored` holds
/// theirs. Nothing if it is not above `threshold` times that or below `fewest_mpki`, where no threshold is set, and
/// where either side was not counted.
[[nodiscard]] std::optional<CacheMisses> more_cache_misses(std::span<const NightLaunch> tonight,
                                                           std::span<const double> stored,
                                                           const std::optional<double>& threshold);

/// Why nobody is warned though the policy would: not counted here, with the reason that the programs give, or in no
/// stored night of the series measured.
[[nodiscard]] std::vector<std::string> notes_on_cache_misses(const Evidence& evidence, const StoredNights& stored,
                                                             const Policy& policy);

}  // namespace bindgate
