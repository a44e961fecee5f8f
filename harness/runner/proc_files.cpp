#include "runner/proc_files.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <set>
#include <sstream>

#include "core/files.hpp"
#include "topology/system_files.hpp"

namespace bindgate {
namespace {

namespace fs = std::filesystem;

std::string text_of(const std::string& path) { return read_file(path).value_or(""); }

std::string of_process(pid_t process, const char* file) { return "/proc/" + std::to_string(process) + '/' + file; }

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<pid_t> parent_of(pid_t process) {
  const auto stat = parse_process_stat(text_of(of_process(process, "stat")));
  return stat ? std::optional(stat->parent) : std::nullopt;
}

// Without those of a thread that ends meanwhile.
std::vector<pid_t> listed_children(pid_t process) {
  std::vector<pid_t> children;
  std::error_code error;
  for (auto task = fs::directory_iterator(of_process(process, "task"), error);
       !error && task != fs::directory_iterator(); task.increment(error)) {
    std::istringstream list(text_of(task->path().string() + "/children"));
    for (pid_t child = 0; list >> child;) children.push_back(child);
  }
  return children;
}

// For kernels that know no nodes.
std::optional<std::uint64_t> free_bytes_of_machine() {
  std::istringstream lines(text_of("/proc/meminfo"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string name;
    std::uint64_t kibibytes = 0;
    if (fields >> name >> kibibytes && name == "MemAvailable:") return kibibytes * 1024;
  }
  return std::nullopt;
}

}  // namespace

double tick_seconds() { return 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK)); }

CpuTicks parse_cpu_ticks(std::string_view stat, const IndexSet& cpus) {
  enum Field { user, nice, system, idle, waiting, interrupt, soft, steal, count };
  CpuTicks sum;
  while (stat.starts_with("cpu")) {  // the CPUs lead; what follows can be long
    const auto feed = std::min(stat.find('\n'), stat.size());
    const char* const end = stat.data() + feed;
    unsigned cpu = 0;
    auto [at, error] = std::from_chars(stat.data() + 3, end, cpu);
    stat.remove_prefix(std::min(feed + 1, stat.size()));
    if (error != std::errc() || !cpus.contains(cpu)) continue;
    std::array<std::int64_t, count> ticks{};
    for (std::int64_t& value : ticks) {
      while (at < end && *at == ' ') ++at;
      at = std::from_chars(at, end, value).ptr;
    }
    sum.busy += ticks[user] + ticks[nice] + ticks[system] + ticks[interrupt] + ticks[soft];
    sum.steal += ticks[steal];
  }
  return sum;
}

CpuTicks cpu_ticks(const IndexSet& cpus) { return parse_cpu_ticks(text_of("/proc/stat"), cpus); }

std::optional<std::int64_t> cpu_nanoseconds(pid_t process) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return std::nullopt;
  return std::int64_t{1'000'000'000} * time.tv_sec + time.tv_nsec;
}

std::optional<ProcessStat> parse_process_stat(std::string_view stat) {
  const auto name_end = stat.rfind(')');  // a process's name may hold anything, parentheses too
  if (name_end == std::string_view::npos) return std::nullopt;
  std::istringstream fields{std::string(stat.substr(name_end + 1))};
  std::string state, skipped;
  ProcessStat told;
  fields >> state >> told.parent;
  static constexpr int from_parent_to_reaped = 11;  // fields 5 to 15, see proc(5)
  for (int i = 0; i < from_parent_to_reaped; ++i) fields >> skipped;
  std::int64_t user = 0, system = 0;
  if (!(fields >> user >> system)) return std::nullopt;
  told.reaped_ticks = user + system;
  return told;
}

std::optional<double> tree_cpu_seconds(pid_t process) {
  const auto own = cpu_nanoseconds(process);
  if (!own) return std::nullopt;
  double seconds = 1e-9 * static_cast<double>(*own);
  if (const auto stat = parse_process_stat(text_of(of_process(process, "stat"))))
    seconds += tick_seconds() * static_cast<double>(stat->reaped_ticks);
  for (const pid_t child : listed_children(process)) seconds += tree_cpu_seconds(child).value_or(0);
  return seconds;
}

std::vector<std::string> parse_loaded_objects(std::string_view maps) {
  std::set<std::string> paths;
  std::istringstream lines{std::string(maps)};
  for (std::string line; std::getline(lines, line);) {
    const auto slash = line.find('/');
    if (slash == std::string::npos) continue;
    const std::string path = line.substr(slash);
    const std::string name = fs::path(path).filename().string();
    if (name.ends_with(".so") || name.find(".so.") != std::string::npos) paths.insert(path);
  }
  return {paths.begin(), paths.end()};
}

std::vector<std::string> loaded_objects(pid_t process) {
  return parse_loaded_objects(text_of(of_process(process, "maps")));
}

std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> children;
  std::error_code error;
  for (auto entry = fs::directory_iterator("/proc", error); !error && entry != fs::directory_iterator();
       entry.increment(error))
    if (const auto pid = number<pid_t>(entry->path().filename().string()); pid && parent_of(*pid) == process)
      children.push_back(*pid);
  return children;
}

std::optional<std::uint64_t> free_bytes_of_node(unsigned node) {
  std::istringstream lines(text_of("/sys/devices/system/node/node" + std::to_string(node) + "/meminfo"));
  std::uint64_t kibibytes = 0;
  bool told = false;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string word, id, name;
    std::uint64_t amount = 0;
    if (!(fields >> word >> id >> name >> amount)) continue;
    if (name == "MemFree:" || name == "Active(file):" || name == "Inactive(file):" || name == "SReclaimable:") {
      kibibytes += amount;
      told = true;
    }
    if (name == "Dirty:" || name == "Writeback:") kibibytes -= std::min(kibibytes, amount);
  }
  if (!told && node == 0) return free_bytes_of_machine();
  return told ? std::optional(kibibytes * 1024) : std::nullopt;
}

std::optional<std::uint64_t> parse_group_room(std::string_view limit, std::string_view usage, std::string_view stat) {
  static constexpr std::uint64_t unlimited = std::uint64_t{1} << 60;  // version 1 writes its largest number
  const auto most = number<std::uint64_t>(limit), used = number<std::uint64_t>(usage);
  if (!most || !used || *most >= unlimited) return std::nullopt;
  std::uint64_t yielding = 0;
  std::istringstream lines{std::string(stat)};
  std::string name;
  for (std::uint64_t amount = 0; lines >> name >> amount;)
    // Version 1 tells the group's own pages under the plain name, and first.
    if (name == "inactive_file" || name == "total_inactive_file") yielding = amount;
  const std::uint64_t fixed = *used - std::min(*used, yielding);
  return *most - std::min(*most, fixed);
}

std::optional<std::uint64_t> free_bytes_of_groups(const fs::path& root) {
  std::optional<std::uint64_t> least;
  for (const fs::path& group : control_groups(root, "memory")) {
    const bool second = fs::exists(group / "memory.max");
    const auto room = parse_group_room(read_line_of(group / (second ? "memory.max" : "memory.limit_in_bytes")),
                                       read_line_of(group / (second ? "memory.current" : "memory.usage_in_bytes")),
                                       text_of(group / "memory.stat"));
    if (room && (!least || *room < *least)) least = room;
  }
  return least;
}

FreeMemory read_free_memory(std::span<const Node> nodes) {
  FreeMemory free{{}, free_bytes_of_groups("/")};
  for (const Node& node : nodes)
    if (const auto bytes = free_bytes_of_node(node.id)) free.of_node[node.id] = *bytes;
  return free;
}

}  // namespace bindgate
