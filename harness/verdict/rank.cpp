#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "statistics/summary.hpp"
#include "verdict/co_running.hpp"
#include "verdict/contender.hpp"
#include "verdict/gate.hpp"
#include "verdict/ranking_words.hpp"
#include "verdict/remote_pages.hpp"
#include "verdict/turns.hpp"
#include "verdict/variance.hpp"
#include "verdict/warm_up.hpp"

namespace bindgate {
namespace {

std::optional<double> seconds_of(std::initializer_list<const Contender*> parts) {
  std::vector<double> medians;
  for (const Contender* part : parts)
    for (const SeriesLaunch& launch : part->launches)
      if (const auto& times = launch.digest->times) medians.push_back(times->median_ns * 1e-9);
  if (medians.empty()) return std::nullopt;
  return geometric_mean(medians);
}

/// Of "matrix:0,8": whose CPUs, whose memory.
std::optional<std::pair<unsigned, unsigned>> nodes_of_matrix(std::string_view variant) {
  static constexpr std::string_view family = "matrix:";
  if (!variant.starts_with(family)) return std::nullopt;
  variant.remove_prefix(family.size());
  const auto comma = variant.find(',');
  const auto cpus = IndexSet::parse(variant.substr(0, comma));
  const auto memory = IndexSet::parse(comma == std::string_view::npos ? "" : variant.substr(comma + 1));
  if (!cpus || !memory || cpus->size() != 1 || memory->size() != 1) return std::nullopt;
  return std::pair(*cpus->first(), *memory->first());
}

/// One case of one program.
class Contest {
 public:
  Contest(const Evidence& evidence, const std::vector<CountedLaunch>& launches, const CaseInfo& info,
          double confidence);
  [[nodiscard]] CaseRanking ranking() const;

 private:
  [[nodiscard]] std::vector<CoRunning> groups() const;
  [[nodiscard]] std::optional<NodeMatrix> matrix() const;
  struct Entrant {
    RankedVariant row;
    Contender series;
    Rounds rounds;  ///< what others are compared with: for the base, pooled with the twin
    bool skipped = false;
    std::string group;  ///< it works beside others, and competes with nobody; "": alone
    [[nodiscard]] bool in_group() const { return !group.empty(); }
  };

  void judge_rows(bool has_base);
  void warn(const NearestMemory& nearest);
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

