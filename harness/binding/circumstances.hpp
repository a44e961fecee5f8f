#pragma once
// What the machine did to a process beside running it: throttling of its control groups, pages moved by the kernel's
// NUMA balancing, clocks of its CPUs. Counts since boot; what cannot be read is nothing.

#include <cstdint>
#include <filesystem>
#include <optional>

#include "core/index_set.hpp"
#include "samples/proof.hpp"

namespace bindgate {

struct Circumstances {
  std::optional<double> throttled_seconds;      ///< of all control groups of this process, added up
  std::optional<std::uint64_t> balanced_pages;  ///< of the whole machine
  bool operator==(const Circumstances&) const = default;
};

/// `root`: "/" for the running system. A launch is in the same control groups as the harness.
[[nodiscard]] Circumstances read_circumstances(const std::filesystem::path& root);

/// Whether the kernel moves pages after their threads; nothing where it does not tell.
[[nodiscard]] std::optional<bool> balances_nodes(const std::filesystem::path& root);

/// Of those of `cpus` that tell theirs (cpufreq's scaling_cur_freq).
[[nodiscard]] std::optional<Frequencies> read_frequencies(const std::filesystem::path& root, const IndexSet& cpus);

}  // namespace bindgate
