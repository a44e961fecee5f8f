#include <algorithm>
#include <cmath>
#include <numeric>

#include "statistics/student.hpp"
#include "statistics/summary.hpp"
#include "verdict/gate.hpp"
#include "verdict/ranking_words.hpp"
#include "verdict/turns.hpp"
#include "verdict/variance.hpp"
#include "verdict/warm_up.hpp"

namespace bindgate {
namespace {

constexpr std::size_t fewest_rounds = 2;

/// What keeps a launch out of a ranking, the gravest last.
enum class Trouble { none, not_run, unverifiable, violated, failed };

/// The launches of one variant, or of the twin, at one case.
struct Series {
  Trouble trouble = Trouble::none;
  std::string problem;
  std::vector<SeriesLaunch> launches;   ///< those without trouble
  std::map<unsigned, TurnTimes> rounds;

  void troubled(Trouble found, std::string why) {
    if (found <= trouble) return;
    trouble = found;
    problem = std::move(why);
  }
};

void take_in(Series& series, const CountedLaunch& counted, const CaseInfo& info) {
  const Launch& launch = *counted.launch;
  const auto found = counted.cases.find(info.name);
  const CaseRun* run = found == counted.cases.end() ? nullptr : found->second.run;
  if (!run || run->outcome == CaseOutcome::unfinished) {
    const bool failed = !launch.failure.empty();
    return series.troubled(failed ? Trouble::failed : Trouble::not_run,
                           failed ? "failed: " + launch.failure : "not run: its launch ended before it");
  }
  if (run->outcome == CaseOutcome::failed) return series.troubled(Trouble::failed, "failed: " + run->reason);
  if (run->outcome == CaseOutcome::not_run) return series.troubled(Trouble::not_run, "not run: " + run->reason);
  if (!run->proof) return series.troubled(Trouble::unverifiable, "unverifiable: the journal holds no proof");
  if (run->proof->status == ProofStatus::unverifiable)
    return series.troubled(Trouble::unverifiable, "unverifiable: " + run->proof->detail);
  if (run->proof->status == ProofStatus::violated)
    return series.troubled(Trouble::violated, "binding violated: " + run->proof->detail);
  series.launches.push_back(found->second);
  if (const TurnTimes& times = found->second.digest->turns; !times.empty()) series.rounds[launch.round] = times;
}

std::vector<double> log_ratios(const std::map<unsigned, TurnTimes>& a, const std::map<unsigned, TurnTimes>& b) {
  std::vector<double> ratios;
  for (const auto& [round, times] : a)
    if (const auto other = b.find(round); other != b.end())
      if (const auto ratio = log_ratio(times, other->second)) ratios.push_back(*ratio);
  return ratios;
}

/// Student's t over rounds, `level` confident on each side; nothing for fewer than two.
std::optional<Ratio> ratio_of(const std::vector<double>& rounds, double level) {
  if (rounds.size() < fewest_rounds) return std::nullopt;
  const double n = static_cast<double>(rounds.size()), middle = mean(rounds);
  const double reach = student_quantile(level, n - 1) * standard_deviation(rounds) / std::sqrt(n);
  // Two rounds and many pairs can reach so far that exp would no longer give a number.
  const auto factor = [](double logarithm) { return std::exp(std::clamp(logarithm, -100.0, 100.0)); };
  return Ratio{.estimate = factor(middle), .low = factor(middle - reach), .low_level = level,
               .high = factor(middle + reach), .high_level = level};
}

std::optional<double> seconds_of(std::initializer_list<const Series*> parts) {
  std::vector<double> medians;
  for (const Series* part : parts)
    for (const SeriesLaunch& launch : part->launches)
      if (const auto& times = launch.digest->times) medians.push_back(times->median_ns * 1e-9);
  if (medians.empty()) return std::nullopt;
  return geometric_mean(medians);
}

/// One case of one program.
class Contest {
 public:
  Contest(const Plan& plan, const std::vector<CountedLaunch>& launches, const CaseInfo& info, double confidence);
  [[nodiscard]] CaseRanking ranking() const;

 private:
  struct Entrant {
    RankedVariant row;
    Series series;
    std::map<unsigned, TurnTimes> rounds;  ///< what others are compared with: for the base, pooled with the twin
    bool skipped = false;
  };

