#pragma once
// Work that several threads share step by step with a spinning barrier after each, as a data-parallel loop whose
// threads wait busily. The amount is fixed, whatever the number of threads.

#include <cstdint>
#include <vector>

#include "core/error.hpp"
#include "dispatch/spin_barrier.hpp"
#include "support/team.hpp"

namespace bindgate {

/// `rounds` steps of a linear congruential generator from `seed`: each waits for the one before.
[[nodiscard]] std::uint64_t scramble(std::uint64_t seed, std::uint64_t rounds);
/// The same in closed form, in log2(rounds) operations.
[[nodiscard]] std::uint64_t expected_scramble(std::uint64_t seed, std::uint64_t rounds);

class SharedSteps {
 public:
  static constexpr unsigned steps = 4;

  /// `rounds_per_step` are divided evenly among the team.
  SharedSteps(Team& team, std::uint64_t rounds_per_step)
      : team_(team), share_(rounds_per_step / team.size()), barrier_(team.size()), parts_(team.size()) {}

  void run();

  /// After any number of runs. Error: a thread has not done its share.
  [[nodiscard]] Result<void> check() const;

 private:
  struct alignas(64) Part {
    std::uint64_t value = 0, rounds = 0;
  };

  Team& team_;
  std::uint64_t share_;
  SpinBarrier barrier_;
  std::vector<Part> parts_;
  std::uint64_t runs_ = 0;
};

}  // namespace bindgate
