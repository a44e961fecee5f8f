#include "dispatch/sleeper.hpp"

#include <pthread.h>

#include "support/clocks.hpp"

namespace bindgate {

Sleeper::Sleeper() : thread_([this] { sleep(); }) { pthread_setname_np(thread_.native_handle(), "sleeper"); }

Sleeper::~Sleeper() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  called_.notify_one();
  thread_.join();
}

std::chrono::nanoseconds Sleeper::wake(std::chrono::milliseconds idle) {
  if (idle.count() > 0) std::this_thread::sleep_for(idle);
  std::unique_lock lock(mutex_);
  answered_.wait(lock, [this] { return waiting_; });
  call_ = true;
  waiting_ = false;
  lock.unlock();  // a notification under the lock would let the woken thread wait for it
  const std::int64_t start = wall_clock_ns();
  called_.notify_one();
  lock.lock();
  answered_.wait(lock, [this] { return waiting_; });
  return std::chrono::nanoseconds(woken_ns_ - start);
}

void Sleeper::sleep() {
  std::unique_lock lock(mutex_);
  for (;;) {
    waiting_ = true;
    answered_.notify_one();
    called_.wait(lock, [this] { return call_ || stopping_; });
    woken_ns_ = wall_clock_ns();
    if (stopping_) return;
    call_ = false;
    ++wakes_;
  }
}

}  // namespace bindgate
