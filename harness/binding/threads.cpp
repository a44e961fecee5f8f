#include "binding/threads.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <memory>
#include <string_view>

#include "core/files.hpp"

namespace bindgate {
namespace {

// Its content, or the errno of what failed. read_file's messages would be built for every thread that just ended.
tl::expected<std::string, int> content_of(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return tl::unexpected(errno);
  std::string content;
  std::array<char, 4096> piece{};
  for (;;) {
    const ssize_t n = read(file.get(), piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return tl::unexpected(errno);
    if (n == 0) return content;
    content.append(piece.data(), static_cast<std::size_t>(n));
  }
}

// The text after "KEY<separators>" at the start of a line.
std::string_view value_of(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    if (at > 0 && text[at - 1] != '\n') continue;
    const auto start = text.find_first_not_of(" \t:", at + key.size());
    if (start == std::string_view::npos || start == at + key.size()) continue;
    return text.substr(start, text.find('\n', start) - start);
  }
  return {};
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end == text.data()) return std::nullopt;
  return value;
}

// Field 39 of /proc/PID/task/TID/stat, counted from the name, which may hold anything.
std::optional<unsigned> last_cpu_of(std::string_view stat) {
  const auto name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  stat.remove_prefix(name_end);
  static constexpr int from_name_to_processor = 37;
  for (int i = 0; i < from_name_to_processor; ++i) {
    const auto space = stat.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    stat.remove_prefix(space + 1);
  }
  const auto cpu = number(stat);
  return cpu ? std::optional(static_cast<unsigned>(*cpu)) : std::nullopt;
}

bool ended(int error_number) { return error_number == ENOENT || error_number == ESRCH; }

// One process's threads, and the processes that they started.
Result<void> add_process(int process, std::vector<ThreadState>& threads, std::vector<int>& children) {
  const std::string folder = "/proc/" + std::to_string(process) + "/task";
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(folder.c_str()), closedir);
  if (!directory && ended(errno)) return {};
  if (!directory) return fail(folder + ": " + describe_errno("open", errno));
  while (const dirent* entry = readdir(directory.get())) {
    const auto id = number(entry->d_name);
    if (!id) continue;
    const std::string task = folder + '/' + entry->d_name;
    const auto status = content_of(task + "/status");
    if (!status && ended(status.error())) continue;
    if (!status) return fail(task + "/status: " + describe_errno("open", status.error()));
    if (const auto state = value_of(*status, "State"); state.starts_with('Z') || state.starts_with('X')) continue;
    ThreadState thread;
    thread.process = process;
    thread.id = static_cast<int>(*id);
    thread.name = value_of(*status, "Name");
    const auto cpus = IndexSet::parse(value_of(*status, "Cpus_allowed_list"));
    if (!cpus) return fail(task + "/status: Cpus_allowed_list", cpus.error());
    thread.cpus = *cpus;
    thread.voluntary_switches = number(value_of(*status, "voluntary_ctxt_switches")).value_or(0);
    thread.forced_switches = number(value_of(*status, "nonvoluntary_ctxt_switches")).value_or(0);
    if (const auto schedule = content_of(task + "/sched")) {
      thread.migrations = number(value_of(*schedule, "se.nr_migrations"));
      thread.balanced_pages = number(value_of(*schedule, "numa_pages_migrated"));
    }
    if (const auto stat = content_of(task + "/stat")) thread.last_cpu = last_cpu_of(*stat);
    threads.push_back(std::move(thread));
    if (const auto started = content_of(task + "/children"))
      for (std::string_view rest(*started); !rest.empty();) {
        const auto space = rest.find(' ');
        if (const auto child = number(rest.substr(0, space))) children.push_back(static_cast<int>(*child));
        rest.remove_prefix(space == std::string_view::npos ? rest.size() : space + 1);
      }
  }
  return {};
}

}  // namespace

Result<std::vector<ThreadState>> read_threads(int process) {
  std::vector<ThreadState> threads;
  std::vector<int> processes{process};
  for (std::size_t i = 0; i < processes.size(); ++i) {
    std::vector<int> children;
    if (const auto added = add_process(processes[i], threads, children); !added) return tl::unexpected(added.error());
    processes.insert(processes.end(), children.begin(), children.end());
  }
  if (threads.empty())
    return fail("/proc/" + std::to_string(process) + "/task: holds no living thread; the process has ended");
  return threads;
}

}  // namespace bindgate
