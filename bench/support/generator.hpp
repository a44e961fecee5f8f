#pragma once
// The inputs of every case: the same numbers on every machine, with every library and in every year.
// LibTorch's and the standard library's distributions promise no such thing. Not for cryptography.

#include <bit>
#include <cstdint>
#include <span>

namespace bindgate {

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// In [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  /// In [0, count), count > 0. Multiply and shift: the bias is below count / 2^32.
  std::uint32_t below(std::uint32_t count) {
    return static_cast<std::uint32_t>(((next() >> 32) * std::uint64_t{count}) >> 32);
  }

  /// Near normal, mean 0 and variance 1: the sum of twelve uniforms. It needs only additions, so that no
  /// mathematics library can change its bits.
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }

  /// In [-1, 1), a multiple of 2^-23: exact in f32.
  float symmetric() { return static_cast<float>(next() >> 40) * 0x1p-23f - 1.0f; }

 private:
  std::uint64_t state_;
};

/// The nearest bf16, ties to even, as its bits. Not for NaN.
constexpr std::uint16_t bf16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
constexpr float from_bf16_bits(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// Fills with values in [-1, 1] that the element's type holds exactly; bf16 by its bits.
inline void fill(std::span<float> values, Generator& generator) {
  for (float& value : values) value = generator.symmetric();
}
inline void fill_bf16(std::span<std::uint16_t> values, Generator& generator) {
  for (std::uint16_t& value : values) value = bf16_bits(generator.symmetric());
}

}  // namespace bindgate
