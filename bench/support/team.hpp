#pragma once
// Threads that do one piece of work together and sleep in between: nothing of a case may run in another launch's
// turn. The caller is one of them, so that a team of one is a plain call.

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace bindgate {

class Team {
 public:
  /// `size` threads, at least 1, the caller's included; they may run where the caller may run now. Throws
  /// std::system_error where threads are refused.
  explicit Team(unsigned size, const char* name);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Calls work(0) here, work(1) to work(size - 1) in the other threads, and sleeps until all are done. The work must
  /// not throw. What it wrote is visible afterwards.
  void run(const std::function<void(unsigned member)>& work);

  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(helpers_.size()) + 1; }

 private:
  void help(unsigned member);
  void end();

  const std::function<void(unsigned)>* work_ = nullptr;  // null: the helpers shall end
  std::atomic<std::uint32_t> started_ = 0;                // pieces of work; four bytes are the kernel's own wait
  std::atomic<std::uint32_t> busy_ = 0;                   // helpers that have not finished the current one
  std::vector<std::thread> helpers_;                      // last: they use all of the above
};

}  // namespace bindgate
