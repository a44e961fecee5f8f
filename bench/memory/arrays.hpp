#pragma once
// Arrays of doubles that several threads walk through, each in its own slice that it touched first. Every step goes
// on from where the last one stopped: what is worked on next is what was worked on longest ago.

#include <cstddef>
#include <span>
#include <vector>

#include "memory/buffers.hpp"
#include "support/team.hpp"

namespace bindgate {

/// Where one thread is in its slice of every array.
class Walk {
 public:
  Walk(std::size_t first, std::size_t size) : first_(first), size_(size) {}

  /// Calls piece(position, count) for the next `count` elements: once, or more often where the slice ends and starts
  /// anew. Positions are those of the whole array.
  template <class Piece>
  void go_on(std::size_t count, Piece&& piece) {
    while (count > 0) {
      const std::size_t now = count < size_ - done_ ? count : size_ - done_;
      piece(first_ + done_, now);
      done_ = (done_ + now) % size_;
      count -= now;
    }
  }
  [[nodiscard]] std::size_t first() const { return first_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::size_t first_, size_, done_ = 0;
};

class Arrays {
 public:
  /// `count` arrays in `bytes` in all, a slice for each member of the team; every member fills its own:
  /// element i of array k is value_at(k, i). Throws as HugeBuffer.
  Arrays(std::size_t count, std::size_t bytes, Team& team);

  /// Whole numbers below 1024, so that sums are exact in any order; another pattern in every array.
  [[nodiscard]] static double value_at(std::size_t array, std::size_t position) {
    return static_cast<double>((position * (2 * array + 3) + array) % 1021);
  }

  [[nodiscard]] double* operator[](std::size_t array) const { return starts_[array]; }
  [[nodiscard]] std::vector<Walk>& walks() { return walks_; }  ///< one per member of the team
  [[nodiscard]] const std::vector<Walk>& walks() const { return walks_; }
  [[nodiscard]] const HugeBuffer& buffer() const { return buffer_; }

 private:
  HugeBuffer buffer_;
  std::vector<double*> starts_;
  std::vector<Walk> walks_;
};

}  // namespace bindgate
