#include <hwloc.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "core/files.hpp"
#include "topology/contradictions.hpp"
#include "topology/description.hpp"
#include "topology/from_hwloc.hpp"
#include "topology/hwloc_devices.hpp"
#include "topology/machine.hpp"
#include "topology/machine_document.hpp"
#include "topology/system_files.hpp"

namespace bindgate {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kinds_of_source =
    "a source is live, an hwloc XML file, a sysfs root directory, what bindgate topology --json wrote, or "
    "synthetic:DESCRIPTION";

// hwloc takes its orders from the environment of the whole process: a variable is set (or taken away) while this
// lives, and put back after.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    if (value)
      setenv(name, value, 1);
    else
      unsetenv(name);
  }
  ~ScopedVariable() {
    if (old_)
      setenv(name_, old_->c_str(), 1);
    else
      unsetenv(name_);
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

// The source is what was asked for and nothing that the caller's environment says.
struct HwlocOrders {
  explicit HwlocOrders(const char* root) : fs_root("HWLOC_FSROOT", root) {}
  ScopedVariable fs_root;
  ScopedVariable xml_file{"HWLOC_XMLFILE", nullptr};
  ScopedVariable synthetic{"HWLOC_SYNTHETIC", nullptr};
  ScopedVariable components{"HWLOC_COMPONENTS", nullptr};
  ScopedVariable this_system{"HWLOC_THISSYSTEM", nullptr};
  ScopedVariable hide_errors{"HWLOC_HIDE_ERRORS", "2"};  // what contradicts itself becomes a finding
  ScopedVariable gpu_nodes{"HWLOC_KEEP_NVIDIA_GPU_NUMA_NODES", "1"};
};

struct DestroyTopology {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, DestroyTopology>;

Topology new_topology(bool live, bool with_devices) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  Topology topology(raw);
  unsigned long flags = HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED;
  if (live) flags |= HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM;
  hwloc_topology_set_flags(raw, flags);
  // x86 asks this machine's CPUs also where another one is described, moving the caller from CPU to CPU; pci asks the
  // hardware for names and loses memory, and Linux's files tell all the rest.
  for (const char* component : {"x86", "pci"})
    hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, component);
  hwloc_topology_set_icache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_io_types_filter(raw,
                                     with_devices ? HWLOC_TYPE_FILTER_KEEP_IMPORTANT : HWLOC_TYPE_FILTER_KEEP_NONE);
  return topology;
}

Result<void> load(hwloc_topology* topology, const std::string& source) {
  if (hwloc_topology_load(topology) == 0) return {};
  return fail(source + ": hwloc cannot make a machine of it; check it with lstopo -i");
}

Result<Topology> from_xml(const std::string& source, std::string_view text, bool with_devices) {
  const std::string_view head = text.substr(0, 4096);
  if (head.find("<topology") == std::string_view::npos)
    return fail(source + ": is no hwloc XML file (no <topology> in it); " + std::string(kinds_of_source));
  if (const auto checked = check_xml(text); !checked) return fail(source, checked.error());
  const HwlocOrders orders(nullptr);
  Topology topology = new_topology(false, with_devices);
  if (hwloc_topology_set_xml(topology.get(), source.c_str()) != 0)
    return fail(source + ": hwloc cannot read it; it is damaged or of a version that this hwloc does not know");
  if (const auto loaded = load(topology.get(), source); !loaded) return tl::unexpected(loaded.error());
  return topology;
}

Result<Topology> from_sysfs(const std::string& source, bool with_devices) {
  if (!fs::is_directory(fs::path(source) / "sys/devices/system/cpu"))
    return fail(source + ": is no sysfs root (no sys/devices/system/cpu in it); " +
                "name the directory that holds sys and proc");
  if (access(source.c_str(), R_OK | X_OK) != 0) return fail(source + ": " + describe_errno("access", errno));
  const HwlocOrders orders(source.c_str());
  Topology topology = new_topology(false, with_devices);
  if (const auto loaded = load(topology.get(), source); !loaded) return tl::unexpected(loaded.error());
  return topology;
}

