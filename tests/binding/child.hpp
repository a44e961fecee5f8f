#pragma once
// Forked children for tests on the live kernel: one that gets itself into a state and waits to be looked at,
// and one that computes a text under rules that the test process must not be put under.

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <utility>

#include "core/files.hpp"
#include "core/index_set.hpp"

namespace bindgate::tests {

inline Pipe new_pipe() {
  auto pipe = make_pipe();
  if (!pipe) std::abort();
  return *std::move(pipe);
}

/// Runs `prepare` in a child that then waits; it ends when this goes. What `prepare` returns is `answer()`.
class WaitingChild {
 public:
  explicit WaitingChild(const std::function<std::uint64_t()>& prepare) {
    Pipe up = new_pipe(), down = new_pipe();
    pid_ = fork();
    if (pid_ == 0) {
      down.write.close();
      const std::uint64_t answer = prepare();
      char end = 0;
      if (write(up.write.get(), &answer, sizeof answer) == sizeof answer)
        while (read(down.read.get(), &end, 1) < 0 && errno == EINTR) continue;
      _exit(0);
    }
    up.write.close();
    ready_ = read(up.read.get(), &answer_, sizeof answer_) == sizeof answer_;
    hold_ = std::move(down.write);
  }
  ~WaitingChild() { end(); }
  WaitingChild(const WaitingChild&) = delete;
  WaitingChild& operator=(const WaitingChild&) = delete;

  void end() {
    hold_.close();
    if (pid_ > 0) kill(pid_, SIGCONT), waitpid(pid_, nullptr, 0);  // a test may have stopped it
    pid_ = 0;
  }
  [[nodiscard]] int pid() const { return pid_; }
  [[nodiscard]] bool ready() const { return ready_; }
  [[nodiscard]] std::uint64_t answer() const { return answer_; }

 private:
  int pid_ = 0;
  bool ready_ = false;
  std::uint64_t answer_ = 0;
  Descriptor hold_;
};

/// What `compute` returns in a forked child.
inline std::string in_child(const std::function<std::string()>& compute) {
  Pipe pipe = new_pipe();
  const pid_t child = fork();
  if (child == 0) {
    const bool told = write_all(pipe.write.get(), compute()).has_value();
    _exit(told ? 0 : 1);
  }
  pipe.write.close();
  std::string text;
  std::array<char, 4096> piece{};
  for (ssize_t n = 0; (n = read(pipe.read.get(), piece.data(), piece.size())) > 0;)
    text.append(piece.data(), static_cast<std::size_t>(n));
  waitpid(child, nullptr, 0);
  return text;
}

/// From here on `call` fails with EPERM in this process, as a container's filter makes it. False where the
/// kernel has no filters.
inline bool refuse_with_eperm(unsigned call) {
  std::array<sock_filter, 4> program{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog filter{program.size(), program.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

/// "Cpus_allowed_list" or "Mems_allowed_list" of this process.
inline IndexSet allowed(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key + ":\t")) return *IndexSet::parse(line.substr(key.size() + 2));
  return {};
}
inline IndexSet allowed_cpus() { return allowed("Cpus_allowed_list"); }
inline IndexSet allowed_nodes() { return allowed("Mems_allowed_list"); }

}  // namespace bindgate::tests
