#pragma once
// A run's launches sorted into series, one for each case and variant, with what counts kept apart from what went
// wrong. Every judgement starts here, so that all of them mean the same launches; nothing is judged yet.

#include <string>
#include <vector>

#include "verdict/evidence.hpp"

namespace bindgate {

struct Series {
  const CaseInfo* info = nullptr;  ///< never null; lives in the evidence
  std::string program, variant;
  std::vector<std::string> same_as;    ///< other variants with this placement
  bool rotates = false;                ///< its placements take turns from round to round
  std::vector<SeriesLaunch> launches;  ///< that count, but for the twin's; proven as far as there is a claim
  std::vector<SeriesLaunch> twins;     ///< of the base variant only
  std::string failure;   ///< crashed, hung, wrong or violated in any launch: the first, and in how many; or ""
  std::string unproven;  ///< the same for launches whose binding could not be verified
  std::string not_run;   ///< why the program would not run it; or ""
};

/// One for each planned case and variant with a placement of its own, in the plan's order. Only launches that
/// measured count, and only those of complete rounds.
[[nodiscard]] std::vector<Series> series_of(const Evidence& evidence);

}  // namespace bindgate
