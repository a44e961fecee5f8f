#pragma once
// A run's progress for people: one line that is drawn over itself on a terminal, a plain line every ten seconds
// in a log. Failures are printed as they happen.

#include <chrono>
#include <string>

#include "cli/console.hpp"
#include "runner/run_watcher.hpp"

namespace bindgate {

class ProgressPrinter : public RunWatcher {
 public:
  explicit ProgressPrinter(const Console& console);
  ~ProgressPrinter() override;

  void progress(const Progress& progress) override;
  void note(const std::string& text) override;
  void output(const std::string& tail) override;
  /// Of what comes before the run: a case that is set up to see what it costs, `index` from 1.
  void planning(const std::string& case_name, std::size_t index, std::size_t count);

 private:
  std::size_t columns() const;
  bool is_due();  // and from then on not for a while
  void show(const std::string& line);
  void clear_line();

  const Console& console_;
  bool terminal_;
  std::chrono::milliseconds interval_;
  std::chrono::steady_clock::time_point next_;
  std::string last_output_;  // a program that fails the same way in every launch says so once
  std::size_t drawn_ = 0;  // characters of the line on the terminal
};

/// "round 2/6  matmul/f32/512x512x512 (3/6)  numactl  41 %  2 min 10 s left", cut to `width` columns.
[[nodiscard]] std::string progress_line(const Progress& progress, std::size_t width);

}  // namespace bindgate
