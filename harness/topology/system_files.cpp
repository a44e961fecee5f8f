#include "topology/system_files.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "core/files.hpp"

namespace bindgate {
namespace {

namespace fs = std::filesystem;

// Linux's hexadecimal masks: groups of 32 bits, the highest first ("00000001,00000003").
std::optional<IndexSet> parse_mask(std::string_view text) {
  IndexSet set;
  unsigned bit = 0;
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit) {
    if (*digit == ',') continue;
    constexpr std::string_view digits = "0123456789abcdef";
    const auto value = digits.find(*digit);
    if (value == std::string_view::npos) return std::nullopt;
    for (unsigned i = 0; i < 4; ++i, ++bit)
      if (value >> i & 1) set.insert(bit);
  }
  return set;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::optional<double> number(const std::string& text) {
  std::istringstream stream(text);
  double value = 0;
  if (stream >> value) return value;
  return std::nullopt;
}

// In CPUs; nothing for "max", -1 and where the files are missing.
std::optional<double> quota_of_group(const fs::path& group) {
  std::optional<double> quota, period;
  if (const auto fields = words(read_line_of(group / "cpu.max")); fields.size() == 2) {
    quota = number(fields[0]);
    period = number(fields[1]);
  } else {
    quota = number(read_line_of(group / "cpu.cfs_quota_us"));
    period = number(read_line_of(group / "cpu.cfs_period_us"));
  }
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return *quota / *period;
}

// A mounted hierarchy of control groups: where it is, and which of its groups is mounted there.
struct Hierarchy {
  fs::path mount_point, mounted_group;
};

// The hierarchy of version 2 (`controller` "") or the one of version 1 that has `controller`.
std::optional<Hierarchy> find_hierarchy(const fs::path& root, std::string_view controller) {
  std::ifstream mounts(root / "proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    // "ID PARENT MAJOR:MINOR ROOT MOUNT_POINT OPTIONS [TAG...] - TYPE SOURCE SUPER_OPTIONS", see proc(5)
    const auto fields = words(line);
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    if (fields.size() < 6 || fields.end() - dash < 4) continue;
    const std::string options = ',' + dash[3] + ',';
    const bool has_controller = options.find(',' + std::string(controller) + ',') != std::string::npos;
    if (controller.empty() ? dash[1] == "cgroup2" : dash[1] == "cgroup" && has_controller)
      return Hierarchy{root / fs::path(fields[4]).relative_path(), fields[3]};
  }
  return std::nullopt;
}

// From the group `path` (as /proc/self/cgroup names it) up to what is mounted.
void add_groups(const Hierarchy& hierarchy, const fs::path& path, std::vector<fs::path>& groups) {
  fs::path below = path.lexically_relative(hierarchy.mounted_group);
  // A group outside what is mounted, as a container sees its host's: the mounted one is the nearest known.
  if (below.empty() || *below.begin() == "..") below = ".";
  for (fs::path group = below;; group = group.parent_path()) {
    groups.push_back(hierarchy.mount_point / group);
    if (group.empty() || group == ".") return;
  }
}

}  // namespace

std::optional<IndexSet> node_cpus(const fs::path& root, unsigned node) {
  const fs::path folder = root / ("sys/devices/system/node/node" + std::to_string(node));
  if (std::error_code ignored; fs::exists(folder / "cpulist", ignored)) {
    const auto cpus = IndexSet::parse(read_line_of(folder / "cpulist"));
    if (cpus) return *cpus;
  }
  const std::string mask = read_line_of(folder / "cpumap");
  return mask.empty() ? std::nullopt : parse_mask(mask);
}

IndexSet listed_nodes(const fs::path& root) {
  IndexSet nodes;
  std::error_code missing;
  for (fs::directory_iterator entry(root / "sys/devices/system/node", missing), end; entry != end;
       entry.increment(missing))
    if (const std::string name = entry->path().filename(); name.starts_with("node") && name.size() > 4)
      if (const auto id = IndexSet::parse(name.substr(4))) nodes = nodes | *id;
  return nodes;
}

std::uint64_t node_memory(const fs::path& root, unsigned node) {
  std::ifstream file(root / ("sys/devices/system/node/node" + std::to_string(node)) / "meminfo");
  for (std::string line; std::getline(file, line);) {
    const auto fields = words(line);  // "Node 0 MemTotal: 1048576 kB"
    if (fields.size() == 5 && fields[2] == "MemTotal:")
      return static_cast<std::uint64_t>(number(fields[3]).value_or(0)) * 1024;
  }
  return 0;
}

std::optional<IndexSet> cpu_list(const fs::path& root, const std::string& name) {
  const fs::path file = root / "sys/devices/system/cpu" / name;
  if (std::error_code ignored; !fs::exists(file, ignored)) return std::nullopt;
  const auto cpus = IndexSet::parse(read_line_of(file));
  return cpus ? *cpus : IndexSet();  // some kernels print "(null)" for none
}

std::optional<std::vector<Cluster>> kernel_clusters(const fs::path& root, const IndexSet& online) {
  std::vector<Cluster> clusters;
  std::set<unsigned> ids;
  for (IndexSet left = online; !left.empty();) {
    const unsigned cpu = *left.first();
    const fs::path folder = root / ("sys/devices/system/cpu/cpu" + std::to_string(cpu)) / "topology";
    const auto cpus = IndexSet::parse(read_line_of(folder / "cluster_cpus_list"));
    if (!cpus || !cpus->contains(cpu)) return std::nullopt;
    const auto id = number(read_line_of(folder / "cluster_id"));
    clusters.push_back({id && *id >= 0 ? static_cast<unsigned>(*id) : 0, *cpus & online});
    ids.insert(clusters.back().id);
    left = left - *cpus;
  }
  // Some firmware counts anew in every package, and 65535 stands for none.
  if (ids.size() < clusters.size())
    for (std::size_t i = 0; i < clusters.size(); ++i) clusters[i].id = static_cast<unsigned>(i);
  return clusters;
}

std::string cpuinfo(const fs::path& root, const std::string& key) {
  std::ifstream file(root / "proc/cpuinfo");
  for (std::string line; std::getline(file, line) && !line.empty();) {
    const auto colon = line.find(':');
    if (colon == std::string::npos || line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1) != key) continue;
    const auto value = line.find_first_not_of(" \t", colon + 1);
    return value == std::string::npos ? "" : line.substr(value);
  }
  return "";
}

