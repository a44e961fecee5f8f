#pragma once
// From what was found of each series to its verdict, and from all series to the run's verdict and exit status.
// What is found is decided elsewhere; here it is only weighed, as the policy says.

#include <string>
#include <vector>

#include "verdict/judgement.hpp"
#include "verdict/policy.hpp"

namespace bindgate {

/// What the policy may let pass although it is no answer.
enum class Doubt { none, disturbed, inconclusive, no_baseline };

struct Finding {
  Verdict verdict;
  std::string reason;
  Doubt doubt = Doubt::none;
};

/// A judgement in the making. Findings are added in order of precedence, so the first is the verdict.
class Draft {
 public:
  Judgement judgement;  ///< all but verdict and reasons

  void add(Verdict verdict, std::string reason, Doubt doubt = Doubt::none) {
    findings_.push_back({verdict, std::move(reason), doubt});
  }
  [[nodiscard]] bool empty() const { return findings_.empty(); }

  /// Needs one finding.
  [[nodiscard]] Judgement finish() const;
  /// The exit status that this series alone would have: 0, 1, 3 or 4. Needs one finding.
  [[nodiscard]] int exit(const Policy& policy) const;

 private:
  std::vector<Finding> findings_;
};

/// The judgements worst first, and the run's verdict and exit: the worst of those that gate (1, 3, 4, 0; within one
/// exit by the order of Verdict). A run in which nothing gates is `inconclusive`, exit 4, and a note says so.
[[nodiscard]] GateResult conclude(const std::vector<Draft>& drafts, const Policy& policy);

}  // namespace bindgate
