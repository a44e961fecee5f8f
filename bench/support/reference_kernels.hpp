#pragma once
// Frozen code. Its times, stored with every launch, say what the machine did; they only compare with each
// other while this code, its constants and its compiler flags stay as they are. Never tune or modernise it:
// a better kernel is a new one under a new name.

#include <cstddef>
#include <cstdint>

namespace bindgate::frozen {

/// One cache line of the buffers: `next` leads the chase, `payload` is what the streams read.
struct alignas(64) Line {
  std::uint64_t next = 0;
  std::uint64_t payload = 1;
  std::uint64_t unused[6] = {};
};

/// `rounds` times a multiplication and an addition on each of `count` values (a multiple of 8); converges, so that
/// it never overflows.
void compute(double* values, std::size_t count, std::size_t rounds);

/// Reads one word of `count` lines from `position` on, cyclically; returns where it stopped.
[[nodiscard]] std::size_t stream(const Line* lines, std::size_t size, std::size_t position, std::size_t count,
                                 std::uint64_t* sum);

/// Follows `count` links from `position`; every load waits for the one before. Returns where it stopped.
[[nodiscard]] std::size_t chase(const Line* lines, std::size_t position, std::size_t count);

/// Maps `pages` pages, writes to each, unmaps them. False when the system refuses.
[[nodiscard]] bool fault(std::size_t pages, std::size_t page_bytes);

/// Links `size` lines (a power of two, at least 8) into one cycle in an order that no prefetcher follows.
void link(Line* lines, std::size_t size);

}  // namespace bindgate::frozen
