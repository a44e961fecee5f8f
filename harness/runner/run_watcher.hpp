#pragma once
// What a run tells while it goes on. The runner prints nothing: whoever watches decides what is shown, how
// often and where.

#include <chrono>
#include <optional>
#include <string>

namespace bindgate {

struct Progress {
  unsigned round = 0, rounds = 0;  ///< `round` from 0
  std::string program, case_name;
  unsigned case_index = 0, cases = 0;            ///< of the round, over all programs
  std::string variant;                           ///< whose turn it is
  double case_done = 0;                          ///< share of the case's turns
  double done = 0;                               ///< share of the whole run
  std::optional<std::chrono::nanoseconds> left;  ///< estimated; nothing while it is too early
};

class RunWatcher {
 public:
  virtual ~RunWatcher() = default;
  /// Before every step of every launch, hundreds of times a second: be quick, never block.
  virtual void progress(const Progress& progress) = 0;
  /// Something the user should read now, as a failure; one line.
  virtual void note(const std::string& text) = 0;
  /// The end of what a failed launch wrote to stdout and stderr, as its record keeps it; follows the note of it.
  virtual void output(const std::string& tail) = 0;
};

}  // namespace bindgate
