#include "support/event_counts.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <map>
#include <string_view>

#include "core/error.hpp"

namespace bindgate {
namespace {

constexpr std::uint64_t node_event(std::uint64_t result) {
  return PERF_COUNT_HW_CACHE_NODE | PERF_COUNT_HW_CACHE_OP_READ << 8 | result << 16;
}

struct Event {
  std::string_view name;
  std::uint32_t type;
  std::uint64_t config;
  std::optional<std::int64_t> Indicators::*count;
};
constexpr std::array<Event, 5> events{{
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, &Indicators::cycles},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, &Indicators::instructions},
    {"cache_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, &Indicators::cache_misses},
    {"node_loads", PERF_TYPE_HW_CACHE, node_event(PERF_COUNT_HW_CACHE_RESULT_ACCESS), &Indicators::node_loads},
    {"node_load_misses", PERF_TYPE_HW_CACHE, node_event(PERF_COUNT_HW_CACHE_RESULT_MISS),
     &Indicators::node_load_misses},
}};

Descriptor open_event(const Event& event, pid_t thread) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attributes.inherit = 1;
  attributes.exclude_kernel = 1;  // what an ordinary user may count
  attributes.exclude_hv = 1;
  return Descriptor(static_cast<int>(syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC)));
}

std::vector<pid_t> threads_here() {
  std::vector<pid_t> threads;
  std::error_code error;
  for (std::filesystem::directory_iterator task("/proc/self/task", error), end; !error && task != end;
       task.increment(error)) {
    const std::string name = task->path().filename();
    pid_t thread = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), thread).ec == std::errc()) threads.push_back(thread);
  }
  return threads;
}

void add(std::string& list, std::string_view item, std::string_view separator) {
  if (!list.empty()) list += separator;
  list += item;
}

}  // namespace

std::string why_refused(int error_number, const std::string& paranoid) {
  switch (error_number) {
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV:
      return "no such hardware counter (virtual machine?)";
    case ENOSYS:
      return "this kernel has no perf_event_open";
    case EACCES:
    case EPERM:
      return paranoid.empty() ? "perf_event_open is not permitted" : "perf_event_paranoid is " + paranoid;
    default:
      return describe_errno("perf_event_open", error_number);
  }
}

EventCounts::EventCounts() {
  const std::string paranoid = read_line_of("/proc/sys/kernel/perf_event_paranoid");
  const std::vector<pid_t> threads = threads_here();
  std::map<std::string, std::string> refused;  // reason -> names
  for (std::size_t i = 0; i < events.size(); ++i) {
    for (const pid_t thread : threads) {
      Descriptor counter = open_event(events[i], thread);
      if (!counter && errno == ESRCH) continue;  // it ended meanwhile
      if (!counter) {
        add(refused[why_refused(errno, paranoid)], events[i].name, ", ");
        counters_[i].clear();
        break;
      }
      counters_[i].push_back(std::move(counter));
    }
    if (!counters_[i].empty()) add(state_, events[i].name, ", ");
  }
  for (const auto& [reason, names] : refused)
    add(state_, (state_.empty() && refused.size() == 1 ? "refused: " : names + " refused: ") + reason, "; ");
}

EventCounts::Reading EventCounts::read() const {
  struct Value {
    std::uint64_t count = 0, enabled = 0, running = 0;
  };
  Reading reading;
  for (std::size_t i = 0; i < counters_.size(); ++i)
    for (const Descriptor& counter : counters_[i]) {
      Value value;
      if (::read(counter.get(), &value, sizeof value) != sizeof value || (value.enabled > 0 && value.running == 0)) {
        reading[i].reset();
        break;
      }
      const double share = value.running > 0 ? static_cast<double>(value.enabled) / static_cast<double>(value.running) : 1;
      reading[i] = reading[i].value_or(0) + static_cast<std::int64_t>(static_cast<double>(value.count) * share);
    }
  return reading;
}

void EventCounts::fill(Indicators& indicators, const Reading& before, const Reading& after) {
  for (std::size_t i = 0; i < events.size(); ++i)
    if (before[i] && after[i] && *after[i] >= *before[i]) indicators.*events[i].count = *after[i] - *before[i];
}

}  // namespace bindgate
