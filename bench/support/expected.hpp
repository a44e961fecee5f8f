#pragma once
// What a case's outputs must be: sums of products in double by plain loops over sampled outputs, and how
// far a right result may lie from them. Never computed by the library under test.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace bindgate {

/// Unit roundoffs, 2^-p for p bits of significand.
inline constexpr double unit_f32 = 0x1p-24, unit_bf16 = 0x1p-8;

/// How the code under test rounds: while it accumulates, and once when it stores the output.
struct Rounding {
  double accumulation = unit_f32;
  double output = unit_f32;
};

/// One expected output, with what its error bound needs.
struct DotProduct {
  double value = 0;      ///< sum of a b
  double magnitude = 0;  ///< sum of |a b|
  std::size_t terms = 0;

  void add(double a, double b);
};

/// 4 sqrt(k) u sum|a b| + u_out |e|: the errors of k roundings add like a random walk (Higham and Mary: A new
/// approach to probabilistic rounding error analysis, 2019); a lost or doubled term lies far outside.
[[nodiscard]] double error_bound(const DotProduct& expected, Rounding rounding);

/// Error: outside the bound, or not a number, as "WHERE: expected E, found F, bound B".
[[nodiscard]] Result<void> compare(std::string_view where, double found, const DotProduct& expected,
                                   Rounding rounding);

/// `count` positions below `total` (all of them if there are no more), seeded, the first and last among them.
[[nodiscard]] std::vector<std::size_t> sampled_positions(std::size_t total, std::size_t count, std::uint64_t seed);

}  // namespace bindgate
