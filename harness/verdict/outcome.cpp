#include "verdict/outcome.hpp"

#include <algorithm>
#include <tuple>

namespace bindgate {
namespace {

bool forgiven(Doubt doubt, const Policy& policy) {
  switch (doubt) {
    case Doubt::none: return false;
    case Doubt::disturbed: return policy.disturbed == Policy::OnDoubt::warn;
    case Doubt::inconclusive: return policy.inconclusive == Policy::OnDoubt::warn;
    case Doubt::no_baseline: return policy.no_baseline != Policy::OnNoBaseline::fail;
  }
  return false;
}

int exit_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::regressed: return 1;
    case Verdict::unstable: return 3;
    case Verdict::improved:
    case Verdict::pass:
    case Verdict::not_selected: return 0;
    default: return 4;
  }
}

/// 1 before 3 before 4 before 0.
int rank_of(int exit) { return exit == 0 ? 5 : exit; }

}  // namespace

Judgement Draft::finish() const {
  Judgement finished = judgement;
  finished.verdict = findings_.front().verdict;
  for (const Finding& finding : findings_)
    if (!finding.reason.empty()) finished.reasons.push_back(finding.reason);
  return finished;
}

int Draft::exit(const Policy& policy) const {
  const Verdict verdict = findings_.front().verdict;
  const bool all_forgiven = std::all_of(findings_.begin(), findings_.end(), [&](const Finding& finding) {
    return finding.verdict != verdict || forgiven(finding.doubt, policy);
  });
  return all_forgiven ? 0 : exit_of(verdict);
}

GateResult conclude(const std::vector<Draft>& drafts, const Policy& policy) {
  struct Judged {
    Judgement judgement;
    int exit;
  };
  std::vector<Judged> judged;
  for (const Draft& draft : drafts) judged.push_back({draft.finish(), draft.exit(policy)});
  const auto place = [](const Judged& one) {
    const Judgement& own = one.judgement;
    return std::tuple(rank_of(exit_of(own.verdict)), rank_of(one.exit), !own.gating, own.verdict,
                      own.ratio ? -own.ratio->estimate : 0.0, own.case_name, own.variant);
  };
  std::sort(judged.begin(), judged.end(), [&](const Judged& a, const Judged& b) { return place(a) < place(b); });

  GateResult result;
  const Judged* worst = nullptr;
  for (const Judged& one : judged) {
    result.cases.push_back(one.judgement);
    if (!one.judgement.gating || one.judgement.verdict == Verdict::not_selected) continue;
    const auto weight = [](const Judged& other) { return std::tuple(rank_of(other.exit), other.judgement.verdict); };
    if (!worst || weight(one) < weight(*worst)) worst = &one;
  }
  if (worst) {
    result.verdict = worst->judgement.verdict;
    result.exit = worst->exit;
  } else {
    result.notes.push_back("nothing was judged that may decide: the run holds no series that the policy's gating names");
  }
  return result;
}

}  // namespace bindgate
