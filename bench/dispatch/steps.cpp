#include "dispatch/steps.hpp"

#include <string>

namespace bindgate {
namespace {

// Knuth's MMIX (The Art of Computer Programming, volume 2, 3.3.4).
constexpr std::uint64_t factor = 6364136223846793005u, addend = 1442695040888963407u;

}  // namespace

std::uint64_t scramble(std::uint64_t seed, std::uint64_t rounds) {
  for (; rounds > 0; --rounds) seed = seed * factor + addend;
  return seed;
}

std::uint64_t expected_scramble(std::uint64_t seed, std::uint64_t rounds) {
  std::uint64_t power = factor, sum = addend;  // of the map x -> power x + sum, composed with itself
  for (; rounds > 0; rounds /= 2) {
    if (rounds % 2 == 1) seed = seed * power + sum;
    sum += power * sum;
    power *= power;
  }
  return seed;
}

void SharedSteps::run() {
  ++runs_;
  team_.run([this](unsigned member) {
    Part& part = parts_[member];
    for (unsigned step = 0; step < steps; ++step) {
      part.value = scramble(part.value, share_);
      part.rounds += share_;
      barrier_.arrive_and_wait();
    }
  });
}

Result<void> SharedSteps::check() const {
  const std::uint64_t rounds = runs_ * steps * share_;
  for (std::size_t member = 0; member < parts_.size(); ++member) {
    const Part& part = parts_[member];
    if (part.rounds == rounds && part.value == expected_scramble(0, rounds)) continue;
    return fail("thread " + std::to_string(member) + " of " + std::to_string(parts_.size()) + ": expected " +
                std::to_string(rounds) + " rounds of work, found " + std::to_string(part.rounds) +
                " or another result");
  }
  return {};
}

}  // namespace bindgate
