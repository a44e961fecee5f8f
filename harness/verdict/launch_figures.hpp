#pragma once
// One launch's samples of one case to the figures that the variance gate weighs. Nothing is judged here: no
// threshold, and no other launch.

#include <cstddef>
#include <optional>

#include "verdict/variance.hpp"

namespace bindgate {

/// How samples of one launch vary, the slowest 2 % (at least one) dropped; shares, 0 where nothing varies.
struct Spread {
  double cv = 0;      ///< standard deviation / mean
  double tail = 0;    ///< p95 / p50 - 1
  double halves = 0;  ///< |ln| of the ratio of the medians of the first and the second half
};

enum class Culprit { nobody_else, others, unknown };

struct LaunchFigures {
  std::size_t samples = 0, clean = 0;          ///< of the blocks that stand for their turns
  bool few_clean = false;                      ///< less than `fewest_clean` of them: all are judged
  std::optional<Spread> spread;                ///< of the judged samples; nothing for fewer than three, or for 0 ns
  std::optional<Spread> reference;             ///< the largest of each figure among kernels with 30 readings
  std::optional<double> plain_cv;              ///< of every sample, attempts that were repeated included
  std::optional<double> mad_cv, max_over_p50;  ///< of the judged samples, none dropped
  std::optional<double> within_turn_cv;        ///< of the judged samples about their turn's mean, slowest 2 % dropped
  Culprit unclean_by = Culprit::unknown;       ///< whose CPU time made samples unclean

  [[nodiscard]] std::size_t judged() const { return few_clean ? samples : clean; }
  /// Needs a sample.
  [[nodiscard]] double clean_fraction() const { return static_cast<double>(clean) / static_cast<double>(samples); }
};

[[nodiscard]] LaunchFigures figures_of(const SeriesLaunch& series);

}  // namespace bindgate
