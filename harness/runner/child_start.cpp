#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "binding/apply.hpp"
#include "runner/child.hpp"
#include "samples/protocol.hpp"

namespace bindgate {
namespace {

// The child's descriptors, in the order in which `Inherited` holds what becomes of them.
enum Number : int { standard_input, standard_output, standard_error, command, reply, life, start_report, number_count };
using Inherited = std::array<int, number_count>;

enum class Stage : int { group, descriptors, binding, execute };

// Travels through the start report's pipe, which exec closes: nothing there means that the program runs.
struct StartFailure {
  Stage stage = Stage::group;
  int call = 0;  // Binding's, for Stage::binding
  int error_number = 0;
};

[[noreturn]] void give_up(int report, Stage stage, int error_number, int call = 0) {
  const StartFailure failure{stage, call, error_number};
  [[maybe_unused]] const auto written = write(report, &failure, sizeof failure);
  _exit(127);
}

void close_from(int first) {
  if (syscall(SYS_close_range, static_cast<unsigned>(first), ~0U, 0U) == 0) return;
  const long last = sysconf(_SC_OPEN_MAX);
  for (int number = first; number < last; ++number) close(number);
}

// First out of the way, then to their places: a source may sit where another one must go.
bool arrange(Inherited& descriptors) {
  for (int& descriptor : descriptors)
    if ((descriptor = fcntl(descriptor, F_DUPFD, static_cast<int>(number_count))) < 0) return false;
  for (int number = 0; number < number_count; ++number)
    if (dup2(descriptors[static_cast<std::size_t>(number)], number) < 0) return false;
  close_from(number_count);
  return fcntl(start_report, F_SETFD, FD_CLOEXEC) == 0;
}

void restore_signals() {
  struct sigaction default_action {};
  default_action.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) sigaction(signal, &default_action, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Memory bound to a full node is taken from nowhere else: the kernel kills, and whom it kills is who holds most memory
// on any node, be it another launch. The highest score counts as one node's memory more (mm/oom_kill.c).
void volunteer_for_the_oom_killer() {
  const int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (score < 0) return;
  [[maybe_unused]] const auto written = write(score, "1000", 4);
  close(score);
}

// Runs in the forked child: only async-signal-safe calls from here to exec.
[[noreturn]] void become(char* const* arguments, char* const* environment, Inherited descriptors,
                         const Binding& binding, bool memory_is_bound, pid_t harness) {
  int report = descriptors[start_report];
  if (setpgid(0, 0) != 0) give_up(report, Stage::group, errno);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != harness) _exit(127);  // it died before the request took hold
  restore_signals();
  if (!arrange(descriptors)) give_up(report, Stage::descriptors, errno);
  report = start_report;
  if (const auto refused = binding.apply(); refused.error_number != 0)
    give_up(report, Stage::binding, refused.error_number, refused.call);
  if (memory_is_bound) volunteer_for_the_oom_killer();
  execve(arguments[0], arguments, environment);
  give_up(report, Stage::execute, errno);
}

std::string describe(const StartFailure& failure, const ChildOrder& order) {
  switch (failure.stage) {
    case Stage::group:
      return describe_errno("setpgid", failure.error_number);
    case Stage::descriptors:
      return describe_errno("dup2", failure.error_number) + "; raise the limit of open files (ulimit -n)";
    case Stage::binding:
      return "binding to CPUs " + order.placement.cpus.list() +
             " was refused: " + describe_errno(Binding::name_of_call(failure.call), failure.error_number);
    case Stage::execute:
      break;
  }
  return describe_errno("execve", failure.error_number) + "; is it a program built for this machine?";
}

}  // namespace

Result<std::unique_ptr<Child>> Child::start(const ChildOrder& order, const StopRequest& stop) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // orphaned grandchildren come to us, so that none outlives its launch
  struct sigaction on_child {};
  if (sigaction(SIGCHLD, nullptr, &on_child) == 0 && on_child.sa_handler == SIG_IGN)
    std::signal(SIGCHLD, SIG_DFL);  // inherited from some CI runners: it would lose every exit status
  std::unique_ptr<Child> child(new Child(stop));
  std::array<Pipe, 6> pipes;
  for (Pipe& pipe : pipes) {
    auto made = make_pipe();
    if (!made) return fail(order.path, made.error());
    pipe = *std::move(made);
  }
  auto& [commands, replies, life_line, output, errors, report] = pipes;
  const Descriptor null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!null) return fail(order.path + ": " + describe_errno("open /dev/null", errno));

  const std::string shown_descriptors[] = {std::string(protocol::command_descriptor) + '=' + std::to_string(command),
                                           std::string(protocol::reply_descriptor) + '=' + std::to_string(reply),
                                           std::string(protocol::life_descriptor) + '=' + std::to_string(life)};
  // execve takes pointers to non-const for history's sake; it writes through none of them.
  const auto pointer = [](const std::string& text) { return const_cast<char*>(text.c_str()); };
  std::vector<char*> environment;
  for (const std::string& setting : order.environment) environment.push_back(pointer(setting));
  for (const std::string& setting : shown_descriptors) environment.push_back(pointer(setting));
  environment.push_back(pointer(child->mark_));
  environment.push_back(nullptr);
  char* const arguments[] = {pointer(order.path), nullptr};
  const Binding binding(order.placement);
  const bool memory_is_bound = order.placement.memory.policy == MemoryPolicy::bind;
  const Inherited descriptors{null.get(),          output.write.get(),   errors.write.get(), commands.read.get(),
                              replies.write.get(), life_line.read.get(), report.write.get()};
  const pid_t harness = getpid();
  child->pid_ = fork();
  if (child->pid_ < 0) return fail(order.path + ": " + describe_errno("fork", errno));
  if (child->pid_ == 0) become(arguments, environment.data(), descriptors, binding, memory_is_bound, harness);
  setpgid(child->pid_, child->pid_);  // whichever of the two is first

  report.write.close();
  StartFailure failure;
  ssize_t n = 0;
  do n = read(report.read.get(), &failure, sizeof failure);
  while (n < 0 && errno == EINTR);
  child->commands_ = std::move(commands.write);
  child->commands_far_end_ = std::move(commands.read);
  child->life_ = std::move(life_line.write);
  child->reply_ = std::move(replies.read);
  child->output_ = std::move(output.read);
  child->errors_ = std::move(errors.read);
  child->process_ = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, child->pid_, 0)));
  for (const Descriptor* descriptor : {&child->commands_, &child->reply_, &child->output_, &child->errors_})
    fcntl(descriptor->get(), F_SETFL, O_NONBLOCK);
  if (n == static_cast<ssize_t>(sizeof failure)) return fail(order.path + ": " + describe(failure, order));
  return child;
}

}  // namespace bindgate
