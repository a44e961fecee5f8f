#pragma once
// Sets as the bit masks that Linux's system calls take, of any size. Words are unsigned long, the lowest
// id in the lowest bit of the first word, as sched_setaffinity(2) and set_mempolicy(2) expect.

#include <climits>
#include <cstddef>
#include <vector>

#include "core/index_set.hpp"

namespace bindgate {

inline constexpr std::size_t bits_per_word = sizeof(unsigned long) * CHAR_BIT;

/// A mask just long enough; one zero word for the empty set.
[[nodiscard]] inline std::vector<unsigned long> kernel_mask(const IndexSet& set) {
  std::vector<unsigned long> words(set.last().value_or(0) / bits_per_word + 1);
  for (const unsigned id : set) words[id / bits_per_word] |= 1UL << (id % bits_per_word);
  return words;
}

/// An empty mask to read into: longer than any kernel's, and not longer than the page that get_mempolicy(2) fills.
[[nodiscard]] inline std::vector<unsigned long> kernel_mask_of_any_size() {
  return std::vector<unsigned long>(4096 / sizeof(unsigned long));
}

[[nodiscard]] inline IndexSet set_of(const std::vector<unsigned long>& mask) {
  IndexSet set;
  for (std::size_t id = 0; id < mask.size() * bits_per_word; ++id)
    if (mask[id / bits_per_word] >> (id % bits_per_word) & 1) set.insert(static_cast<unsigned>(id));
  return set;
}

[[nodiscard]] inline std::size_t bytes_of(const std::vector<unsigned long>& mask) noexcept {
  return mask.size() * sizeof(unsigned long);
}

[[nodiscard]] inline std::size_t bits_of(const std::vector<unsigned long>& mask) noexcept {
  return mask.size() * bits_per_word;
}

}  // namespace bindgate
