#pragma once
// Worker processes of a case, seen from the process that measures: their CPU time and forced switches between
// samples. It neither starts nor ends them.

#include <sys/types.h>

#include <cstdint>
#include <ctime>
#include <vector>

#include "core/files.hpp"

namespace bindgate {

class Workers {
 public:
  /// Living processes of this user. Throws std::runtime_error for one that is gone or may not be read.
  explicit Workers(const std::vector<pid_t>& processes);

  /// CPU time of all of them since their start; one that is gone no longer adds.
  [[nodiscard]] std::int64_t cpu_ns() const;
  /// Forced context switches of their main threads since their start.
  [[nodiscard]] std::int64_t forced_switches() const;

 private:
  struct Worker {
    clockid_t clock;
    Descriptor status;  // of /proc/PID/status
  };
  std::vector<Worker> workers_;
};

}  // namespace bindgate
