#pragma once
// Counts of the CPU's events (perf_event_open) of this process, its threads and what they start, read around a block
// and never around a sample. Many virtual machines and containers refuse them: then it says why, once.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/files.hpp"
#include "samples/block.hpp"

namespace bindgate {

class EventCounts {
 public:
  /// Opens the counters for every thread that there is; later threads and processes inherit them.
  EventCounts();

  /// "cycles, instructions, cache_misses", and what was refused and why: "node_loads refused: ...".
  [[nodiscard]] const std::string& state() const { return state_; }

  using Reading = std::array<std::optional<std::int64_t>, 5>;
  /// Since they were opened, in user space; where counters take turns on too few registers, scaled by their share.
  [[nodiscard]] Reading read() const;
  /// Fills in what was counted between two readings.
  static void fill(Indicators& indicators, const Reading& before, const Reading& after);

 private:
  std::array<std::vector<Descriptor>, 5> counters_;  // of each event, one for each thread
  std::string state_;
};

/// Why perf_event_open refuses, in words: "perf_event_paranoid is 4", "this CPU shows no such counter (a virtual
/// machine?)". `paranoid`: the text of /proc/sys/kernel/perf_event_paranoid.
[[nodiscard]] std::string why_refused(int error_number, const std::string& paranoid);

}  // namespace bindgate
