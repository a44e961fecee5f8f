#pragma once
// A chain of dependent loads: every address comes out of the line before, in an order that no prefetcher follows.
// Time per load is the latency of wherever the lines are.

#include <cstddef>
#include <cstdint>
#include <span>

namespace bindgate {

struct alignas(64) ChaseLine {
  const ChaseLine* next = nullptr;
};

/// Links all lines, at least 1, into one random cycle (Sattolo: An algorithm to generate a random cyclic permutation,
/// Information Processing Letters 22, 1986).
void link_at_random(std::span<ChaseLine> lines, std::uint64_t seed);

/// The line after `count` loads from `line` on.
[[nodiscard]] const ChaseLine* chase(const ChaseLine* line, std::size_t count);

}  // namespace bindgate
