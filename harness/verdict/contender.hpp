#pragma once
// What a variant brings into the ranking of one case: its launches without trouble, their times round by round, and
// the gravest reason why it may not compete. Who is faster is decided elsewhere.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "verdict/evidence.hpp"
#include "verdict/judgement.hpp"
#include "verdict/turns.hpp"

namespace bindgate {

inline constexpr std::size_t fewest_rounds = 2;  ///< for an interval

/// Times of one case by round.
using Rounds = std::map<unsigned, TurnTimes>;

/// What keeps a launch out of a ranking, the gravest last.
enum class Trouble { none, not_run, unverifiable, violated, failed };

struct Contender {
  Trouble trouble = Trouble::none;
  std::string problem;
  std::vector<SeriesLaunch> launches;  ///< those without trouble
  Rounds rounds;

  /// Keeps the graver trouble.
  void troubled(Trouble found, std::string why);
  /// One more of its launches, with or without this case.
  void take_in(const CountedLaunch& counted, const CaseInfo& info);
};

/// Of each round that both have, the natural logarithm of a / b.
[[nodiscard]] std::vector<double> log_ratios(const Rounds& a, const Rounds& b);

/// Student's t over log ratios of rounds, `level` confident on each side; nothing for fewer than fewest_rounds.
[[nodiscard]] std::optional<Ratio> ratio_of(const std::vector<double>& rounds, double level);

}  // namespace bindgate
