#pragma once
// Tonight against the nights before. Launches of one night share the machine's hour, so a night counts as one
// and brings an error of its own that no number of launches shrinks. Nothing is known here of cases or files.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "samples/night.hpp"
#include "verdict/judgement.hpp"
#include "verdict/policy.hpp"

namespace bindgate {

/// One night of one series by its rounds. Base and twin are alive in the same seconds, so together they are one
/// value of their round, not two.
struct NightMean {
  double log_ns = 0;    ///< mean over rounds of the natural logarithm of a launch's median
  double variance = 0;  ///< of those logarithms between rounds (n - 1); 0 for one round
  unsigned rounds = 0;  ///< at least 1
  bool operator==(const NightMean&) const = default;
};

/// `launches` of one night and variant, in any order; at least one.
[[nodiscard]] NightMean mean_of(std::span<const NightLaunch> launches);

/// A candidate night against K stored ones, with all that its error is made of. Variances are of logarithms.
struct NightComparison {
  double log_ratio = 0;                  ///< candidate's mean - mean of the nights' means
  unsigned nights = 0;                   ///< K, at least 1
  double candidate_variance = 0;         ///< of the candidate's mean, by its launches
  double stored_variance = 0;            ///< of one stored night's mean, by its launches, on average
  double launch_degrees = 0;             ///< degrees of freedom of both, above 0
  std::optional<double> night_variance;  ///< between the stored nights' means; nothing for one night
  bool operator==(const NightComparison&) const = default;
};

/// Nothing when no night has two rounds: how far launches differ is then unknown. Each side's launches count by
/// their own variance or by that of all nights together, whichever is larger. Needs one night.
[[nodiscard]] std::optional<NightComparison> compare_nights(const NightMean& candidate,
                                                            std::span<const NightMean> nights);

/// The error of `log_ratio` if there were `nights` nights like those stored.
struct NightError {
  double standard = 0;  ///< above 0
  double degrees = 0;   ///< of freedom
};

/// Between-night variance: a prior of 10 % squared worth 20 degrees of freedom, together with the series' own K - 1;
/// the error's square is both launch parts + this x (1 + 1/K). Degrees of freedom: Satterthwaite 1946, at most 19 + K.
[[nodiscard]] NightError error_of(const NightComparison& comparison, unsigned nights);

struct NightTrial {
  NightComparison comparison;
  Limits limits;
};

struct RegressionJudgement {
  Verdict verdict = Verdict::inconclusive;  ///< regressed, improved, pass or inconclusive
  Ratio ratio;
  double smallest_seen = 0;      ///< the share by which a series must change to be caught in 95 of 100 nights
  std::optional<double> target;  ///< what a pass rules out; nothing when `auto` came out above 100 %
  bool operator==(const RegressionJudgement&) const = default;
};

/// Judges one family: Holm at 1 % over all trials for regressed, and again at 1 % for improved. Upper bounds are
/// at 95 % for each series, but that of an improved one, which stands at its Holm level. Same order as `trials`.
[[nodiscard]] std::vector<RegressionJudgement> judge_nights(std::span<const NightTrial> trials);

/// Why an inconclusive one of a family of `family` trials is that, and how many more nights would change it.
[[nodiscard]] std::string why_undecided(const NightTrial& trial, const RegressionJudgement& judgement,
                                        std::size_t family);

}  // namespace bindgate
