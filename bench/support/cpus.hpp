#pragma once
// The CPUs that this process may use and the caches that they share, as far as a case needs them for its own
// sizes and pairs. It reads the kernel's tables and places nothing but the calling thread.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "core/index_set.hpp"

namespace bindgate {

/// The CPUs that the calling thread may run on; empty when the kernel does not tell.
[[nodiscard]] IndexSet allowed_cpus();

/// Narrows (or gives back) the calling thread's mask; it runs there on return. Throws std::system_error.
void run_on(const IndexSet& cpus);

/// The calling thread's mask as it was, given back at the end.
class KeptMask {
 public:
  KeptMask() : cpus_(allowed_cpus()) {}
  ~KeptMask();
  KeptMask(const KeptMask&) = delete;
  KeptMask& operator=(const KeptMask&) = delete;

  [[nodiscard]] const IndexSet& cpus() const { return cpus_; }

 private:
  IndexSet cpus_;
};

/// A cache that holds data, and who shares it; `cpus` is empty when the system does not tell.
struct Cache {
  unsigned level = 0;
  std::size_t bytes = 0;
  IndexSet cpus;
  bool operator==(const Cache&) const = default;
};

struct Cpu {
  unsigned id = 0;
  std::optional<unsigned> node;
  std::vector<Cache> caches;  ///< as listed, the nearest first

  /// Whether both use one cache of that level.
  [[nodiscard]] bool shares(unsigned level, const Cpu& other) const;
};

/// From a CPU's folder of sysfs, as /sys/devices/system/cpu/cpu0; empty where the system does not tell.
[[nodiscard]] std::vector<Cache> read_caches(const std::filesystem::path& cpu);

/// In rising order. `root` holds the folders cpu0, cpu1, ...
[[nodiscard]] std::vector<Cpu> read_cpus(const IndexSet& cpus,
                                         const std::filesystem::path& root = "/sys/devices/system/cpu");

}  // namespace bindgate
