#pragma once
// What hwloc does not tell and Linux does, read from /proc and /sys below a root directory ("/" for the
// running system, another for a dump). Missing files are normal there and mean "not told".

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/index_set.hpp"
#include "topology/machine.hpp"

namespace bindgate {

/// The CPUs that are a node's own; hwloc gives a CPU-less node those of its neighbours instead.
[[nodiscard]] std::optional<IndexSet> node_cpus(const std::filesystem::path& root, unsigned node);

/// The ids of the memory nodes that the kernel lists.
[[nodiscard]] IndexSet listed_nodes(const std::filesystem::path& root);

/// The node's whole memory; 0 where it has none or does not tell.
[[nodiscard]] std::uint64_t node_memory(const std::filesystem::path& root, unsigned node);

/// One of the kernel's lists of CPUs ("present", "isolated", "nohz_full"); nothing where it has no such file.
[[nodiscard]] std::optional<IndexSet> cpu_list(const std::filesystem::path& root, const std::string& name);

/// The clusters of `online` CPUs as the kernel has them, also those of one core; nothing where it knows of none.
[[nodiscard]] std::optional<std::vector<Cluster>> kernel_clusters(const std::filesystem::path& root,
                                                                  const IndexSet& online);

/// The value of `key` in the first processor's part of /proc/cpuinfo; "" where it is missing.
[[nodiscard]] std::string cpuinfo(const std::filesystem::path& root, const std::string& key);

/// The widest instruction set of what numeric libraries choose their kernels by: "amx", "avx512_bf16", "avx512",
/// "avx2", "avx", "sse4_2", "sve2", "sve", "asimd", "vsx"; "" where none of them is told.
[[nodiscard]] std::string instruction_set(const std::filesystem::path& root);

/// "Cpus_allowed_list" or "Mems_allowed_list" of the calling thread.
[[nodiscard]] std::optional<IndexSet> allowed_here(const std::string& key);

/// The directories of the control groups that this process is in, each with all above it as far as they are mounted:
/// of version 2, and of version 1 those of `controller` ("cpu", "memory").
[[nodiscard]] std::vector<std::filesystem::path> control_groups(const std::filesystem::path& root,
                                                                const std::string& controller);

/// The smallest CPU quota, in CPUs, up the chain of control groups of this process (cgroup v2's cpu.max and
/// v1's cpu.cfs_quota_us over cpu.cfs_period_us); nothing when there is none.
[[nodiscard]] std::optional<double> quota_cpus(const std::filesystem::path& root);

}  // namespace bindgate