  void judge_rows(bool has_base);
  [[nodiscard]] std::optional<Ratio> ratio(const Entrant& a, const Entrant& b) const {
    return ratio_of(log_ratios(a.rounds, b.rounds), level_);
  }
  [[nodiscard]] bool beats(const Entrant& a, const Entrant& b) const {
    const auto found = ratio(a, b);
    return found && found->high < 1;
  }
  [[nodiscard]] std::vector<const Entrant*> fit() const;  ///< without a problem, fastest first
  void decide(CaseRanking& ranking, const std::vector<const Entrant*>& fit) const;
  [[nodiscard]] std::string tie(const std::vector<const Entrant*>& fit) const;
  [[nodiscard]] std::string nothing_to_compare(const std::vector<const Entrant*>& fit) const;

  std::string name_, base_;
  std::vector<Entrant> entrants_;  ///< in the plan's order
  Series twin_;
  double level_ = 0;  ///< one-sided confidence of every comparison
  std::optional<Ratio> twin_ratio_;
};

Contest::Contest(const Plan& plan, const std::vector<CountedLaunch>& launches, const CaseInfo& info, double confidence)
    : name_(info.name), base_(plan.base) {
  for (const PlannedVariant& variant : plan.variants) {
    if (!variant.same_as.empty()) continue;
    Entrant& entrant = entrants_.emplace_back();
    entrant.row.variant = variant.name;
    entrant.skipped = variant.status == VariantStatus::skipped;
    if (entrant.skipped) entrant.series.troubled(Trouble::not_run, "not run: " + variant.reason);
    for (const PlannedVariant& other : plan.variants)
      if (other.same_as == variant.name) entrant.row.same_as.push_back(other.name);
  }
  for (const CountedLaunch& counted : launches) {
    if (counted.launch->member.role == Role::twin) {
      take_in(twin_, counted, info);
      continue;
    }
    for (Entrant& entrant : entrants_)
      if (entrant.row.variant == counted.launch->member.variant) take_in(entrant.series, counted, info);
  }
  bool has_base = false;
  for (Entrant& entrant : entrants_) {
    entrant.rounds = entrant.series.rounds;
    if (entrant.row.variant != base_) continue;
    has_base = entrant.series.trouble == Trouble::none;
    for (auto& [round, times] : entrant.rounds)
      if (const auto twin = twin_.rounds.find(round); twin != twin_.rounds.end()) times = pool(times, twin->second);
  }
  // The correction counts what was planned, so that a failure of one variant makes no other look better.
  const auto planned =
      std::count_if(entrants_.begin(), entrants_.end(), [](const Entrant& one) { return !one.skipped; });
  const double pairs = std::max(1.0, static_cast<double>(planned * (planned - 1)) / 2);
  level_ = 1 - (1 - confidence) / (2 * pairs);
  judge_rows(has_base);
}

void Contest::judge_rows(bool has_base) {
  const auto base = std::find_if(entrants_.begin(), entrants_.end(),
                                 [&](const Entrant& one) { return one.row.variant == base_; });
  for (Entrant& entrant : entrants_) {
    RankedVariant& row = entrant.row;
    const bool is_base = row.variant == base_;
    row.seconds = is_base ? seconds_of({&entrant.series, &twin_}) : seconds_of({&entrant.series});
    if (is_base) {
      row.n = static_cast<unsigned>(entrant.series.rounds.size());
      twin_ratio_ = ratio_of(log_ratios(twin_.rounds, entrant.series.rounds), level_);
    } else if (base != entrants_.end()) {
      const std::vector<double> rounds = log_ratios(entrant.rounds, base->rounds);
      row.n = static_cast<unsigned>(rounds.size());
      row.ratio = ratio_of(rounds, level_);
    }
    if (!entrant.series.launches.empty()) {
      const VariancePolicy usual;
      row.variance = judge_variance(entrant.series.launches, usual, nullptr).figures;
    }
    row.problem = entrant.series.problem;
    if (!row.problem.empty()) continue;
    if (!is_base && !has_base)
      row.problem = "nothing to compare it with: " + base_ + " is not usable";
    else if (row.n < fewest_rounds)
      row.problem = "too few rounds: " + std::to_string(row.n) + " usable, at least " + std::to_string(fewest_rounds) +
                    " are needed";
  }
}

std::vector<const Contest::Entrant*> Contest::fit() const {
  std::vector<const Entrant*> fit;
  for (const Entrant& entrant : entrants_)
    if (entrant.row.problem.empty()) fit.push_back(&entrant);
  const auto time = [](const Entrant* one) { return one->row.ratio ? one->row.ratio->estimate : 1; };
  std::stable_sort(fit.begin(), fit.end(), [&](const Entrant* a, const Entrant* b) { return time(a) < time(b); });
  return fit;
}

std::string Contest::tie(const std::vector<const Entrant*>& fit) const {
  const auto unbeaten = [&](const Entrant* one) {
    return std::none_of(fit.begin(), fit.end(), [&](const Entrant* other) { return beats(*other, *one); });
  };
  std::vector<const Entrant*> tied;
  std::copy_if(fit.begin(), fit.end(), std::back_inserter(tied), unbeaten);
  // Comparisons of unequal precision need not be transitive; then those that the fastest does not beat tie with it.
  if (tied.size() < 2) {
    const Entrant* fastest = tied.empty() ? fit.front() : tied.front();
    tied = {fastest};
    for (const Entrant* other : fit)
      if (other != fastest && !beats(*fastest, *other)) tied.push_back(other);
  }
  double within = 1;
  std::vector<std::string> names;
  for (const Entrant* one : tied) {
    names.push_back(one->row.variant);
    for (const Entrant* other : tied)
      if (one != other) {
        const auto found = ratio(*one, *other);
        within = std::max(within, found ? found->high : HUGE_VAL);
      }
  }
  return say_tie(names, within);
}

std::string Contest::nothing_to_compare(const std::vector<const Entrant*>& fit) const {
  std::string words;
  bool all_alike = fit.empty();
  for (const Entrant& entrant : entrants_) {
    const RankedVariant& row = entrant.row;
    if (row.problem.empty()) continue;
    words += (words.empty() ? "" : "; ") + row.variant + ": " + row.problem;
    all_alike = all_alike && row.problem == entrants_.front().row.problem;
  }
  if (all_alike) return entrants_.empty() ? "no variant was planned" : entrants_.front().row.problem;
  return "nothing to compare" + (fit.empty() ? "" : ' ' + fit.front()->row.variant + " with") + ": " + words;
}

void Contest::decide(CaseRanking& ranking, const std::vector<const Entrant*>& fit) const {
  // A difference this small says nothing of the machine: as for the gate, it is within the tolerance.
  const double tolerance = 1 + Limits{}.tolerance;
  const bool twin_differs = twin_ratio_ && (twin_ratio_->low > tolerance || twin_ratio_->high < 1 / tolerance);
  std::vector<const Entrant*> placed;
  for (const Entrant& entrant : entrants_)
    if (!entrant.skipped) placed.push_back(&entrant);
  if (placed.size() == 1) {
    const RankedVariant& row = placed.front()->row;
    ranking.sentence = say_one_placement(row.variant, row.same_as);
    if (!row.problem.empty()) ranking.sentence += "; " + row.problem;
    if (twin_differs) ranking.sentence += "; " + say_disturbed(*twin_ratio_);
    return;
  }
  if (fit.size() < 2) {
    ranking.sentence = nothing_to_compare(fit);
    return;
  }
  if (twin_differs) {
    ranking.sentence = say_disturbed(*twin_ratio_) + "; nothing can be named";
    return;
  }
  for (const Entrant* one : fit) {
    const auto beaten = [&](const Entrant* other) { return other == one || beats(*one, *other); };
    if (!std::all_of(fit.begin(), fit.end(), beaten)) continue;
    const Entrant* next = fit.front() == one ? fit[1] : fit.front();
    ranking.best = one->row.variant;
    ranking.sentence = say_fastest(ranking.best, next->row.variant, *ratio(*one, *next));
    return;
  }
  ranking.sentence = tie(fit);
}

CaseRanking Contest::ranking() const {
  CaseRanking ranking;
  ranking.case_name = name_;
  ranking.twin = twin_ratio_;
  const std::vector<const Entrant*> able = fit();
  decide(ranking, able);
  for (const Entrant* entrant : able) ranking.variants.push_back(entrant->row);
  for (const Entrant& entrant : entrants_)
    if (!entrant.row.problem.empty()) ranking.variants.push_back(entrant.row);
  return ranking;
}

}  // namespace

std::vector<CaseRanking> rank(const Evidence& evidence, double confidence) {
  const Plan& plan = evidence.run.plan;
  std::vector<CaseRanking> rankings;
  for (const PlannedProgram& program : plan.programs) {
    const std::vector<CountedLaunch> launches = counted_launches(evidence, program.name);
    for (const CaseInfo& info : program.cases) {
      rankings.push_back(Contest(plan, launches, info, confidence).ranking());
      add_first_calls(rankings.back(), launches, info);
    }
  }
  return rankings;
}

}  // namespace bindgate
