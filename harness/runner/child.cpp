#include "runner/child.hpp"

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "binding/environment.hpp"
#include "runner/proc_files.hpp"

namespace bindgate {
namespace {

using SteadyClock = std::chrono::steady_clock;

enum class Arrival { nothing, something, end };

// One piece only: a child that never stops talking must not keep the caller from looking at the time.
template <class Take>
Arrival read_piece(const Descriptor& from, Take take) {
  std::array<char, 65536> piece;
  const ssize_t n = read(from.get(), piece.data(), piece.size());
  if (n < 0) return errno == EAGAIN || errno == EINTR ? Arrival::nothing : Arrival::end;
  if (n == 0) return Arrival::end;
  take(std::string_view(piece.data(), static_cast<std::size_t>(n)));
  return Arrival::something;
}

// Whoever is waited for has been killed or has ended, so this takes no time worth a deadline.
pid_t wait_for(pid_t process, int* status = nullptr, rusage* usage = nullptr) {
  for (;;)
    if (const pid_t ended = wait4(process, status, 0, usage); ended >= 0 || errno != EINTR) return ended;
}

int milliseconds_until(SteadyClock::time_point deadline) {
  const auto left = std::chrono::ceil<Milliseconds>(deadline - SteadyClock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
}

}  // namespace

void Tail::append(std::string_view text) {
  text_ += text;
  if (text_.size() > 2 * capacity) text_.erase(0, text_.size() - capacity);
}

std::string Tail::text() const { return text_.size() > capacity ? text_.substr(text_.size() - capacity) : text_; }

std::string Tail::last_line() const {
  const auto last = text_.find_last_not_of(" \t\r\n");
  if (last == std::string::npos) return "";
  const auto feed = text_.rfind('\n', last);
  const auto first = feed == std::string::npos ? 0 : feed + 1;
  return text_.substr(first, last + 1 - first);
}

std::string describe_status(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    const char* name = sigabbrev_np(signal);
    return "killed by " + (name ? std::string("SIG") + name : "signal " + std::to_string(signal)) +
           (signal == SIGKILL ? " (out of memory?)" : "");
  }
  return WEXITSTATUS(status) == 0 ? "" : "exited with status " + std::to_string(WEXITSTATUS(status));
}

// Of constant length: the size of the environment shifts the stack, and with it the timings.
Child::Child(const StopRequest& stop) : stop_(&stop), mark_(64, '\0') {
  const int length =
      std::snprintf(mark_.data(), mark_.size(), "BINDGATE_CHILD=%08x.%016llx", static_cast<unsigned>(getpid()),
                    static_cast<unsigned long long>(SteadyClock::now().time_since_epoch().count()));
  mark_.resize(static_cast<std::size_t>(length));
}

Child::~Child() {
  if (pid_ > 0 && !status_) reap();
}

void Child::write_line(std::string_view line) {
  std::string text(line);
  text += '\n';
  // A full pipe means a child that reads nothing; the deadline of its reply finds that out.
  [[maybe_unused]] const auto written = write(commands_.get(), text.data(), text.size());
}

tl::expected<std::string, NoLine> Child::read_line(Milliseconds limit) {
  using Why = NoLine::Why;
  const auto deadline = SteadyClock::now() + limit;
  const auto without = [this](Why why) { return tl::unexpected(NoLine{why, replies_}); };
  std::size_t searched = 0;
  for (;;) {
    if (const auto feed = replies_.find('\n', searched); feed != std::string::npos) {
      std::string line = replies_.substr(0, feed);
      replies_.erase(0, feed + 1);
      return line;
    }
    searched = replies_.size();
    if (searched > longest_line) return without(Why::rubbish);
    if (stop_->raised()) return without(Why::stopped);
    std::array<pollfd, 5> waits{{{reply_.get(), POLLIN, 0},
                                 {process_.get(), POLLIN, 0},
                                 {stop_->descriptor(), POLLIN, 0},
                                 {output_.get(), POLLIN, 0},
                                 {errors_.get(), POLLIN, 0}}};
    const int ready = poll(waits.data(), waits.size(), milliseconds_until(deadline));
    if (ready == 0) return without(Why::silent);
    if (ready < 0) continue;  // interrupted: the stop request tells whether that was for us
    if (waits[3].revents != 0 || waits[4].revents != 0) drain();
    if (waits[0].revents != 0) {
      if (read_piece(reply_, [this](std::string_view text) { replies_ += text; }) == Arrival::end)
        return without(Why::closed);
    } else if (waits[1].revents != 0) {
      return without(Why::closed);  // a grandchild may still hold the pipe's other end
    } else if (SteadyClock::now() >= deadline) {
      return without(Why::silent);
    }
  }
}

void Child::drain() {
  if (output_ && read_piece(output_, [this](std::string_view text) { output_tail_.append(text); }) == Arrival::end)
    output_.close();
  if (errors_ && read_piece(errors_, [this](std::string_view text) { errors_tail_.append(text); }) == Arrival::end)
    errors_.close();
}

void Child::hang_up() {
  commands_.close();
  commands_far_end_.close();
  life_.close();
}

bool Child::has_ended() const {
  siginfo_t info{};  // it stays a zombie, so that its number and its group's stay its own
  return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid_;
}

bool Child::wait_for_end(Milliseconds limit) {
  static constexpr int without_process_descriptor = 2;
  const auto deadline = SteadyClock::now() + limit;
  for (;;) {
    if (has_ended()) return true;
    int wait = milliseconds_until(deadline);
    if (wait == 0) return false;
    if (!process_) wait = std::min(wait, without_process_descriptor);
    std::array<pollfd, 3> waits{{{process_.get(), POLLIN, 0}, {output_.get(), POLLIN, 0}, {errors_.get(), POLLIN, 0}}};
    if (poll(waits.data(), waits.size(), wait) > 0) drain();
  }
}

bool Child::is_marked(pid_t process) const {
  const auto environment = environment_of(process);
  if (!environment) return false;
  const auto equals = mark_.find('=');
  const auto mark = environment->find(mark_.substr(0, equals));
  return mark != environment->end() && mark->second == mark_.substr(equals + 1);
}

void Child::reap() {
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);  // in case the start failed before it had a group
  int status = 0;
  rusage usage{};
  wait_for(pid_, &status, &usage);
  status_ = status;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  reaped_cpu_seconds_ = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  while (wait_for(-pid_) > 0) {
  }
  // Whoever left the group has become our child by its parent's end; its own children follow in the next pass.
  for (bool found = true; found;) {
    found = false;
    for (const pid_t orphan : children_of(getpid()))
      if (is_marked(orphan)) {
        kill(orphan, SIGKILL);
        found = wait_for(orphan) == orphan || found;
      }
  }
  for (int i = 0; i < 64 && (output_ || errors_); ++i) drain();
}

Ending Child::end(Milliseconds exit, Milliseconds grace) {
  if (status_) return {describe_status(*status_)};
  std::string forced;
  if (!wait_for_end(exit)) {
    hang_up();
    if (!wait_for_end(grace)) {
      kill(-pid_, SIGTERM);
      forced = "did not end at the end of its pipes and was sent SIGTERM";
      if (!wait_for_end(grace)) forced = "ignored the end of its pipes and SIGTERM and was killed";
    }
  }
  hang_up();
  reap();
  if (!forced.empty()) return {forced, true};
  return {describe_status(*status_)};
}

std::string Child::output_tail() const {
  std::string tail;
  if (const std::string text = errors_tail_.text(); !text.empty()) tail += "stderr:\n" + text;
  if (const std::string text = output_tail_.text(); !text.empty())
    tail += (tail.empty() || tail.ends_with('\n') ? "stdout:\n" : "\nstdout:\n") + text;
  return tail;
}

std::string Child::last_words() const { return errors_tail_.last_line(); }

double Child::cpu_seconds() const {
  if (status_) return reaped_cpu_seconds_;
  return tree_cpu_seconds(pid_).value_or(0);
}

}  // namespace bindgate
