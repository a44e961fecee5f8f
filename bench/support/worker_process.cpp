#include "support/worker_process.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "samples/protocol.hpp"
#include "support/cpus.hpp"
#include "support/session.hpp"

namespace bindgate {
namespace {

constexpr char done = '+', complaint = '-';
constexpr std::size_t longest_message = 4096;

// The program's other descriptors must not live on in its workers: the harness waits for the end of the replies.
void close_all_but(int channel, int life) {
  std::vector<int> open;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
    const std::string name = entry.path().filename();
    int number = -1;
    std::from_chars(name.data(), name.data() + name.size(), number);
    if (number > STDERR_FILENO && number != channel && number != life) open.push_back(number);
  }
  for (const int number : open) close(number);
}

std::string answer_of(const std::function<void()>& work) {
  try {
    work();
    return {done};
  } catch (const std::exception& error) {
    return (complaint + std::string(error.what())).substr(0, longest_message);
  } catch (...) {
    return complaint + std::string("an exception that says nothing");
  }
}

// The child's life. It ends by _exit: what the program registered for its own end is not the worker's to run.
[[noreturn]] void serve(int channel, int life, pid_t parent, const std::string& name, const IndexSet& cpus,
                        const std::function<void()>& work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(EXIT_FAILURE);  // it died before the signal was asked for
  prctl(PR_SET_NAME, name.c_str());
  close_all_but(channel, life);
  std::string misplaced;
  if (!cpus.empty()) try {
      run_on(cpus);
    } catch (const std::exception& error) {
      misplaced = complaint + ("CPUs " + cpus.list() + ": ") + error.what();
    }
  for (;;) {
    std::array<pollfd, 2> waits{{{channel, POLLIN, 0}, {life, POLLIN, 0}}};  // a life of -1 is left out
    if (poll(waits.data(), waits.size(), -1) < 0) continue;                  // interrupted
    if (waits[1].revents != 0) _exit(EXIT_FAILURE);
    char request = 0;
    if (recv(channel, &request, 1, 0) <= 0) _exit(EXIT_SUCCESS);
    const std::string answer = misplaced.empty() ? answer_of(work) : misplaced;
    if (send(channel, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) _exit(EXIT_SUCCESS);
  }
}

// Where the harness wants workers to run; empty: it names no CPUs.
IndexSet worker_cpus(const std::string& name) {
  const char* list = std::getenv(protocol::worker_cpus_variable);
  const auto cpus = IndexSet::parse(list ? list : "");
  if (!cpus)
    throw std::runtime_error("worker " + name + ": " + protocol::worker_cpus_variable + ": " + cpus.error().message);
  return *cpus;
}

std::string describe_status(int status) {
  if (!WIFSIGNALED(status)) return "exited with status " + std::to_string(WEXITSTATUS(status));
  const char* abbreviation = sigabbrev_np(WTERMSIG(status));
  return "killed by " + (abbreviation ? std::string("SIG") + abbreviation : std::to_string(WTERMSIG(status)));
}

}  // namespace

WorkerProcess::WorkerProcess(std::string name, const std::function<void()>& work) : name_(std::move(name)) {
  const auto harness = harness_descriptors();
  const int life = harness && *harness ? (*harness)->life.value_or(-1) : -1;
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::runtime_error("worker " + name_ + ": " + describe_errno("socketpair", errno));
  channel_ = Descriptor(ends[0]);
  Descriptor other(ends[1]);
  const IndexSet cpus = worker_cpus(name_);
  const pid_t parent = getpid();
  id_ = fork();
  if (id_ < 0) throw std::runtime_error("worker " + name_ + ": " + describe_errno("fork", errno));
  if (id_ == 0) serve(other.get(), life, parent, name_, cpus, work);
}

WorkerProcess::~WorkerProcess() {
  if (id_ <= 0) return;
  kill(id_, SIGKILL);  // it holds nothing that is worth a goodbye, and might hang
  while (waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : name_(std::move(other.name_)),
      channel_(std::move(other.channel_)),
      id_(std::exchange(other.id_, -1)),
      ending_(std::move(other.ending_)) {}

void WorkerProcess::throw_ending() {
  if (id_ > 0) {
    int status = 0;
    while (waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = -1;
    ending_ = describe_status(status);
  }
  throw std::runtime_error("worker " + name_ + ": " + ending_);
}

void WorkerProcess::start() {
  if (id_ <= 0 || send(channel_.get(), &done, 1, MSG_NOSIGNAL) != 1) throw_ending();
}

void WorkerProcess::wait() {
  std::array<char, longest_message> answer{};
  ssize_t size = -1;
  do size = recv(channel_.get(), answer.data(), answer.size(), 0);
  while (size < 0 && errno == EINTR);
  if (size <= 0) throw_ending();
  if (answer[0] != done) throw std::runtime_error(std::string(answer.data() + 1, static_cast<std::size_t>(size) - 1));
}

}  // namespace bindgate
