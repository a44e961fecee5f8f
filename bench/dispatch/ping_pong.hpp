#pragma once
// Two threads that hand one byte to and fro through two pipes: each turn of the hand is a context switch where both
// share a CPU, and a wake-up of another CPU where they do not.

#include <cstdint>
#include <optional>
#include <thread>

#include "core/files.hpp"

namespace bindgate {

class PingPong {
 public:
  /// The other thread stays on `cpu` where one is given; else it may run where the caller may. Throws
  /// std::runtime_error where pipes or the CPU are refused.
  explicit PingPong(std::optional<unsigned> cpu);
  ~PingPong();
  PingPong(const PingPong&) = delete;
  PingPong& operator=(const PingPong&) = delete;

  /// There and back, `count` times. Throws std::runtime_error when a byte is lost or altered.
  void play(std::uint64_t count);

  struct Seen {
    std::uint64_t echoes = 0;
    std::uint64_t elsewhere = 0;  ///< echoes made on another CPU than the one given
  };
  /// By the other thread, while nothing is played.
  [[nodiscard]] const Seen& seen() const { return seen_; }

 private:
  void echo(std::optional<unsigned> cpu);

  Pipe there_, back_;
  unsigned char ball_ = 0;
  Seen seen_;  // read and written on either side of a pipe, which orders both
  std::thread thread_;
};

}  // namespace bindgate
