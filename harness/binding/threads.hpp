#pragma once
// The threads of a process and of its descendants as the kernel sees them. It only reads /proc.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/index_set.hpp"

namespace bindgate {

struct ThreadState {
  int process = 0, id = 0;
  std::string name;
  IndexSet cpus;  ///< where it may run
  std::uint64_t voluntary_switches = 0, forced_switches = 0;
  std::optional<std::uint64_t> migrations;  ///< since it began; nothing where the kernel keeps no count
  std::optional<unsigned> last_cpu;         ///< where it runs or last ran
  std::optional<std::uint64_t> balanced_pages;  ///< moved by numa_balancing for it since it began, likewise
  bool operator==(const ThreadState&) const = default;
};

/// Every living thread of `process` and of all its descendants (these only where the kernel lists a thread's
/// children). A thread that ends meanwhile is left out. Errors: the process is gone or may not be read.
[[nodiscard]] Result<std::vector<ThreadState>> read_threads(int process);

}  // namespace bindgate
