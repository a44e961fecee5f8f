#pragma once
// A barrier whose threads never sleep: the quickest where each has a CPU of its own, and what it costs where they
// have not.

#include <atomic>
#include <cstdint>

namespace bindgate {

class SpinBarrier {
 public:
  explicit SpinBarrier(std::uint32_t threads) : threads_(threads) {}

  /// Returns once all threads have arrived; what they wrote before is then visible.
  void arrive_and_wait() {
    const std::uint32_t phase = phase_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      arrived_.store(0, std::memory_order_relaxed);
      phase_.store(phase + 1, std::memory_order_release);
      return;
    }
    while (phase_.load(std::memory_order_acquire) == phase) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
  }

 private:
  const std::uint32_t threads_;
  alignas(64) std::atomic<std::uint32_t> arrived_ = 0;
  alignas(64) std::atomic<std::uint32_t> phase_ = 0;
};

}  // namespace bindgate
