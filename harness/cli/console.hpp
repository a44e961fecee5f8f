#pragma once
// Where a command's words go: results to stdout, progress and diagnostics to stderr. The only writer to both.

#include <string>
#include <string_view>

#include "report/table.hpp"

namespace bindgate {

class Console {
 public:
  Console(bool json, bool quiet) : json_(json), quiet_(quiet) {}

  [[nodiscard]] bool json() const { return json_; }
  [[nodiscard]] bool quiet() const { return quiet_; }

  /// How results may look: colour only on a terminal and never with NO_COLOR.
  [[nodiscard]] Style style() const;

  void result(std::string_view text) const;  ///< to stdout, as it is
  [[nodiscard]] int write_error() const { return write_error_; }  ///< errno of a result that did not get out, or 0
  /// One line to stderr, printable (core/printable), unless quiet.
  void note(const std::string& line) const;
  /// The same, quiet or not, led by "bindgate: ".
  void error(const std::string& line) const;

 private:
  bool json_, quiet_;
  mutable int write_error_ = 0;  // of the stream, which is no part of how words go
};

}  // namespace bindgate
