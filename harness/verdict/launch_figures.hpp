#pragma once
// One launch's samples of one case to the figures that the variance gate weighs. Nothing is judged here: no
// threshold, and no other launch.

#include <cstddef>
#include <optional>
#include <span>

#include "samples/case_info.hpp"
#include "samples/launch.hpp"

namespace bindgate {

/// How samples of one launch vary, the slowest 2 % (at least one) dropped; shares, 0 where nothing varies.
struct Spread {
  double cv = 0;      ///< standard deviation / mean
  double tail = 0;    ///< p95 / p50 - 1
  double halves = 0;  ///< |ln| of the ratio of the medians of the first and the second half
};

/// Seconds, over the blocks that stand for their turns.
struct Losses {
  double lost = 0;    ///< what unclean samples lost to whoever ran instead
  double stolen = 0;  ///< by the hypervisor, as far as ticks tell
  double timed = 0;   ///< what all samples took by the wall clock, or the primary one without it
};

struct LaunchFigures {
  std::size_t samples = 0, clean = 0;          ///< of the blocks that stand for their turns
  bool few_clean = false;                      ///< less than `fewest_clean` of them: all are judged
  std::optional<Spread> spread;                ///< of the judged samples; nothing for fewer than three, or for 0 ns
  std::optional<Spread> reference;             ///< the largest of each figure among kernels with 30 readings
  std::optional<double> plain_cv;              ///< of every sample, attempts that were repeated included
  std::optional<double> mad_cv, max_over_p50;  ///< of the judged samples, none dropped
  std::optional<double> within_turn_cv;        ///< of the judged samples about their turn's mean, slowest 2 % dropped
  Losses losses;

  [[nodiscard]] std::size_t judged() const { return few_clean ? samples : clean; }
  /// Needs a sample.
  [[nodiscard]] double clean_fraction() const { return static_cast<double>(clean) / static_cast<double>(samples); }
};

/// `standing`: the blocks of `run` that stand for their turns, in order.
[[nodiscard]] LaunchFigures figures_of(const CaseRun& run, std::span<const Block* const> standing,
                                       const CaseInfo& info);

/// Whose CPU time made samples unclean.
enum class Culprit { nobody_else, others, unknown };

/// The machine is to blame when others' CPU time and steal, spread evenly over the case's time (older runs: over the
/// launch's life), come to half of what the samples lost.
[[nodiscard]] Culprit culprit_of(const Launch& launch, const CaseRun& run, const Losses& losses);

}  // namespace bindgate
