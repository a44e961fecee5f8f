#pragma once
// What verdicts are made from: a run whose samples were digested case by case as they were read, so that no more
// of them were ever held than one ensemble's. Nothing is judged here, and no file is known.

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/index_set.hpp"
#include "samples/run.hpp"
#include "verdict/case_digest.hpp"

namespace bindgate {

/// Digests by launch and case.
class Digests {
 public:
  /// `first_calls`: whether to find out what they cost, which takes long and only a ranking tells.
  explicit Digests(bool first_calls) : first_calls_(first_calls) {}

  /// Digests a case that will get no more blocks, then empties what no verdict asks for: its blocks and warm-up and
  /// the launch's list of loaded files. A case that `plan` does not hold for the launch's program has no digest.
  void take(const Plan& plan, Launch& launch, CaseRun& measured);

  /// Null where none was taken.
  [[nodiscard]] const CaseDigest* find(unsigned launch, std::string_view case_name) const;

 private:
  void learn(const Plan& plan);

  bool first_calls_;
  using ByName = std::map<std::string, CaseDigest, std::less<>>;
  std::unordered_map<unsigned, ByName> by_launch_;
  std::map<std::pair<std::string, std::string>, CaseInfo> planned_;  // by program and case
};

/// By CPU the nodes whose memory is nearest to it; a CPU of which that is not known is absent.
using NearestMemory = std::map<unsigned, IndexSet>;

struct Evidence {
  Run run;  ///< without samples
  Digests digests;
  NearestMemory nearest_memory = {};  ///< by the run's machine; empty: not known
};

/// Of a run that holds its samples.
[[nodiscard]] Evidence evidence_of(Run run);

/// One case of one launch of a series; none of the pointers may be null.
struct SeriesLaunch {
  const Launch* launch = nullptr;
  const CaseRun* run = nullptr;
  const CaseDigest* digest = nullptr;
};

/// A launch that counts: one that measured, in a complete round. It lives in the evidence.
struct CountedLaunch {
  const Launch* launch = nullptr;  ///< never null
  std::unordered_map<std::string_view, SeriesLaunch> cases;  ///< by name, those that were planned
};

/// In the run's order.
[[nodiscard]] std::vector<CountedLaunch> counted_launches(const Evidence& evidence, std::string_view program);

}  // namespace bindgate