  const Plan& plan_;
  std::string name_, base_;
  std::vector<Entrant> entrants_;  ///< in the plan's order
  Contender twin_;
  double level_ = 0;  ///< one-sided confidence of every comparison
  std::optional<Ratio> twin_ratio_;
};

Contest::Contest(const Evidence& evidence, const std::vector<CountedLaunch>& launches, const CaseInfo& info,
                 double confidence)
    : plan_(evidence.run.plan), name_(info.name), base_(plan_.base) {
  for (const PlannedVariant& variant : plan_.variants) {
    if (!variant.same_as.empty()) continue;
    Entrant& entrant = entrants_.emplace_back();
    entrant.row.variant = variant.name;
    entrant.skipped = variant.status == VariantStatus::skipped;
    entrant.group = variant.group;
    if (entrant.skipped) entrant.series.troubled(Trouble::not_run, "not run: " + variant.reason);
    for (const PlannedVariant& other : plan_.variants)
      if (other.same_as == variant.name) entrant.row.same_as.push_back(other.name);
  }
  for (const CountedLaunch& counted : launches) {
    if (counted.launch->member.role == Role::twin) {
      twin_.take_in(counted, info);
      continue;
    }
    for (Entrant& entrant : entrants_)
      if (entrant.row.variant == counted.launch->member.variant) entrant.series.take_in(counted, info);
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
  std::set<std::string> groups;
  std::size_t competing = 0, ranks = 0;
  for (const Entrant& one : entrants_) {
    if (one.skipped) continue;
    ++(one.in_group() ? ranks : competing);
    if (one.in_group()) groups.insert(one.group);
  }
  // Each rank against the base, and of each group what it does together and its slowest.
  const std::size_t beside = ranks + 2 * groups.size();
  const double pairs =
      std::max(1.0, static_cast<double>(competing * (competing - 1)) / 2 + static_cast<double>(beside));
  level_ = 1 - (1 - confidence) / (2 * pairs);
  judge_rows(has_base);
  warn(evidence.nearest_memory);
}

void Contest::warn(const NearestMemory& nearest) {
  for (Entrant& entrant : entrants_) {
    std::vector<SeriesLaunch> launches = entrant.series.launches;
    if (entrant.row.variant == base_) launches.insert(launches.end(), twin_.launches.begin(), twin_.launches.end());
    entrant.row.warnings.remote_pages = remote_pages(launches, nearest, Limits{}.warn_remote_pages);
  }
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
    if (entrant.row.problem.empty() && !entrant.in_group()) fit.push_back(&entrant);
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
    if (!entrant.skipped && !entrant.in_group()) placed.push_back(&entrant);
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

std::vector<CoRunning> Contest::groups() const {
  std::vector<Group> groups;
  const Rounds* base = nullptr;
  for (const Entrant& entrant : entrants_) {
    if (entrant.row.variant == base_) base = &entrant.rounds;
    if (!entrant.in_group()) continue;
    auto group =
        std::find_if(groups.begin(), groups.end(), [&](const Group& one) { return one.name == entrant.group; });
    if (group == groups.end()) group = groups.insert(group, Group{entrant.group, {}});
    group->members.push_back({entrant.row.variant, entrant.row.problem, &entrant.rounds});
  }
  std::vector<CoRunning> judged;
  if (!base) return judged;
  for (const Group& group : groups) judged.push_back(co_running(group, *base, level_));
  return judged;
}

std::optional<NodeMatrix> Contest::matrix() const {
  std::map<std::pair<unsigned, unsigned>, const Entrant*> measured;
  IndexSet cpu_nodes, memory_nodes;
  for (const PlannedVariant& variant : plan_.variants) {
    const auto pair = nodes_of_matrix(variant.name);
    if (!pair) continue;
    const std::string& stands_for_it = variant.same_as.empty() ? variant.name : variant.same_as;
    for (const Entrant& entrant : entrants_)
      if (entrant.row.variant == stands_for_it) measured[*pair] = &entrant;
    cpu_nodes.insert(pair->first);
    memory_nodes.insert(pair->second);
  }
  if (measured.empty()) return std::nullopt;
  NodeMatrix matrix{{cpu_nodes.begin(), cpu_nodes.end()}, {memory_nodes.begin(), memory_nodes.end()}, {}};
  for (const unsigned cpus : cpu_nodes) {
    auto& row = matrix.cells.emplace_back();
    const auto local = measured.find({cpus, cpus});
    for (const unsigned memory : memory_nodes) {
      NodeMatrix::Cell& cell = row.emplace_back();
      const auto found = measured.find({cpus, memory});
      if (found == measured.end()) continue;
      cell.seconds = found->second->row.seconds;
      cell.problem = found->second->row.problem;
      if (local != measured.end() && local != found) cell.to_local = ratio(*found->second, *local->second);
    }
  }
  return matrix;
}

CaseRanking Contest::ranking() const {
  CaseRanking ranking;
  ranking.case_name = name_;
  ranking.twin = twin_ratio_;
  const std::vector<const Entrant*> able = fit();
  decide(ranking, able);
  for (const Entrant* entrant : able) ranking.variants.push_back(entrant->row);
  for (const bool troubled : {false, true})
    for (const Entrant& entrant : entrants_)
      if (entrant.row.problem.empty() != troubled && (troubled || entrant.in_group()))
        ranking.variants.push_back(entrant.row);
  ranking.groups = groups();
  ranking.matrix = matrix();
  return ranking;
}

}  // namespace

std::vector<CaseRanking> rank(const Evidence& evidence, double confidence) {
  const Plan& plan = evidence.run.plan;
  std::vector<CaseRanking> rankings;
  for (const PlannedProgram& program : plan.programs) {
    const std::vector<CountedLaunch> launches = counted_launches(evidence, program.name);
    for (const CaseInfo& info : program.cases) {
      rankings.push_back(Contest(evidence, launches, info, confidence).ranking());
      add_first_calls(rankings.back(), launches, info);
    }
  }
  return rankings;
}

}  // namespace bindgate
