#pragma once
// What the first calls of a case cost in a fresh process, and when they have paid off against the case that does the
// same work the plain way. Each launch is a fresh process, so a launch is one observation of it.

#include <optional>
#include <span>
#include <string>

#include "verdict/evidence.hpp"
#include "verdict/first_calls.hpp"
#include "verdict/judgement.hpp"

namespace bindgate {

/// What the first calls are a share of.
inline constexpr unsigned warm_up_iterations = 1000;

/// One launch at a case and at the one that it stands against.
struct WarmUpLaunch {
  struct Part {
    std::optional<FirstCalls> first_calls;
    std::optional<double> seconds;  ///< per iteration in its turns, by the wall clock
  };
  unsigned round = 0;
  Part own;
  std::optional<Part> other;
};

/// Medians over launches, if at least half of them settled. The break-even is of rounds, which count once each: mean
/// and Student's t for the dearer first calls and for the time saved per iteration, both intervals at 97.5 %, so that
/// what follows from both holds at 95 %. Needs two rounds with launches in which both cases settled.
[[nodiscard]] WarmUp judge_warm_up(std::span<const WarmUpLaunch> launches, const std::string& against);

/// Fills in `warm_up` and `figures` of every variant (of the base, with its twin), from the program's launches that
/// count. The case that `info` stands against must have the same primary clock.
void add_first_calls(CaseRanking& ranking, std::span<const CountedLaunch> counted, const CaseInfo& info);

}  // namespace bindgate
