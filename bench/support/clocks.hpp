#pragma once
// The clocks of a sample and what the kernel counts for this process. Reading costs 0.1 to 1 us in all.

#include <sys/resource.h>

#include <cstdint>
#include <ctime>

namespace bindgate {

inline std::int64_t read_clock_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}
inline std::int64_t wall_clock_ns() { return read_clock_ns(CLOCK_MONOTONIC); }

/// The kernel's counters of this process and all its threads, getrusage(2).
inline rusage read_usage() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage;
}

}  // namespace bindgate
