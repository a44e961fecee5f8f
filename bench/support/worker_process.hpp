#pragma once
// A process that works for a case, forked from the program and asked for one piece of work at a time, as the workers
// of PyTorch's DataLoader are. Between pieces it sleeps. How many there are and what they share is the case's part.

#include <sys/types.h>

#include <functional>
#include <string>

#include "core/files.hpp"

namespace bindgate {

class WorkerProcess {
 public:
  /// Forks. `work` runs in the child, once for each start(), on a copy of all that this process has now; it must keep
  /// off OpenMP, LibTorch and stdio, whose other threads and locks the child does not have. The child runs on the CPUs
  /// that the harness names for workers (protocol::worker_cpus_variable), if any, else where this thread may. It holds no
  /// descriptor but the standard ones, its channel and the harness's life pipe. It ends when this object goes, at
  /// end-of-file of the life pipe, and with the thread that forked it. Throws std::runtime_error.
  WorkerProcess(std::string name, const std::function<void()>& work);
  ~WorkerProcess();
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&&) = delete;

  /// Asks for one piece of work. Throws std::runtime_error when the worker has ended, saying how.
  void start();
  /// Sleeps until that piece is done. Throws std::runtime_error with what `work` threw, after which the worker goes on,
  /// or with how the worker ended: "worker decode-1: killed by SIGSEGV".
  void wait();

  [[nodiscard]] pid_t id() const { return id_; }

 private:
  [[noreturn]] void throw_ending();

  std::string name_;
  Descriptor channel_;  // a socket that keeps messages apart and gives end-of-file when the other side dies
  pid_t id_ = -1;       // -1 once it has been waited for
  std::string ending_;
};

}  // namespace bindgate
