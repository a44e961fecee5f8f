#include "support/reference_kernels.hpp"

#include <sys/mman.h>

#include <algorithm>

namespace bindgate::frozen {

void compute(double* values, std::size_t count, std::size_t rounds) {
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < count; i += 8) {  // by eights: a loop this long cares less about its address
      double* v = values + i;
      v[0] = v[0] * 0.75 + 0.125;
      v[1] = v[1] * 0.75 + 0.125;
      v[2] = v[2] * 0.75 + 0.125;
      v[3] = v[3] * 0.75 + 0.125;
      v[4] = v[4] * 0.75 + 0.125;
      v[5] = v[5] * 0.75 + 0.125;
      v[6] = v[6] * 0.75 + 0.125;
      v[7] = v[7] * 0.75 + 0.125;
    }
    asm volatile("" : : "r"(values) : "memory");  // every round stores and loads again
  }
}

std::size_t stream(const Line* lines, std::size_t size, std::size_t position, std::size_t count, std::uint64_t* sum) {
  std::uint64_t a = 0, b = 0;
  while (count > 0) {
    const std::size_t stop = position + std::min(count, size - position);
    count -= stop - position;
    for (; position + 2 <= stop; position += 2) {
      a += lines[position].payload;
      b += lines[position + 1].payload;
    }
    for (; position < stop; ++position) a += lines[position].payload;
    if (position == size) position = 0;
  }
  *sum += a + b;
  return position;
}

std::size_t chase(const Line* lines, std::size_t position, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) position = lines[position].next;
  return position;
}

bool fault(std::size_t pages, std::size_t page_bytes) {
  void* memory = mmap(nullptr, pages * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  madvise(memory, pages * page_bytes, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < pages; ++i) static_cast<volatile char*>(memory)[i * page_bytes] = 1;
  return munmap(memory, pages * page_bytes) == 0;
}

void link(Line* lines, std::size_t size) {
  // A full-period linear congruential sequence modulo a power of two (Hull and Dobell, 1962): odd increment,
  // multiplier = 1 modulo 4. Written in order of addresses, so that linking costs no more than first touch.
  for (std::size_t i = 0; i < size; ++i) {
    lines[i].next = (i * 0x5851f42d4c957f2du + 0x14057b7ef767814fu) & (size - 1);
    lines[i].payload = 1;
  }
}

}  // namespace bindgate::frozen
