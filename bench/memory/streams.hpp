#pragma once
// One step of each streaming case: every thread's next window, through one of the loops. And what it must have left.

#include <cstddef>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "memory/arrays.hpp"
#include "support/team.hpp"

namespace bindgate {

enum class Stream { read, write, write_streaming, copy, triad };
inline constexpr Stream streams[] = {Stream::read, Stream::write, Stream::write_streaming, Stream::copy, Stream::triad};

[[nodiscard]] std::string name_of(Stream stream);           ///< "read", ..., "write-streaming"
[[nodiscard]] std::size_t array_count(Stream stream);       ///< arrays that it reads and writes

/// Doubles of each array that a thread takes a step: 32 MiB, whatever the buffers' size, so that times compare.
inline constexpr std::size_t stream_window = 32 * mebibyte / sizeof(double);

/// Bytes of a step as STREAM counts them: what the loop reads and writes, not the lines that a store fetches first.
[[nodiscard]] double step_bytes(Stream stream, unsigned threads, std::size_t window = stream_window);

class Streaming {
 public:
  /// Throws as HugeBuffer.
  Streaming(Stream stream, std::size_t bytes, Team& team, std::size_t window = stream_window);

  void step();

  /// After the first step. Error: a thread's sum or an element is wrong, or one was written outside the window.
  [[nodiscard]] Result<void> check_first_step() const;

  [[nodiscard]] Arrays& arrays() { return arrays_; }

 private:
  struct alignas(64) Sum {
    double value = 0;
  };

  Stream stream_;
  std::size_t window_;
  Team& team_;
  Arrays arrays_;
  std::vector<Sum> sums_;  // of the last step, by member
};

inline constexpr double written_value = 0.25, triad_factor = 3;

}  // namespace bindgate
