#include "runner/stop_request.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace bindgate {

static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may not wait for a lock");

StopRequest::StopRequest() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void StopRequest::raise(int signal) noexcept {
  const int saved = errno;
  int none = 0;
  signal_.compare_exchange_strong(none, signal);
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(event_.get(), &one, sizeof one);
  errno = saved;
}

std::string StopRequest::reason() const {
  const char* name = sigabbrev_np(signal_.load());
  return std::string("interrupted by ") +
         (name ? std::string("SIG") + name : "signal " + std::to_string(signal_.load()));
}

}  // namespace bindgate