Result<Topology> from_synthetic(const std::string& source, const std::string& description, bool with_devices) {
  if (const auto checked = check_synthetic(description); !checked) return fail(source, checked.error());
  const HwlocOrders orders(nullptr);
  Topology topology = new_topology(false, with_devices);
  if (hwloc_topology_set_synthetic(topology.get(), description.c_str()) != 0 || !load(topology.get(), source))
    return fail(source + ": is not in hwloc's notation; write it like synthetic:package:2 numa:1 core:4 pu:2");
  return topology;
}

Result<Topology> from_this_system(bool with_devices) {
  const HwlocOrders orders(nullptr);
  Topology topology = new_topology(true, with_devices);
  if (const auto loaded = load(topology.get(), "live"); !loaded) return tl::unexpected(loaded.error());
  return topology;
}

// The machine of another day or place: whatever it was there, here it is none to bind to.
Result<Machine> from_document(const std::string& source, std::string_view text) {
  auto document = parse_machine_document(text, source);
  if (!document) return tl::unexpected(document.error());
  Machine machine = std::move(document->machine);
  if (const auto checked = check_numbers(machine); !checked) return fail(source, checked.error());
  machine.source = source;
  machine.live = false;
  return machine;
}

// hwloc's notation has no distances: those that Linux takes where firmware tells none (LOCAL_DISTANCE and
// REMOTE_DISTANCE of linux/topology.h).
std::vector<std::vector<std::uint64_t>> default_distances(std::size_t nodes) {
  constexpr std::uint64_t local = 10, remote = 20;
  if (nodes < 2) return {};
  std::vector<std::vector<std::uint64_t>> distances(nodes, std::vector<std::uint64_t>(nodes, remote));
  for (std::size_t i = 0; i < nodes; ++i) distances[i][i] = local;
  return distances;
}

}  // namespace

Result<Machine> read_machine(const std::string& source, bool with_devices) {
  constexpr std::string_view synthetic = "synthetic:";
  const bool live = source == "live", is_synthetic = source.starts_with(synthetic);
  std::error_code missing;
  const bool directory = !live && !is_synthetic && fs::is_directory(source, missing);
  if (!live && !is_synthetic && !fs::exists(source, missing))
    return fail("'" + source + "': no such file or directory; " + std::string(kinds_of_source));
  std::string text;
  if (!live && !is_synthetic && !directory) {
    auto read = read_file(source);
    if (!read) return tl::unexpected(read.error());
    text = *std::move(read);
    if (looks_like_machine_document(text)) return from_document(source, text);
  }
  const auto topology = live           ? from_this_system(with_devices)
                        : is_synthetic ? from_synthetic(source, source.substr(synthetic.size()), with_devices)
                        : directory    ? from_sysfs(source, with_devices)
                                       : from_xml(source, text, with_devices);
  if (!topology) return tl::unexpected(topology.error());

  std::optional<fs::path> root;
  if (live || directory) root = live ? fs::path("/") : fs::path(source);
  Machine machine = from_hwloc(topology->get(), root);
  if (const auto checked = check_numbers(machine); !checked) return fail(source, checked.error());
  machine.source = source;
  machine.live = live;
  if (is_synthetic) machine.distances = default_distances(machine.nodes.size());
  if (machine.cpu_model.empty() && root) machine.cpu_model = cpuinfo(*root, "model name");
  if (machine.cpu_model.empty()) machine.cpu_model = is_synthetic ? "synthetic" : "unknown";
  if (live) {
    if (const auto cpus = allowed_here("Cpus_allowed_list")) machine.allowed_cpus = machine.allowed_cpus & *cpus;
    if (const auto nodes = allowed_here("Mems_allowed_list")) machine.allowed_nodes = machine.allowed_nodes & *nodes;
  }
  if (root) machine.quota_cpus = quota_cpus(*root);
  if (with_devices) add_devices(topology->get(), machine, root);
  if (with_devices && !text.empty()) add_devices_of_wide_domains(text, machine);
  if (root) find_unreadable_lists(machine, *root);
  settle_rest(machine);
  return machine;
}

}  // namespace bindgate
