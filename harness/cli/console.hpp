#pragma once
// Where a command's words go: results to stdout, progress and diagnostics to stderr. The only writer to both.

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
  void note(std::string_view line) const;    ///< one line to stderr, unless quiet
  void error(std::string_view line) const;   ///< one line to stderr, always, led by "bindgate: "

 private:
  bool json_, quiet_;
};

}  // namespace bindgate
