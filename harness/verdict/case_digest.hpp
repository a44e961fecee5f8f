#pragma once
// What the samples of one case in one launch come to, as far as any verdict asks: a few hundred bytes in place of
// every sample, so that a night of any size can be judged. What only the launch's end tells is not in here.

#include <array>
#include <optional>

#include "samples/case_info.hpp"
#include "samples/launch.hpp"
#include "verdict/first_calls.hpp"
#include "verdict/launch_figures.hpp"
#include "verdict/turns.hpp"

namespace bindgate {

/// Of all samples of the standing blocks that nothing disturbed, by the case's primary clock.
struct UndisturbedTimes {
  double median_ns = 0;  ///< per iteration, above 0
  double spread = 0;     ///< MAD-based coefficient of variation, a share
  std::array<std::optional<double>, std::size(reference_kernels)> references_ns;  ///< medians above 0, by kernel
};

struct CaseDigest {
  bool undisturbed = false;  ///< there is a block that nothing disturbed
  bool timed = false;        ///< one of those has times by the primary clock
  bool mostly_disturbed = false;          ///< less than half of the turns are undisturbed: no fair sample of the launch
  std::optional<UndisturbedTimes> times;  ///< nothing where there are none, or their median is 0 ns
  TurnTimes turns;
  LaunchFigures figures;
  std::optional<double> mpki;             ///< cache misses per 1,000 instructions, as `misses_per_1000_instructions`
  bool warmed_up = false;                 ///< a warm-up was recorded, and looked at
  std::optional<FirstCalls> first_calls;  ///< nothing where it did not settle
};

/// Needs all blocks of the case.
[[nodiscard]] CaseDigest digest_of(const CaseRun& run, const CaseInfo& info);

}  // namespace bindgate