std::string instruction_set(const fs::path& root) {
  std::string flags = cpuinfo(root, "flags");
  if (flags.empty()) flags = cpuinfo(root, "Features");
  const std::vector<std::string> told = words(flags);
  const auto has = [&told](std::initializer_list<const char*> wanted) {
    return std::all_of(wanted.begin(), wanted.end(),
                       [&](const char* flag) { return std::find(told.begin(), told.end(), flag) != told.end(); });
  };
  if (has({"avx512f", "avx512dq", "avx512bw", "avx512vl", "avx512cd"})) {
    if (has({"amx_tile", "amx_bf16"})) return "amx";
    return has({"avx512_bf16"}) ? "avx512_bf16" : "avx512";
  }
  if (has({"avx2", "fma"})) return "avx2";
  for (const char* flag : {"avx", "sse4_2", "sve2", "sve", "asimd"})
    if (has({flag})) return flag;
  return cpuinfo(root, "cpu").find("altivec") != std::string::npos ? "vsx" : "";
}

std::optional<IndexSet> allowed_here(const std::string& key) {
  std::ifstream status("/proc/thread-self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key + ':')) {
      const auto set = IndexSet::parse(std::string_view(line).substr(key.size() + 1));
      return set ? std::optional(*set) : std::nullopt;
    }
  return std::nullopt;
}

std::vector<fs::path> control_groups(const fs::path& root, const std::string& controller) {
  std::vector<fs::path> groups;
  std::ifstream memberships(root / "proc/self/cgroup");
  for (std::string line; std::getline(memberships, line);) {
    // "ID:CONTROLLERS:PATH"; version 2 has no controllers
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && (',' + controllers + ',').find(',' + controller + ',') == std::string::npos) continue;
    if (const auto hierarchy = find_hierarchy(root, controllers.empty() ? "" : controller))
      add_groups(*hierarchy, line.substr(second + 1), groups);
  }
  return groups;
}

std::optional<double> quota_cpus(const fs::path& root) {
  std::optional<double> smallest;
  for (const fs::path& group : control_groups(root, "cpu")) {
    const auto quota = quota_of_group(group);
    if (quota && (!smallest || *quota < *smallest)) smallest = quota;
  }
  return smallest;
}

}  // namespace bindgate
