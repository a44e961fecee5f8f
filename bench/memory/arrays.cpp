#include "memory/arrays.hpp"

#include <algorithm>

namespace bindgate {
namespace {

// Array k starts k times this many bytes behind its even share. The first array is the one that is written: loads
// that run ahead of its stores must not look, by the last 12 bits of their addresses, as if they read what is being
// stored.
constexpr std::size_t stagger = 1088;

// Bytes of one array that the slices divide evenly, by huge pages where slices are that large.
std::size_t slice_bytes(std::size_t count, std::size_t bytes, unsigned threads) {
  const std::size_t share = (bytes / count - count * stagger) / threads;
  const std::size_t unit = share >= HugeBuffer::alignment ? HugeBuffer::alignment : 4 * kibibyte;
  return std::max(share / unit * unit, unit);
}

}  // namespace

Arrays::Arrays(std::size_t count, std::size_t bytes, Team& team) : buffer_(bytes) {
  const std::size_t slice = slice_bytes(count, bytes, team.size()) / sizeof(double);
  for (std::size_t k = 0; k < count; ++k)
    starts_.push_back(reinterpret_cast<double*>(buffer_.data() + k * (bytes / count / 64 * 64 + stagger)));
  for (unsigned member = 0; member < team.size(); ++member) walks_.emplace_back(member * slice, slice);
  team.run([this](unsigned member) {
    const Walk& walk = walks_[member];
    for (std::size_t k = 0; k < starts_.size(); ++k)
      for (std::size_t i = walk.first(); i < walk.first() + walk.size(); ++i) starts_[k][i] = value_at(k, i);
  });
}

}  // namespace bindgate
