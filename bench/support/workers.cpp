#include "support/workers.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <stdexcept>
#include <string>
#include <string_view>

#include "support/clocks.hpp"

namespace bindgate {

Workers::Workers(const std::vector<pid_t>& processes) {
  for (const pid_t process : processes) {
    Worker worker{};
    const std::string path = "/proc/" + std::to_string(process) + "/status";
    const int refused = clock_getcpuclockid(process, &worker.clock);
    worker.status = Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (refused != 0 || worker.status.get() < 0)
      throw std::runtime_error("worker process " + std::to_string(process) + ": " +
                               (refused != 0 ? describe_errno("clock_getcpuclockid", refused)
                                             : path + ": " + describe_errno("open", errno)));
    workers_.push_back(std::move(worker));
  }
}

std::int64_t Workers::cpu_ns() const {
  std::int64_t sum = 0;
  for (const Worker& worker : workers_) sum += read_clock_ns(worker.clock);
  return sum;
}

std::int64_t Workers::forced_switches() const {
  static constexpr std::string_view key = "nonvoluntary_ctxt_switches:\t";
  std::int64_t sum = 0;
  for (const Worker& worker : workers_) {
    std::array<char, 4096> text{};
    const ssize_t size = pread(worker.status.get(), text.data(), text.size(), 0);
    if (size <= 0) continue;
    const std::string_view status(text.data(), static_cast<std::size_t>(size));
    const std::size_t place = status.find(key);
    std::int64_t count = 0;
    if (place != std::string_view::npos) {
      std::from_chars(status.data() + place + key.size(), status.data() + status.size(), count);
      sum += count;
    }
  }
  return sum;
}

}  // namespace bindgate
