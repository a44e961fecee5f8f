#pragma once
// Puts a placement into force for the calling thread, between fork and exec; affinity and memory policy
// survive exec. Everything that allocates happens in the constructor, so `apply` may run in a forked child.

#include <cstdint>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "samples/placement.hpp"

namespace bindgate {

class Binding {
 public:
  explicit Binding(const Placement& placement);

  /// What failed in `apply`: a system call, by the number that `name_of_call` takes, and its errno; errno 0 is success.
  struct Failure {
    int call = 0;
    int error_number = 0;
  };
  /// Async-signal-safe. Sets the thread's affinity, then its memory policy (the default policy is set too:
  /// an inherited one must not survive in a variant that claims none).
  [[nodiscard]] Failure apply() const noexcept;

  /// "sched_setaffinity" or "set_mempolicy".
  [[nodiscard]] static const char* name_of_call(int call);

 private:
  std::vector<unsigned long> cpu_mask_, node_mask_;
  int mode_ = 0;
};

/// Forks a child that applies the placement and reads it back. Errors name the syscall and errno, or what
/// the kernel made of the mask ("asked for CPUs 0-3, got 0-1"); for EINVAL, Mems_allowed is named too.
[[nodiscard]] Result<void> probe(const Placement& placement);

}  // namespace bindgate
