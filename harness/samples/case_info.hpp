#pragma once
// What a bench program declares about a case before anything runs: its name, its work per iteration,
// and how its time is to be read. It holds no measurement.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_cursor.hpp"

namespace bindgate {

/// Whose time a sample counts. `tree` is the process and its workers; `interval` is that part of an iteration which the
/// case times itself, as a wake-up without the idle time before it.
enum class Clock { wall, thread, process, tree, interval, device };
inline constexpr Clock clocks[] = {Clock::wall, Clock::thread,   Clock::process,
                                   Clock::tree, Clock::interval, Clock::device};

/// How being preempted shows in a sample of this case.
enum class Preemption {
  cpu_gap,   ///< one thread that never waits: wall time without CPU time
  switches,  ///< several threads, or waiting by design: forced context switches and steal
  own,       ///< its threads preempt each other by design: steal alone, as its forced switches are its own
};

/// The profiles from the smallest to the largest; a case in one is in all later ones.
enum class Profile { quick, nightly, thorough };

struct CaseInfo {
  std::string name;                          ///< program/case/parameters; no '+', no white space
  std::string label;                         ///< what to know when reading it, as "bandwidth-bound"; or ""
  std::map<std::string, std::string> shape;  ///< by dimension, as m -> 512
  double operations = 0;                     ///< arithmetic operations per iteration; 0: not counted
  double bytes = 0;                          ///< bytes that an iteration must move; 0: not counted
  double items = 0;                          ///< things finished per iteration, as images; 0: not counted
  std::string item;                          ///< what those are: "image"
  std::string against = {};  ///< the case of the same program that does the same work the plain way; or ""
  Clock primary = Clock::wall;
  Preemption preemption = Preemption::switches;
  Profile profile = Profile::nightly;  ///< the smallest profile that holds the case
  bool operator==(const CaseInfo&) const = default;
};

[[nodiscard]] std::string_view name_of(Clock clock);            ///< "wall", "thread", "process", "tree", "interval", "device"
[[nodiscard]] std::string_view name_of(Preemption preemption);  ///< "cpu_gap", "switches", "own"
[[nodiscard]] std::string_view name_of(Profile profile);        ///< "quick", "nightly", "thorough"
[[nodiscard]] Clock read_clock(const JsonCursor& cursor);
[[nodiscard]] Profile read_profile(const JsonCursor& cursor);

[[nodiscard]] nlohmann::json to_json(const CaseInfo& info);
[[nodiscard]] CaseInfo read_case_info(const JsonCursor& cursor);

}  // namespace bindgate
