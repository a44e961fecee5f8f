#pragma once
// The gate's answer as Markdown for a CI job's summary: the headline first, details folded away.

#include <string>

#include "samples/run.hpp"
#include "verdict/judgement.hpp"
#include "verdict/policy.hpp"

namespace bindgate {

/// GitHub's dialect, tables included. What stands in names and reasons is escaped.
[[nodiscard]] std::string gate_markdown(const GateResult& result, const Run& run, const Policy& policy);

}  // namespace bindgate
