#pragma once
// The two lists of series that a gate has, what was stored and what was run, held against each other. A series
// that silently disappears would pass for ever; here it gets its reason.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "samples/night.hpp"
#include "samples/run.hpp"
#include "verdict/regression.hpp"

namespace bindgate {

using SeriesName = std::pair<std::string, std::string>;  ///< case, variant

/// The nights of one series that count.
struct StoredSeries {
  const CaseHistory* history = nullptr;  ///< never null; lives in the baseline
  std::vector<NightMean> nights;         ///< in order of acceptance, at least one
  std::vector<double> mpki;              ///< cache misses per 1,000 instructions of their launches that counted them
};

/// What counts of a baseline: the nights of each case's highest level, without the night that is the run itself
/// and without times under another placement than the run gives the variant.
struct StoredNights {
  std::map<SeriesName, StoredSeries> series;
  std::map<SeriesName, std::string> elsewhere;  ///< where the last night left out for its placement was
  const Night* newest = nullptr;    ///< by acceptance, of all cases; null without any
  unsigned level = 0;               ///< the highest of all cases
  bool holds_the_run = false;       ///< the run was accepted before; its own night was left out
  std::vector<std::string> forced;  ///< runs whose nights were accepted by force
};
[[nodiscard]] StoredNights stored_nights(const Baseline& baseline, const Run& run);

/// Why the run holds no measurement of a stored series.
struct Absence {
  bool selected = true;  ///< false: the user's selection leaves it out, which is no fault
  std::string why;       ///< one line, with the cure
};
[[nodiscard]] Absence why_absent(const Run& run, const SeriesName& name);

}  // namespace bindgate
