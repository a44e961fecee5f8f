#include "binding/circumstances.hpp"

#include <algorithm>
#include <fstream>
#include <string>

#include "core/files.hpp"
#include "topology/system_files.hpp"

namespace bindgate {
namespace {

namespace fs = std::filesystem;

// The number after `key` in a file of "KEY NUMBER" lines.
std::optional<std::uint64_t> value_of(const fs::path& file, const std::string& key) {
  std::ifstream lines(file);
  std::string name;
  for (std::uint64_t value = 0; lines >> name >> value;)
    if (name == key) return value;
  return std::nullopt;
}

std::optional<std::uint64_t> number_in(const fs::path& file) {
  std::uint64_t value = 0;
  return std::ifstream(file) >> value ? std::optional(value) : std::nullopt;
}

}  // namespace

Circumstances read_circumstances(const fs::path& root) {
  Circumstances now;
  for (const fs::path& group : control_groups(root, "cpu")) {
    const auto microseconds = value_of(group / "cpu.stat", "throttled_usec");
    const auto nanoseconds = value_of(group / "cpu.stat", "throttled_time");  // version 1
    if (microseconds || nanoseconds)
      now.throttled_seconds = now.throttled_seconds.value_or(0) + 1e-6 * static_cast<double>(microseconds.value_or(0)) +
                              1e-9 * static_cast<double>(nanoseconds.value_or(0));
  }
  now.balanced_pages = value_of(root / "proc/vmstat", "numa_pages_migrated");
  return now;
}

std::optional<bool> balances_nodes(const fs::path& root) {
  const auto mode = number_in(root / "proc/sys/kernel/numa_balancing");
  return mode ? std::optional(*mode != 0) : std::nullopt;
}

std::optional<Frequencies> read_frequencies(const fs::path& root, const IndexSet& cpus) {
  // A few stand for all: some kernels measure for 10 ms with each read.
  static constexpr int most_asked = 4;
  std::optional<Frequencies> told;
  int asked = 0;
  for (const unsigned cpu : cpus) {
    if (asked++ == most_asked) break;
    const auto khz =
        number_in(root / ("sys/devices/system/cpu/cpu" + std::to_string(cpu)) / "cpufreq/scaling_cur_freq");
    if (!khz) continue;
    if (!told) told = Frequencies{*khz, *khz};
    told->lowest_khz = std::min(told->lowest_khz, *khz);
    told->highest_khz = std::max(told->highest_khz, *khz);
  }
  return told;
}

}  // namespace bindgate
