#include "memory/loops.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// One body, compiled for several instruction sets; the loader picks the widest that this CPU has.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define BINDGATE_EVERY_WIDTH __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define BINDGATE_EVERY_WIDTH
#endif

namespace bindgate::loops {

BINDGATE_EVERY_WIDTH double read(const double* a, std::size_t count) {
  // Several chains of additions: one alone would wait for itself longer than for the memory.
  constexpr std::size_t chains = 32;
  double sums[chains] = {};
  std::size_t i = 0;
  for (; i + chains <= count; i += chains)
    for (std::size_t chain = 0; chain < chains; ++chain) sums[chain] += a[i + chain];
  double sum = 0;
  for (; i < count; ++i) sum += a[i];
  for (const double part : sums) sum += part;
  return sum;
}

BINDGATE_EVERY_WIDTH void write(double* a, double value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) a[i] = value;
}

BINDGATE_EVERY_WIDTH void copy(double* __restrict a, const double* __restrict b, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) a[i] = b[i];
}

BINDGATE_EVERY_WIDTH void triad(double* __restrict a, const double* __restrict b, const double* __restrict c,
                                double factor, std::size_t count) {
  // Measured against intrinsics: this loop gains from several vectors an iteration, copy() loses.
#pragma GCC unroll 4
  for (std::size_t i = 0; i < count; ++i) a[i] = b[i] + factor * c[i];
}

#if defined(__SSE2__)
bool has_write_streaming() { return true; }

void write_streaming(double* a, double value, std::size_t count) {
  const __m128d pair = _mm_set1_pd(value);
  std::size_t i = 0;
  for (; i + 2 <= count; i += 2) _mm_stream_pd(a + i, pair);
  if (i < count) a[i] = value;
  _mm_sfence();  // such stores are ordered with nothing, not even with the signal that this thread is done
}
#else
bool has_write_streaming() { return false; }

void write_streaming(double* a, double value, std::size_t count) { write(a, value, count); }
#endif

}  // namespace bindgate::loops
