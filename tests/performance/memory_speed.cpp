// Whether bench_memory's plain loops move data as fast as loops written by hand: against STREAM's with intrinsics, the
// widest that this CPU has, unrolled by four; on the same buffers, taking turns in one process, by one thread and by
// all.

#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "memory/loops.hpp"
#include "memory/streams.hpp"
#include "statistics/summary.hpp"
#include "support/clocks.hpp"

namespace bindgate {
namespace {

// Bare vector loops; `count` is a multiple of 32.
struct Loops {
  double (*read)(const double* a, std::size_t count);
  void (*write)(double* a, double value, std::size_t count);
  void (*copy)(double* a, const double* b, std::size_t count);
  void (*triad)(double* a, const double* b, const double* c, double factor, std::size_t count);
};

// The same text for both widths: only the type and the prefix of the intrinsics differ.
#define BINDGATE_LOOPS(NAME, TARGET, VECTOR, PREFIX, WIDTH)                                                           \
  __attribute__((target(TARGET))) double NAME##_read(const double* a, std::size_t count) {                            \
    VECTOR s0 = PREFIX##_setzero_pd(), s1 = s0, s2 = s0, s3 = s0;                                                      \
    for (std::size_t i = 0; i < count; i += 4 * WIDTH) {                                                              \
      s0 = PREFIX##_add_pd(s0, PREFIX##_loadu_pd(a + i));                                                             \
      s1 = PREFIX##_add_pd(s1, PREFIX##_loadu_pd(a + i + WIDTH));                                                     \
      s2 = PREFIX##_add_pd(s2, PREFIX##_loadu_pd(a + i + 2 * WIDTH));                                                 \
      s3 = PREFIX##_add_pd(s3, PREFIX##_loadu_pd(a + i + 3 * WIDTH));                                                 \
    }                                                                                                                 \
    double parts[WIDTH], sum = 0;                                                                                     \
    PREFIX##_storeu_pd(parts, PREFIX##_add_pd(PREFIX##_add_pd(s0, s1), PREFIX##_add_pd(s2, s3)));                     \
    for (const double part : parts) sum += part;                                                                      \
    return sum;                                                                                                       \
  }                                                                                                                   \
  __attribute__((target(TARGET))) void NAME##_write(double* a, double value, std::size_t count) {                     \
    const VECTOR v = PREFIX##_set1_pd(value);                                                                         \
    for (std::size_t i = 0; i < count; i += 4 * WIDTH)                                                                \
      for (std::size_t j = 0; j < 4; ++j) PREFIX##_storeu_pd(a + i + j * WIDTH, v);                                   \
  }                                                                                                                   \
  __attribute__((target(TARGET))) void NAME##_copy(double* a, const double* b, std::size_t count) {                   \
    for (std::size_t i = 0; i < count; i += 4 * WIDTH)                                                                \
      for (std::size_t j = 0; j < 4; ++j) PREFIX##_storeu_pd(a + i + j * WIDTH, PREFIX##_loadu_pd(b + i + j * WIDTH)); \
  }                                                                                                                   \
  __attribute__((target(TARGET))) void NAME##_triad(double* a, const double* b, const double* c, double factor,       \
                                                    std::size_t count) {                                              \
    const VECTOR f = PREFIX##_set1_pd(factor);                                                                        \
    for (std::size_t i = 0; i < count; i += 4 * WIDTH)                                                                \
      for (std::size_t j = 0; j < 4 * WIDTH; j += WIDTH)                                                              \
        PREFIX##_storeu_pd(a + i + j,                                                                                 \
                           PREFIX##_fmadd_pd(f, PREFIX##_loadu_pd(c + i + j), PREFIX##_loadu_pd(b + i + j)));         \
  }                                                                                                                   \
  constexpr Loops NAME = {NAME##_read, NAME##_write, NAME##_copy, NAME##_triad};

BINDGATE_LOOPS(avx2, "avx2,fma", __m256d, _mm256, 4)
BINDGATE_LOOPS(avx512, "avx512f", __m512d, _mm512, 8)

constexpr Loops plain = {loops::read, loops::write, loops::copy, loops::triad};

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "memory_speed: %s\n", why.c_str());
  std::exit(EXIT_FAILURE);
}

