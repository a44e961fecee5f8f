#pragma once
// How someone outside (a signal handler, a test) asks a run to end: every wait of the runner watches it.
// It installs no handler and ends nothing itself.

#include <atomic>
#include <optional>
#include <string>

#include "core/error.hpp"
#include "core/files.hpp"

namespace bindgate {

class StopRequest {
 public:
  /// With no descriptor to be had, `raise` still works, but a wait in progress is not cut short.
  StopRequest();

  /// Async-signal-safe; the first signal is kept.
  void raise(int signal) noexcept;

  [[nodiscard]] bool raised() const noexcept { return signal_.load() != 0; }
  /// Readable from the first `raise` on; never to be read from.
  [[nodiscard]] int descriptor() const { return event_.get(); }
  /// "interrupted by SIGINT".
  [[nodiscard]] std::string reason() const;

 private:
  Descriptor event_;
  std::atomic<int> signal_ = 0;
};

}  // namespace bindgate
