#pragma once
// The reference kernels at work: one workspace per thread, first touched by the thread that uses it, and
// readings of fixed work. The work is never calibrated: stored readings must compare across launches.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "samples/block.hpp"

namespace bindgate {

/// One CPU's share of the caches, in bytes.
struct CacheShare {
  std::size_t l2 = std::size_t{1} << 20;   ///< where the system does not tell: 1 MiB
  std::size_t l3 = std::size_t{16} << 20;  ///< where the system does not tell: 16 MiB
  bool operator==(const CacheShare&) const = default;
};

/// From a CPU's folder of sysfs, as /sys/devices/system/cpu/cpu0: size / CPUs that share it.
[[nodiscard]] CacheShare read_cache_share(const std::filesystem::path& cpu);

/// Bytes per thread that each buffer takes. L2: half of the share. L3: half of the share, at least twice the
/// L2's share, at most 32 MiB. DRAM (stream and chase): 128 MiB divided by the threads, a power of two, at
/// least 4 MiB; where the last-level cache is larger than 128 MiB this reads the cache until others evict it,
/// which costs less than the gigabytes that would always miss.
struct BufferSizes {
  std::size_t l2 = 0, l3 = 0, dram = 0;
  bool operator==(const BufferSizes&) const = default;
};
[[nodiscard]] BufferSizes choose_buffer_sizes(const CacheShare& share, unsigned threads);

class References {
 public:
  /// Allocates, touches and runs every kernel once. Throws std::runtime_error where memory or threads are refused.
  explicit References(unsigned threads);
  ~References();
  References(const References&) = delete;
  References& operator=(const References&) = delete;

  /// Wall nanoseconds of `samples` readings one after the other, after an untimed one; all threads at once.
  [[nodiscard]] std::vector<std::int64_t> read(ReferenceKernel kernel, unsigned samples = 3);

  [[nodiscard]] unsigned threads() const { return static_cast<unsigned>(workspaces_.size()); }

 private:
  struct Workspace;
  void run(ReferenceKernel kernel);

  std::vector<std::unique_ptr<Workspace>> workspaces_;  // one per thread
};

}  // namespace bindgate
