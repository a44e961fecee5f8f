#pragma once
// The A/A control. Nothing tells base and twin apart, so where they differ it was the machine, or the harness;
// what stands beside them is then not to be believed either.

#include <span>
#include <string>
#include <vector>

#include "samples/night.hpp"

namespace bindgate {

/// One case's launches of the base variant, the twin's among them.
struct TwinTrial {
  std::span<const NightLaunch> launches;
  double tolerance = 0;  ///< a difference up to this is none
};

/// For each trial why it fires, or "". By the medians that a night keeps, since those are what the gate compares: the
/// log ratio twin / base of a round, Student's t over the rounds that have both, two-sided, 1 % for all trials
/// together (Bonferroni). Fewer than two such rounds never fire.
[[nodiscard]] std::vector<std::string> why_twins_fire(std::span<const TwinTrial> trials);

}  // namespace bindgate
