#pragma once
// The proof beside the numbers of `bindgate show`: of each variant how many held, and what the weakest rests on. All of
// it was read and judged while the run was measured; the whole of it stands in the run's journal.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/table.hpp"
#include "verdict/proofs.hpp"

namespace bindgate {

/// A table with its heading and how to read it; "" for no proofs.
[[nodiscard]] std::string proofs_text(const std::vector<VariantProofs>& proofs, const Style& style);

/// What stands under "proofs": one object for each variant.
[[nodiscard]] nlohmann::ordered_json proofs_json(const std::vector<VariantProofs>& proofs);

}  // namespace bindgate
