#include "memory/chase.hpp"

#include <utility>

#include "support/generator.hpp"

namespace bindgate {

void link_at_random(std::span<ChaseLine> lines, std::uint64_t seed) {
  Generator generator(seed);
  for (ChaseLine& line : lines) line.next = &line;
  for (std::size_t i = lines.size(); i-- > 1;)
    std::swap(lines[i].next, lines[generator.below(static_cast<std::uint32_t>(i))].next);
}

const ChaseLine* chase(const ChaseLine* line, std::size_t count) {
  for (; count > 0; --count) line = line->next;
  return line;
}

}  // namespace bindgate
