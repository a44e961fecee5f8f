#pragma once
// Policy, stored nights and one run to judgements. No I/O and no clock: the same input always gives the
// same verdict, on whatever machine it is judged.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "samples/night.hpp"
#include "verdict/evidence.hpp"
#include "verdict/judgement.hpp"
#include "verdict/policy.hpp"

namespace bindgate {

/// Judges every series of the run, and every stored one that it lacks, against the nights of `baseline`. The verdict of
/// a series is the first line of the design's table that applies; README.md lists them with the rule of each.
/// The run's own verdict and exit are those of the worst series among those that `policy` lets decide.
[[nodiscard]] GateResult gate(const Evidence& evidence, const Baseline& baseline, const Policy& policy);

/// Which variant is fastest for each case, from the turns within the run's complete rounds.
/// `confidence`: simultaneous over all pairs of one case.
[[nodiscard]] std::vector<CaseRanking> rank(const Evidence& evidence, double confidence = 0.95);

}  // namespace bindgate
