#pragma once
// One child process: started bound and clean, spoken to in lines under deadlines, and gone, with all that it
// started, when this object goes. What the lines mean is not known here.

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/files.hpp"
#include "runner/stop_request.hpp"
#include "samples/placement.hpp"

namespace bindgate {

using Milliseconds = std::chrono::milliseconds;

/// The end of a stream: the last 64 KiB of it.
class Tail {
 public:
  static constexpr std::size_t capacity = 64 * 1024;
  void append(std::string_view text);
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string last_line() const;  ///< the last one that is not blank

 private:
  std::string text_;
};

struct ChildOrder {
  std::string path;                      ///< absolute
  std::vector<std::string> environment;  ///< "NAME=VALUE", all of it but the three descriptors
  Placement placement;
};

/// Why `Child::read_line` has no line.
struct NoLine {
  enum class Why {
    closed,   ///< the reply pipe is at its end, or the process is
    silent,   ///< the time is over
    rubbish,  ///< a line without an end
    stopped,  ///< the stop request was raised
  };
  Why why = Why::closed;
  std::string fragment;  ///< what came of a line
};

/// How a process ended.
struct Ending {
  std::string how;      ///< "exited with status 3", "killed by SIGSEGV", ...; "" for status 0
  bool forced = false;  ///< it had to be sent signals
};

class Child {
 public:
  static constexpr std::size_t longest_line = std::size_t{16} << 20;

  /// The process leads its own process group: stdin is empty, stdout and stderr are kept, its only
  /// other descriptors are commands, replies and the life pipe. `stop` must outlive the child.
  /// Errors: the binding was refused (syscall and errno), the program cannot be executed, no process to be had.
  static Result<std::unique_ptr<Child>> start(const ChildOrder& order, const StopRequest& stop);

  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  [[nodiscard]] pid_t pid() const { return pid_; }

  /// Never blocks and never raises SIGPIPE; whether anyone reads is seen by the next `read_line`.
  void write_line(std::string_view line);
  [[nodiscard]] tl::expected<std::string, NoLine> read_line(Milliseconds limit);
  /// Something of a next line has arrived.
  [[nodiscard]] bool has_more() const { return !replies_.empty(); }

  /// Closes the command and life pipes, at which a well-made process ends by itself.
  void hang_up();
  /// Waits `exit`, hangs up, waits `grace`, sends SIGTERM, waits `grace`, kills; then nothing that the process
  /// started is left.
  Ending end(Milliseconds exit, Milliseconds grace);

  /// Reads what stdout and stderr hold, so that a chatty child does not block.
  void drain();
  [[nodiscard]] std::string output_tail() const;  ///< both streams, each under its name; "" when silent
  [[nodiscard]] std::string last_words() const;   ///< the last line of stderr
  /// CPU time of the process and its descendants so far, or of its whole life, with those that it waited for, once it
  /// has ended.
  [[nodiscard]] double cpu_seconds() const;

 private:
  explicit Child(const StopRequest& stop);
  bool has_ended() const;
  bool wait_for_end(Milliseconds limit);
  bool is_marked(pid_t process) const;
  void reap();

  const StopRequest* stop_;
  std::string mark_;  // an environment setting that tells its descendants from everyone else's
  pid_t pid_ = -1;
  // Keeping the reading end of the commands too makes a write to a dead child harmless.
  Descriptor commands_, commands_far_end_, life_, reply_, output_, errors_, process_;
  std::string replies_;
  Tail output_tail_, errors_tail_;
  std::optional<int> status_;  // as waitpid tells it, once reaped
  double reaped_cpu_seconds_ = 0;
};

/// "exited with status 3", "killed by SIGSEGV", "killed by SIGKILL (out of memory?)"; "" for status 0.
[[nodiscard]] std::string describe_status(int status);

}  // namespace bindgate
