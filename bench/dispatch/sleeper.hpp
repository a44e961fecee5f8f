#pragma once
// A thread that waits on a condition variable, and how long it takes from being notified to reading a clock.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace bindgate {

class Sleeper {
 public:
  Sleeper();
  ~Sleeper();
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;

  /// Idles, notifies, and sleeps until the woken thread has read its clock: the time from before the notification to
  /// that reading. With `idle` of 0 it notifies as soon as the thread waits again.
  [[nodiscard]] std::chrono::nanoseconds wake(std::chrono::milliseconds idle);

  [[nodiscard]] std::uint64_t wakes() const { return wakes_; }  ///< that the thread has seen

 private:
  void sleep();

  std::mutex mutex_;
  std::condition_variable called_, answered_;
  bool waiting_ = false, call_ = false, stopping_ = false;
  std::int64_t woken_ns_ = 0;
  std::uint64_t wakes_ = 0;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace bindgate
