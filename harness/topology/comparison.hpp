#pragma once
// What became different between two descriptions: of one machine on two days, or of two machines that should be alike.
// Things are recognised by what they are called (node 1, device 0000:81:00.0), never by their place in a list.

#include <string>
#include <vector>

#include "topology/machine_document.hpp"

namespace bindgate {

struct MachineDifference {
  std::string what;       ///< "device 0000:81:00.0", "node 1", "allowed CPUs"
  std::string then, now;  ///< "" where there was, or is, no such thing
  std::string line;       ///< as a sentence
  bool operator==(const MachineDifference&) const = default;
};

struct MachineComparison {
  std::string then_fingerprint, now_fingerprint;
  std::vector<MachineDifference> fingerprint_fields;  ///< empty where the fingerprints are equal
  std::vector<MachineDifference> differences;
  std::vector<std::string> untold_then, untold_now;  ///< what only the other one tells, so that it was not compared
  [[nodiscard]] bool nothing_differs() const { return fingerprint_fields.empty() && differences.empty(); }
  bool operator==(const MachineComparison&) const = default;
};

/// What only one of the two tells is no difference; from which source each was read is none either.
[[nodiscard]] MachineComparison compare(const MachineDocument& then, const MachineDocument& now);

}  // namespace bindgate
