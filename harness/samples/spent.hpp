#pragma once
// Where the wall time of a run's complete rounds went, so that what is not measuring can be seen and cut. Only sums
// are kept; what a turn or a launch took stands with it.

#include <string>

#include "core/json_cursor.hpp"

namespace bindgate {

/// Seconds.
struct Spent {
  double planning = 0;  ///< before the first round
  double start_up = 0;  ///< from a process's start to its hello
  double set_up = 0;    ///< of cases, with their checks, without warm-up
  double warm_up = 0;
  double readings = 0;  ///< of reference kernels
  double lead_in = 0;   ///< inside a turn and neither reading nor block; 0 where programs do not tell
  double blocks = 0;
  double protocol = 0;  ///< turns, as the harness sees them beyond their time in the program
  double proof = 0;     ///< looking at processes, CPUs and pages
  double waiting = 0;   ///< for threads that spin past their turn
  double journal = 0;
  double tear_down = 0;  ///< of cases and processes
  double wall = 0;       ///< of all, these and the rest

  [[nodiscard]] double measuring() const { return warm_up + readings + lead_in + blocks; }
  Spent& operator+=(const Spent& other);
  bool operator==(const Spent&) const = default;
};

/// "74 % measuring (warm-up 9, readings 16, lead-in 2, blocks 47), start-up 8, ..., rest 2": parts in per cent of the
/// wall time, those that round to nothing left out; "" where there is none.
[[nodiscard]] std::string describe(const Spent& spent);

/// By the members' names.
[[nodiscard]] nlohmann::json to_json(const Spent& spent);
/// Keys that are missing are 0: what is told grows.
[[nodiscard]] Spent read_spent(const JsonCursor& cursor);

}  // namespace bindgate
