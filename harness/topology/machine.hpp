#pragma once
// The machine as data: what binding may be planned on, wherever the description came from. All ids are
// the operating system's; nothing here changes or measures anything. Only a `live` machine may be bound to.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/fingerprint.hpp"
#include "core/index_set.hpp"
#include "core/json_cursor.hpp"

namespace bindgate {

struct Package {
  unsigned id = 0;
  IndexSet cpus;
  bool operator==(const Package&) const = default;
};

/// A part of a package, as AMD's and multi-chip Intel processors have them.
struct Die {
  unsigned id = 0;  ///< within its package
  std::optional<unsigned> package;
  IndexSet cpus;
  bool operator==(const Die&) const = default;
};

/// Cores that share more than a last-level cache, as Linux tells in cluster_cpus: an L2 or a tag directory.
struct Cluster {
  unsigned id = 0;
  IndexSet cpus;
  bool operator==(const Cluster&) const = default;
};

/// A memory node; either set may be empty (a CPU-less or a memory-less node).
struct Node {
  unsigned id = 0;
  IndexSet cpus;
  std::uint64_t memory_bytes = 0;
  std::string kind;  ///< "dram", "hbm", "cxl", "gpu" as far as it is told; else "unknown"
  /// From its nearest CPUs, as firmware claims (ACPI's HMAT); nothing: not told.
  std::optional<std::uint64_t> bandwidth_mib_s = {}, latency_ns = {};
  bool operator==(const Node&) const = default;
};

struct Core {
  IndexSet cpus;  ///< its hardware threads
  std::optional<unsigned> package;
  IndexSet nodes;             ///< nearest nodes
  std::optional<unsigned> l3;  ///< Machine::l3's id
  std::string kind;           ///< "performance", "efficiency"; "" where all are alike
  bool operator==(const Core&) const = default;
};

struct L3Cache {
  unsigned id = 0;
  IndexSet cpus;
  std::uint64_t bytes = 0;
  bool operator==(const L3Cache&) const = default;
};

struct Device {
  std::string pci;   ///< domain:bus:device.function
  std::string kind;  ///< "gpu", "nic", "other"
  std::string name;
  std::optional<unsigned> node;  ///< nothing when the machine does not say (numa_node -1)
  bool operator==(const Device&) const = default;
};

struct Machine {
  std::string source;  ///< as given: "live", a path, "synthetic:..."
  bool live = false;
  std::string cpu_model;
  std::map<std::string, std::string> traits;  ///< other facts for the fingerprint: caches, architecture, isa
  std::string hypervisor;  ///< "none", "wsl", whose it is, or that this is not told; "" where nothing is told of it
  IndexSet online;
  std::optional<IndexSet> offline;            ///< present, but switched off; nothing: not told
  std::optional<IndexSet> isolated, no_tick;  ///< by isolcpus= and nohz_full=; nothing: not told
  IndexSet allowed_cpus, allowed_nodes;  ///< of this process: affinity, cpuset and Mems_allowed
  std::optional<double> quota_cpus;      ///< the smallest CPU quota up the chain of control groups
  std::vector<Package> packages;
  std::vector<Die> dies;  ///< empty where each package is one
  std::vector<Node> nodes;
  std::vector<Core> cores;
  std::vector<L3Cache> l3;
  std::vector<Cluster> clusters;  ///< empty where no cores are said to form one
  /// distances[i][j] from nodes[i] to nodes[j], as in ACPI's SLIT (10 is local); empty: not told.
  std::vector<std::vector<std::uint64_t>> distances;
  std::vector<Device> devices;
  std::vector<std::string> findings;  ///< contradictions and warnings for the user
  bool operator==(const Machine&) const = default;
};

/// `source`: "live", an hwloc XML file, a sysfs root directory, what `bindgate topology --json` wrote (which is not
/// live any more), or "synthetic:DESCRIPTION" (hwloc's notation).
/// `with_devices`: PCI discovery costs tens of milliseconds, so it is asked for.
/// Errors: no such file, unreadable or newer XML, nonsense description; each names the source.
/// Not while other threads use the environment: hwloc takes its source from there, so it is changed and put back.
[[nodiscard]] Result<Machine> read_machine(const std::string& source, bool with_devices);

/// What makes machines comparable; free of boot-varying values and of listing order.
[[nodiscard]] Fingerprint fingerprint_of(const Machine& machine);

/// The keys documented for `bindgate topology --json`, without schema.
[[nodiscard]] nlohmann::json to_json(const Machine& machine);

/// Kernel, governor, huge pages, numa_balancing, microcode, hypervisor, ... of the running system.
[[nodiscard]] std::map<std::string, std::string> read_environment();

}  // namespace bindgate