// Small windows, so that both sides of a pair mostly fall into the same mood of the machine.
constexpr std::size_t window = 4 * mebibyte / sizeof(double);
constexpr int pairs = 120;

struct alignas(64) Sum {
  double value = 0;
};

double step_ns(const Loops& loops, Stream stream, Arrays& arrays, Team& team, std::vector<Sum>& sums) {
  const std::int64_t start = wall_clock_ns();
  team.run([&](unsigned member) {
    double* const a = arrays[0];
    arrays.walks()[member].go_on(window, [&](std::size_t i, std::size_t count) {
      if (stream == Stream::read) sums[member].value += loops.read(a + i, count);
      if (stream == Stream::write) loops.write(a + i, 1, count);
      if (stream == Stream::copy) loops.copy(a + i, arrays[1] + i, count);
      if (stream == Stream::triad) loops.triad(a + i, arrays[1] + i, arrays[2] + i, triad_factor, count);
    });
  });
  return static_cast<double>(wall_clock_ns() - start);
}

// Median over pairs of (plain rate) / (intrinsics' rate), on memory of its own.
double compare(const Loops& by_hand, Stream stream, std::size_t bytes, Team& team) {
  Arrays arrays(array_count(stream), bytes, team);
  std::vector<Sum> sums(team.size());
  std::vector<double> ratios;
  for (int pair = 0; pair < pairs; ++pair) {
    const bool plain_first = pair % 2 == 0;
    const double first = step_ns(plain_first ? plain : by_hand, stream, arrays, team, sums);
    const double second = step_ns(plain_first ? by_hand : plain, stream, arrays, team, sums);
    ratios.push_back(plain_first ? second / first : first / second);
  }
  double total = 0;
  for (const Sum& sum : sums) total += sum.value;
  if (!std::isfinite(total)) give_up("a sum is no number");
  return median(ratios);
}

// The half width is a 95 % interval of the median by its standard error under normality, s from the MAD.
void print_ratios(const std::string& name, const std::vector<double>& ratios, double goal) {
  const double middle = median(ratios);
  const double half_width = 1.96 * 1.2533 * middle * mad_coefficient_of_variation(ratios) /
                            std::sqrt(static_cast<double>(ratios.size()));
  std::printf("%s: %.4f +- %.4f over %zu rounds (goal %.4g): %s\n", name.c_str(), middle, half_width, ratios.size(),
              goal, middle >= goal ? "met" : "NOT MET");
  std::fflush(stdout);
}

}  // namespace
}  // namespace bindgate

int main(int argc, char** argv) {
  using namespace bindgate;
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 12;
  const bool wide = __builtin_cpu_supports("avx512f");
  if (!wide && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))) give_up("this CPU has no AVX2");
  const Memory memory = read_memory();
  const BufferPlan plan = plan_buffers(last_level_bytes(read_cpus(allowed_cpus())), memory.total);
  if (const std::string reason = why_not_now(plan, memory); !reason.empty()) give_up(reason);
  const auto all = static_cast<unsigned>(std::max<std::size_t>(1, allowed_cpus().size()));
  std::vector<unsigned> sizes{1};
  if (all > 1) sizes.push_back(all);
  for (const unsigned threads : sizes) {
    Team team(threads, "memory");
    for (const Stream stream : {Stream::read, Stream::write, Stream::copy, Stream::triad}) {
      std::vector<double> ratios;
      for (int round = 0; round < rounds; ++round)
        ratios.push_back(compare(wide ? avx512 : avx2, stream, plan.bytes, team));
      print_ratios("memory " + name_of(stream) + " / " + (wide ? "AVX-512" : "AVX2") + " intrinsics, " +
                       std::to_string(threads) + (threads == 1 ? " thread" : " threads"),
                   ratios, 0.95);
    }
  }
}
