#pragma once
// The loops of the memory cases: plain ones that the compiler vectorises, for the widest vectors that the CPU has.
// They know neither threads nor windows. `a` never overlaps `b` or `c`.

#include <cstddef>

namespace bindgate::loops {

/// The sum of a[0] to a[count - 1], in an order of its own: exact where all partial sums are.
[[nodiscard]] double read(const double* a, std::size_t count);

void write(double* a, double value, std::size_t count);

/// As write(), with stores that go past the caches and fetch no line. `a` is 16-byte aligned.
void write_streaming(double* a, double value, std::size_t count);
[[nodiscard]] bool has_write_streaming();  ///< whether this architecture has such stores

/// a = b
void copy(double* a, const double* b, std::size_t count);

/// a = b + factor c
void triad(double* a, const double* b, const double* c, double factor, std::size_t count);

}  // namespace bindgate::loops
