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

/// What is stored for this run's machine; when nothing matches, what the nearest machine is and how it differs.
struct Stored {
  std::vector<CaseHistory> cases;       ///< of the machine with the run's fingerprint; may be empty
  std::string nearest;                  ///< fingerprint id of the nearest other machine, or ""
  std::vector<std::string> differences; ///< "memory: 32 GiB here, 64 GiB there"
};

[[nodiscard]] GateResult gate(const Run& run, const Stored& stored, const Policy& policy);

/// Which variant is fastest for each case, from the turns within the run's complete rounds.
/// `confidence`: simultaneous over all pairs of one case.
[[nodiscard]] std::vector<CaseRanking> rank(const Run& run, double confidence = 0.95);

}  // namespace bindgate
