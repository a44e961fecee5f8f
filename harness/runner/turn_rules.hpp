#pragma once
// Every rule by which turns are taken, as pure functions: how large a block is and how many there are, who is
// when on, which reference kernels run, and when the machine disturbed a turn. Nothing is run or read here.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "samples/block.hpp"
#include "samples/case_info.hpp"

namespace bindgate {

inline constexpr std::int64_t shortest_sample_ns = 300'000;  ///< a pair of clock reads is then 0.1 % of it
inline constexpr std::int64_t block_ns = 5'000'000;          ///< what turns of this length even out is in the design
inline constexpr std::int64_t long_case_ns = 1'000'000'000;  ///< blocks of operations longer than block_ns, together
inline constexpr std::int64_t longest_case_ns =
    10'000'000'000;                                       ///< of blocks: a launch that took more takes no further turn
inline constexpr unsigned most_turns = 4'000;             ///< the same, for a program whose clocks stand still
inline constexpr std::int64_t enough_samples = 50;        ///< what the variance gate wants of a launch to judge it by
inline constexpr double disturbed_share = 0.75;           ///< of the undisturbed CPU/wall
inline constexpr double extra_turns = 0.25;               ///< repetitions, as a share of the turns

/// What every launch of an ensemble does with one case.
struct TurnPlan {
  unsigned samples = 1;    ///< per block
  std::int64_t batch = 1;  ///< iterations per sample
  unsigned turns = 1;
  bool operator==(const TurnPlan&) const = default;
};

/// What an operation takes after its warm-up: the median of the series' last half, at least 1. It must not be empty.
[[nodiscard]] std::int64_t iteration_ns(std::span<const std::int64_t> warmup_ns);

/// From the base's warm-up: an operation takes its `iteration_ns`. Samples last shortest_sample_ns or
/// more, blocks block_ns or one operation; longer operations get as many of `turns` as fit into long_case_ns,
/// at least `minimum_turns`. `warmup_ns` must not be empty.
[[nodiscard]] TurnPlan plan_turns(std::span<const std::int64_t> warmup_ns, unsigned turns, unsigned minimum_turns);

/// The compute kernel and one of the other five in rotation.
[[nodiscard]] std::vector<ReferenceKernel> references_of_turn(unsigned turn);

/// The members 0 .. count-1 shuffled. `moment` names what is shuffled ("start", "set-up", a case): equal
/// arguments give an equal order, on every platform, whatever was run before.
[[nodiscard]] std::vector<std::size_t> order_of_turn(std::uint64_t seed, unsigned round, std::string_view program,
                                                     std::string_view moment, unsigned turn, std::size_t count);

/// Samples of one launch: of the blocks that stand for their turns, a repetition instead of what it repeats.
struct SampleCount {
  std::int64_t all = 0, clean = 0;
};

/// Whether the variance gate has enough to judge by: enough_samples are clean, or there are so many samples that a
/// clean fraction of `fewest_clean` would have given as many, so that this launch's is below and all of them count.
[[nodiscard]] bool is_enough(const SampleCount& samples);

/// CPU time over wall time of a block, by the widest CPU clock it has; nothing without both clocks.
[[nodiscard]] std::optional<double> cpu_share(const Block& block);

/// Wall time of a block's samples (of its primary clock where it has no wall clock).
[[nodiscard]] std::int64_t block_time_ns(const Block& block);

/// What the case shows when nothing disturbs it: the upper quartile of its blocks' CPU shares so far, which holds
/// as long as one block in four is left in peace; nothing while there are too few to tell.
[[nodiscard]] std::optional<double> undisturbed_share(std::span<const double> shares);

/// What of the machine disturbed this block, for people; "" when nothing did. `threads` are the case's compute
/// threads, `cpus` those of its placement.
///
/// A forced switch is a stranger's doing where the case itself had no reason for one: it is a single thread that
/// never waits (cpu_gap), or it has fewer threads than CPUs. With as many threads as CPUs, or more, the process's
/// helpers (a collator, a runtime's monitor) take turns with its own compute threads, and only CPU time tells; so it is
/// where the case says that its forced switches are its own.
/// A case that keeps less than half a CPU busy waits by design, so that its CPU time says nothing either.
[[nodiscard]] std::string what_disturbed(const Block& block, Preemption preemption, unsigned threads, std::size_t cpus,
                                         std::optional<double> undisturbed);

}  // namespace bindgate
