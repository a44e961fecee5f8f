#pragma once
// What the proofs of a run come to, variant by variant: how many held, and the one that speaks least for its variant,
// with all that it rests on. Each was judged where the process was looked at (binding); here they are only counted.

#include <span>
#include <string>
#include <vector>

#include "verdict/evidence.hpp"

namespace bindgate {

/// The proof of one case of one launch.
struct ProvenCase {
  unsigned launch = 0, round = 0;
  std::string case_name;
  Placement placement;  ///< of that launch: others of its variant may have had another in turn
  Proof proof;
  bool operator==(const ProvenCase&) const = default;
};

struct VariantProofs {
  std::string variant;
  unsigned held = 0, violated = 0, unverifiable = 0;  ///< of each case of each launch one
  /// Violated before unverifiable before held; of those alike the one with the largest share of its pages on nodes that
  /// its policy does not name (where it names any), then the one with most pages.
  ProvenCase weakest;
  [[nodiscard]] unsigned count() const { return held + violated + unverifiable; }
  bool operator==(const VariantProofs&) const = default;
};

/// In the plan's order, of the launches that count, the base's with its twin's; variants without any are left out. A
/// case that was measured without a proof is unverifiable, one that was not needs none.
[[nodiscard]] std::vector<VariantProofs> proofs_of(const Evidence& evidence);

/// "3 of 96 proofs did not hold (numactl: 2 violated, remote: 1 unverifiable): bindgate show RUN ..."; "" where all
/// did.
[[nodiscard]] std::string say_unproven(std::span<const VariantProofs> proofs);

}  // namespace bindgate
