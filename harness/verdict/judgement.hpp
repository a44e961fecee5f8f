#pragma once
// What is said of a series, and of a run. Everything that a report prints stands here as raw values:
// rounding is the report's, deciding was the verdict's.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "samples/block.hpp"
#include "samples/run.hpp"
#include "verdict/warnings.hpp"

namespace bindgate {

/// In order of precedence for one series, but for `not_selected`, which has no effect.
enum class Verdict { failed, incomparable, missing, regressed, unstable, inconclusive, improved, pass, not_selected };

/// candidate / base, as a factor of time: 1.05 is five per cent slower.
struct Ratio {
  double estimate = 1;
  double low = 1, low_level = 0.99;    ///< lower bound and its one-sided confidence, corrections included
  double high = 1, high_level = 0.95;  ///< upper bound and its one-sided confidence
  bool operator==(const Ratio&) const = default;
};

/// The variance gate's view of one series: medians over its launches of each figure (shares, not per cent). All but
/// `plain_cv`, which is of everything measured, are of a launch's judged samples: the clean ones, or all that stand
/// for their turns where the clean ones are less than `fewest_clean` of them.
struct Variance {
  std::optional<double> clean_cv, plain_cv, mad_cv, within_turn_cv;
  std::optional<double> p95_over_p50, max_over_p50;
  std::optional<double> halves;              ///< |ln| of the ratio of the medians of the launch's halves
  std::optional<double> clean_fraction;      ///< clean samples / those that stand for their turns
  std::optional<double> reference_cv;        ///< R: the largest CV among the reference kernels
  unsigned launches = 0;                     ///< judged ones
  unsigned fired = 0;                        ///< k
  unsigned beyond_machine = 0;               ///< launches that fired and exceeded twice the reference kernels
  bool judged = false;                       ///< false: too few launches or samples, or switched off
  bool operator==(const Variance&) const = default;
};

struct Judgement {
  std::string case_name;
  std::string variant;
  Verdict verdict = Verdict::inconclusive;
  std::vector<std::string> reasons;  ///< one line each, with the cure where there is one
  bool gating = true;                ///< whether the policy lets it decide the exit status
  unsigned n = 0;                    ///< units measured on the candidate's side
  std::string n_unit;                ///< "launch", "round", "night"
  unsigned base_n = 0;               ///< units on the base's side, in `base_unit`
  std::string base_unit;
  std::optional<double> seconds;     ///< per iteration, geometric mean of launch medians
  std::optional<double> target;      ///< smallest change, a share, that a pass rules out; nothing: none can be
  std::optional<Ratio> ratio;
  std::optional<Variance> variance;
  std::vector<std::string> same_as;  ///< other variants with this placement, for which it stands
  Warnings warnings = {};
  bool operator==(const Judgement&) const = default;
};

/// What `gate` says of a whole run.
struct GateResult {
  Verdict verdict = Verdict::inconclusive;  ///< the worst of those that decide
  int exit = 4;                             ///< 0 good, 1 regressed, 3 unstable, 4 no trustworthy answer
  std::vector<Judgement> cases;             ///< worst first
  std::string unfinished;  ///< the rounds that the run still owes, which are `missing`; "" for a finished run
  std::vector<std::string> environment_changes;  ///< "kernel: 6.1 here, 5.10 there"
  std::vector<std::string> notes;                ///< what concerns the whole run
  bool operator==(const GateResult&) const = default;
};

/// After how many iterations a case has made up for first calls that are dearer than those of the plain way.
struct BreakEven {
  unsigned n = 0;                    ///< rounds
  bool never = false;                ///< even the upper bound of what it saves per iteration is nothing
  std::optional<double> iterations;  ///< nothing: it is no faster, as far as can be seen
  std::optional<double> low, high;   ///< 95 %; without `high` it may be never
  bool operator==(const BreakEven&) const = default;
};

/// The first calls of a case in a fresh process, over the launches of one variant.
struct WarmUp {
  unsigned launches = 0;  ///< with a recorded warm-up
  unsigned settled = 0;   ///< those whose warm-up reached a steady state
  std::optional<double> steady_from;          ///< iterations before it; nothing: not settled
  std::optional<double> first_calls_seconds;  ///< what those took beyond steady ones; below 0: they were faster
  std::optional<double> share;                ///< of `warm_up_iterations` steady iterations
  std::string against;                        ///< the case that does the same work the plain way; or ""
  std::optional<BreakEven> break_even;        ///< nothing: against no case, or not settled in two rounds
  bool operator==(const WarmUp&) const = default;
};

/// One variant's place in a case, as `show` says it.
struct RankedVariant {
  std::string variant;
  std::vector<std::string> same_as;
  unsigned n = 0;                  ///< rounds with a usable estimate
  std::optional<double> seconds;   ///< per iteration
  std::optional<Ratio> ratio;      ///< to the base variant; nothing for the base itself or with too few rounds
  std::optional<Variance> variance;
  std::string problem;             ///< failed, violated, unverifiable, not run: why; or ""
  std::optional<WarmUp> warm_up = {};          ///< nothing where none was recorded
  std::map<std::string, double> figures = {};  ///< what the case found out beside its times, medians over launches
  Warnings warnings = {};                      ///< of remote pages only: a ranking has no baseline
  bool operator==(const RankedVariant&) const = default;
};

/// Ranks that worked at once, each a variant of its own.
struct CoRunning {
  std::string group;
  std::vector<std::string> ranks;   ///< their variants
  unsigned n = 0;                   ///< rounds with a usable estimate
  std::optional<Ratio> throughput;  ///< of all together over that of one base launch by itself: above 1 is more
  std::optional<Ratio> slowest;     ///< time of the slowest over the base's: above 1 is slower
  std::string problem;              ///< why there is none; or ""
  bool operator==(const CoRunning&) const = default;
};

/// One case under every pair of CPUs of a node and memory of a node, as far as such variants were measured.
struct NodeMatrix {
  struct Cell {
    std::optional<double> seconds;   ///< per iteration
    std::optional<Ratio> to_local;   ///< to the same CPUs with their own memory; nothing there itself
    std::string problem;             ///< why there is no time; or ""
    bool operator==(const Cell&) const = default;
  };
  std::vector<unsigned> cpu_nodes, memory_nodes;  ///< rising
  std::vector<std::vector<Cell>> cells;           ///< by position in cpu_nodes, then in memory_nodes
  bool operator==(const NodeMatrix&) const = default;
};

struct CaseRanking {
  std::string case_name;
  std::string best;  ///< the variant that beats every other; "" when none does
  std::string sentence;  ///< "one-per-core is fastest, by 3.1 to 4.0 %" | "tie: ..." | "only one placement here"
  std::vector<RankedVariant> variants;  ///< fastest first, those with problems last
  std::optional<Ratio> twin;            ///< the A/A control
  std::vector<CoRunning> groups = {};
  std::optional<NodeMatrix> matrix = {};
  bool operator==(const CaseRanking&) const = default;
};

[[nodiscard]] std::string_view name_of(Verdict verdict);  ///< "pass", "not selected", ...

}  // namespace bindgate
