#pragma once
// What one turn of one launch at one case recorded. Samples stay integer nanoseconds from the clock to
// the journal; a sample covers `batch` iterations, which the case's record holds.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json_cursor.hpp"
#include "samples/case_info.hpp"

namespace bindgate {

/// Frozen code that shows what the machine did: one for each resource that a neighbour can take away.
enum class ReferenceKernel { compute, l2, l3, dram, chase, faults };
inline constexpr ReferenceKernel reference_kernels[] = {ReferenceKernel::compute, ReferenceKernel::l2,
                                                        ReferenceKernel::l3,      ReferenceKernel::dram,
                                                        ReferenceKernel::chase,   ReferenceKernel::faults};

/// What happened to the measuring process during its block; nothing where it could not be read.
struct Indicators {
  std::optional<std::int64_t> minor_faults, major_faults;
  std::optional<std::int64_t> voluntary_switches, forced_switches;
  std::optional<std::int64_t> migrations;  ///< CPU changes of the measuring thread seen between samples
  /// Of the process, its threads and what they started, in user space; scaled where the CPU has too few counters.
  std::optional<std::int64_t> cycles = {}, instructions = {}, cache_misses = {}, node_loads = {}, node_load_misses = {};
  bool operator==(const Indicators&) const = default;
};
/// Each by its key in JSON.
inline constexpr std::pair<std::string_view, std::optional<std::int64_t> Indicators::*> indicator_names[] = {
    {"minor_faults", &Indicators::minor_faults},
    {"major_faults", &Indicators::major_faults},
    {"voluntary_switches", &Indicators::voluntary_switches},
    {"forced_switches", &Indicators::forced_switches},
    {"migrations", &Indicators::migrations},
    {"cycles", &Indicators::cycles},
    {"instructions", &Indicators::instructions},
    {"cache_misses", &Indicators::cache_misses},
    {"node_loads", &Indicators::node_loads},
    {"node_load_misses", &Indicators::node_load_misses}};

/// Eleven days: sums of samples stay exact.
inline constexpr std::int64_t longest_sample_ns = 1'000'000'000'000'000;

struct Block {
  unsigned turn = 0;     ///< blocks of one case and round with equal turn were taken next to each other
  unsigned attempt = 0;  ///< 1: taken again because attempt 0 was disturbed
  std::map<Clock, std::vector<std::int64_t>> nanoseconds;  ///< per clock, one per sample, equal lengths
  std::vector<std::int64_t> forced;  ///< forced switches of the process per sample; empty: not readable
  Indicators indicators;
  std::map<ReferenceKernel, std::vector<std::int64_t>> references;  ///< nanoseconds per sample
  std::int64_t spent_ns = 0;     ///< wall time of the whole turn in the program; 0: not told
  std::int64_t steal_ticks = 0;  ///< clock ticks (1/100 s) stolen from the placement's CPUs meanwhile
  std::string disturbed;         ///< what of the machine disturbed it; "" when nothing did
  bool operator==(const Block&) const = default;
};

/// Per sample, whether nothing but the code took its time. cpu_gap: wall - thread time <= max(1 %, 50 us);
/// switches (and cpu_gap where the thread clock is missing): no forced switch and no stolen tick;
/// own: no stolen tick.
[[nodiscard]] std::vector<bool> clean_samples(const Block& block, Preemption preemption);

/// Where a smaller share of a launch's samples is clean, unclean ones are no exceptions that could be set aside:
/// its variance is judged by all of them.
inline constexpr double fewest_clean = 0.8;

[[nodiscard]] std::string_view name_of(ReferenceKernel kernel);  ///< "compute", "l2", ...
[[nodiscard]] ReferenceKernel read_reference_kernel(const JsonCursor& cursor);

/// The block's keys: turn, attempt, nanoseconds {clock: [..]}, forced, indicators, references {kernel: [..]},
/// spent_ns, steal_ticks, disturbed; what says nothing is left out.
[[nodiscard]] nlohmann::json to_json(const Block& block);
[[nodiscard]] Block read_block(const JsonCursor& cursor);

}  // namespace bindgate
