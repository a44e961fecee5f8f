#pragma once
// What `bindgate verify` found out of a running process, on one screen and as JSON.

#include <optional>
#include <string>
#include <vector>

#include "binding/verification.hpp"
#include "report/table.hpp"

namespace bindgate {

struct VerifyReport {
  ProcessFacts facts;
  std::string variant;                 ///< "" for the facts alone
  std::optional<Placement> placement;  ///< what it was held against
  std::optional<Verification> verification;
  std::optional<std::vector<std::string>> planned;   ///< what a repair would do, where one was asked for
  std::optional<std::vector<std::string>> repaired;  ///< what it did; `facts` and `verification` are from afterwards
};

[[nodiscard]] std::string verify_text(const VerifyReport& report, const Style& style);
/// Schema "bindgate.verify/1"; ends in a line feed. `exit`: what the command returns.
[[nodiscard]] std::string verify_json(const VerifyReport& report, int exit);

}  // namespace bindgate
