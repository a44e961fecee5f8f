#pragma once
// Judgements and rankings as text for a terminal or a CI log: worst first, within the style's width, nothing
// cut off. Everything shown was decided elsewhere.

#include <string>
#include <vector>

#include "report/table.hpp"
#include "samples/run.hpp"
#include "verdict/judgement.hpp"
#include "verdict/policy.hpp"
#include "verdict/proofs.hpp"

namespace bindgate {

/// The gate's answer: every series with its reasons, the variance table, what the verdict means, what to do
/// next, and what else changed. `policy` is the one that decided; its limits are shown beside the figures.
[[nodiscard]] std::string gate_table(const GateResult& result, const Run& run, const Policy& policy,
                                     const Style& style);

/// Which variant is fastest for each case, by how much and how sure, and what was proven of each.
[[nodiscard]] std::string show_table(const std::vector<CaseRanking>& rankings, const std::vector<VariantProofs>& proofs,
                                     const Run& run, const Style& style);

}  // namespace bindgate
