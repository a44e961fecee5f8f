#pragma once
// Does this code's time vary, or does the machine's? A launch's samples are held against thresholds, and what
// exceeds them against frozen code timed in the same turns. It judges a series alone; the gate weighs it.

#include <span>
#include <string>

#include "verdict/evidence.hpp"
#include "verdict/judgement.hpp"
#include "verdict/policy.hpp"

namespace bindgate {

struct VarianceJudgement {
  enum class Finding {
    quiet,
    unstable,    ///< the code varies, beyond what the machine explains
    disturbed,   ///< something varies, and the machine may be what does
    not_judged,  ///< too little to judge by, or switched off
  };
  Variance figures;
  Finding finding = Finding::not_judged;
  std::string reason;  ///< one line; "" when quiet or switched off
  bool operator==(const VarianceJudgement&) const = default;
};

/// `launches` are those of one case and variant that count (none failed, none abandoned), in any order. `twin` is
/// the judgement of the twin's launches, for a base; null for every other series and where there is no twin.
/// A launch fires if the coefficient of variation of its clean samples (the slowest 2 % dropped), their p95 / p50 or
/// the larger over the smaller median of its halves exceeds the policy's threshold. Where less than `fewest_clean` of
/// its samples are clean, the figures are those of all samples. Seven in ten launches that fire make a finding;
/// README.md tells how the machine is ruled out.
[[nodiscard]] VarianceJudgement judge_variance(std::span<const SeriesLaunch> launches, const VariancePolicy& policy,
                                               const VarianceJudgement* twin);

}  // namespace bindgate
