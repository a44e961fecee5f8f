#pragma once
// What the kernel tells in /proc and /sys about processes, CPUs and free memory, as plain numbers.
// What cannot be read is nothing; nobody decides anything here.

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/index_set.hpp"
#include "runner/memory_rules.hpp"

namespace bindgate {

/// Sums over some CPUs since boot, in clock ticks.
struct CpuTicks {
  std::int64_t busy = 0;   ///< user, nice, system, interrupts
  std::int64_t steal = 0;  ///< taken by the hypervisor
};

/// One tick of CpuTicks in seconds.
[[nodiscard]] double tick_seconds();

/// `stat`: the text of /proc/stat.
[[nodiscard]] CpuTicks parse_cpu_ticks(std::string_view stat, const IndexSet& cpus);
[[nodiscard]] CpuTicks cpu_ticks(const IndexSet& cpus);

/// CPU time of all threads of a living process; nothing when it is gone.
[[nodiscard]] std::optional<std::int64_t> cpu_nanoseconds(pid_t process);

/// Of a process's line in /proc/PID/stat.
struct ProcessStat {
  pid_t parent = 0;
  std::int64_t reaped_ticks = 0;  ///< CPU time of the children that it has waited for, and of theirs
};
[[nodiscard]] std::optional<ProcessStat> parse_process_stat(std::string_view stat);

/// CPU time of a living process, of all that it started and that still lives (where the kernel lists a thread's
/// children), and of what of these was waited for; nothing when it is gone.
[[nodiscard]] std::optional<double> tree_cpu_seconds(pid_t process);

/// Paths of the shared objects in a process's address space, sorted; `maps`: the text of /proc/PID/maps.
[[nodiscard]] std::vector<std::string> parse_loaded_objects(std::string_view maps);
[[nodiscard]] std::vector<std::string> loaded_objects(pid_t process);

/// Children of a process, those that ended and wait to be reaped included.
[[nodiscard]] std::vector<pid_t> children_of(pid_t process);

/// Free memory of a node with what the kernel gives back on demand (clean file pages); nothing: not told.
[[nodiscard]] std::optional<std::uint64_t> free_bytes_of_node(unsigned node);

/// What a control group's memory limit leaves, file pages that can go included; nothing: no limit. Texts of its
/// memory.max, memory.current and memory.stat (version 1: limit_in_bytes, usage_in_bytes, stat).
[[nodiscard]] std::optional<std::uint64_t> parse_group_room(std::string_view limit, std::string_view usage,
                                                            std::string_view stat);
/// The least that any of the groups of this process leaves; nothing: none has a limit. `root`: "/".
[[nodiscard]] std::optional<std::uint64_t> free_bytes_of_groups(const std::filesystem::path& root);
/// Of these nodes, and of the groups of this process.
[[nodiscard]] FreeMemory read_free_memory(std::span<const Node> nodes);

}  // namespace bindgate
