#pragma once
// Policy, stored nights and one run to judgements. No I/O and no clock: the same input always gives the
// same verdict, on whatever machine it is judged.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "samples/night.hpp"
#include "samples/run.hpp"
#include "verdict/judgement.hpp"
#include "verdict/policy.hpp"

namespace bindgate {

/// The run's complete rounds as a night would keep them: per case, variant and launch the median by the
/// primary clock (of undisturbed first attempts and repetitions), its spread and the reference readings.
/// Cases without a usable launch are absent; failed, violated and unverifiable launches are left out.
/// Numbers carry six significant digits, the precision of a baseline file. The gate judges exactly these.
[[nodiscard]] std::vector<CaseHistory> summarise(const Run& run);

/// `policy.no_baseline` and all else decide the exit; the candidate is `run`, the base `baseline`.
[[nodiscard]] GateResult gate(const Run& run, const Baseline& baseline, const Policy& policy);

/// Which variant is fastest for each case, from the turns within the run's complete rounds.
/// `confidence`: simultaneous over all pairs of one case.
[[nodiscard]] std::vector<CaseRanking> rank(const Run& run, double confidence = 0.95);

}  // namespace bindgate
