#include "verdict/gate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/names.hpp"
#include "core/units.hpp"
#include "verdict/cache_misses.hpp"
#include "verdict/outcome.hpp"
#include "verdict/proofs.hpp"
#include "verdict/reconcile.hpp"
#include "verdict/regression.hpp"
#include "verdict/remote_pages.hpp"
#include "verdict/series.hpp"
#include "verdict/summarise.hpp"
#include "verdict/twin.hpp"
#include "verdict/variance.hpp"
#include "verdict/words.hpp"

namespace bindgate {
namespace {

/// One measured series on its way to a verdict.
struct Candidate {
  const Series* series = nullptr;
  const StoredSeries* stored = nullptr;  ///< null: the baseline lacks it
  std::vector<NightLaunch> launches;     ///< empty: none with a usable time
  std::optional<NightTrial> trial;       ///< only where there is a ratio to judge
  Draft draft;
};

/// Why launches that ran have no time.
std::pair<std::string, Doubt> why_no_time(const Series& series) {
  bool undisturbed = false, timed = false, fair = false, usable = false;
  for (const auto* part : {&series.launches, &series.twins})
    for (const SeriesLaunch& one : *part) {
      undisturbed = undisturbed || one.digest->undisturbed;
      timed = timed || one.digest->timed;
      fair = fair || !one.digest->mostly_disturbed;
      usable = usable || (!one.digest->mostly_disturbed && one.digest->times);
    }
  if (!undisturbed)
    return {"disturbed: no turn was left undisturbed; run again, on a quieter machine", Doubt::disturbed};
  if (!fair)
    return {"disturbed: in every launch most of the turns; run again, on a quieter machine", Doubt::disturbed};
  if (usable)  // and yet no time: see summarise
    return {"disturbed: a round of it gave no time, and every round has another placement; run again, on a quieter "
            "machine",
            Doubt::disturbed};
  if (!timed) return {"no samples by its clock, " + std::string(name_of(series.info->primary)), Doubt::inconclusive};
  return {"below resolution: its median is 0 ns; give a sample more iterations", Doubt::inconclusive};
}

class Gate {
 public:
  Gate(const Evidence& evidence, const Baseline& baseline, const Policy& policy)
      : evidence_(evidence),
        run_(evidence.run),
        baseline_(baseline),
        policy_(policy),
        debug_builds_(debug_builds(run_)),
        stored_(stored_nights(baseline, run_)),
        series_(series_of(evidence)) {}

  GateResult judge() {
    collect();
    judge_ratios();
    std::vector<Draft> drafts;
    for (Candidate& candidate : candidates_)
      if (!candidate.draft.empty()) drafts.push_back(std::move(candidate.draft));
    add_absent(drafts);
    GateResult result = conclude(drafts, policy_);
    if (!run_.finished || run_.rounds.size() < run_.plan.rounds) owe_rounds(result);
    if (stored_.newest) result.environment_changes = differences(run_.environment, stored_.newest->environment);
    note(result.notes);
    return result;
  }

 private:
  void collect();
  void judge_ratios();
  void add_absent(std::vector<Draft>& drafts);
  void owe_rounds(GateResult& result) const;
  void note(std::vector<std::string>& notes) const;

  [[nodiscard]] Draft draft_of(const std::string& case_name, const std::string& variant) const;
  [[nodiscard]] const StoredSeries* find_stored(const Series& series) const;
  void add_debug_builds(Candidate& candidate) const;
  void add_incomparable(Candidate& candidate) const;
  void examine(Candidate& candidate);
  void warn_of_pages(Candidate& candidate) const;
  [[nodiscard]] std::map<std::string, std::string> twins_that_fire() const;
  void finish(Candidate& candidate, const RegressionJudgement* ratio, const std::string& twin);

  const Evidence& evidence_;
  const Run& run_;
  const Baseline& baseline_;
  const Policy& policy_;
  std::vector<std::string> debug_builds_;
  StoredNights stored_;
  std::vector<Series> series_;
  std::vector<Candidate> candidates_;
  std::map<std::string, std::vector<std::string>> not_run_;  ///< unknown to the baseline: reason -> series
  std::size_t family_ = 0;
};

Draft Gate::draft_of(const std::string& case_name, const std::string& variant) const {
  Draft draft;
  draft.judgement.case_name = case_name;
  draft.judgement.variant = variant;
  draft.judgement.gating = policy_.is_gating(case_name, variant);
  draft.judgement.n_unit = "round";
  draft.judgement.base_unit = "night";
  return draft;
}

const StoredSeries* Gate::find_stored(const Series& series) const {
  std::vector<std::string> names{series.variant};
  names.insert(names.end(), series.same_as.begin(), series.same_as.end());
  for (const std::string& name : names)
    if (const auto found = stored_.series.find({series.info->name, name}); found != stored_.series.end())
      return &found->second;
  return nullptr;
}

void Gate::collect() {
  std::map<SeriesName, std::vector<NightLaunch>> launches;
  for (CaseHistory& history : summarise(evidence_))
    for (auto& [variant, own] : history.nights.front().variants)
      launches[{history.case_name, variant}] = std::move(own);
  for (const Series& series : series_) {
    Candidate& candidate = candidates_.emplace_back();
    candidate.series = &series;
    candidate.stored = find_stored(series);
    candidate.launches = std::move(launches[{series.info->name, series.variant}]);
    candidate.draft = draft_of(series.info->name, series.variant);
    Judgement& own = candidate.draft.judgement;
    own.same_as = series.same_as;
    if (candidate.stored) own.base_n = static_cast<unsigned>(candidate.stored->nights.size());
    warn_of_pages(candidate);
    examine(candidate);
  }
}

void Gate::warn_of_pages(Candidate& candidate) const {
  const Series& series = *candidate.series;
  std::vector<SeriesLaunch> launches = series.launches;
  launches.insert(launches.end(), series.twins.begin(), series.twins.end());
  candidate.draft.judgement.warnings.remote_pages =
      remote_pages(launches, evidence_.nearest_memory,
                   policy_.limits_for(series.info->name, series.variant).warn_remote_pages);
}

/// No policy overlooks them: whatever their times say of a Release build is chance.
void Gate::add_debug_builds(Candidate& candidate) const {
  for (const std::string& name : debug_builds_)
    if (name == "bindgate" || name == candidate.series->program)
      candidate.draft.add(Verdict::inconclusive,
                          name + " is a Debug build, and no time of one passes; build with cmake --preset release");
}

void Gate::add_incomparable(Candidate& candidate) const {
  Draft& draft = candidate.draft;
  if (!candidate.stored) {
    if (const auto other = stored_.elsewhere.find({candidate.series->info->name, candidate.series->variant});
        other != stored_.elsewhere.end())
      return draft.add(Verdict::incomparable, "another placement in the baseline (" + other->second +
                                                  "): measure where it is the same, or start a new level");
    std::string why = "no baseline for this series: accept a run that holds it";
    if (baseline_.cases.empty()) {
      why = "no baseline for this machine (" + run_.fingerprint.id() + ")";
      if (!baseline_.nearest.empty())
        why += "; the nearest, " + baseline_.nearest + ", differs: " + joined(baseline_.differences, "; ");
      why += "; accept a run";
    } else if (stored_.holds_the_run) {
      why = "the only night of its baseline is this run itself: run again";
    }
    return draft.add(Verdict::incomparable, why, Doubt::no_baseline);
  }
  const CaseHistory& history = *candidate.stored->history;
  if (const auto changes = differences(run_.fingerprint.fields, history.fingerprint.fields); !changes.empty())
    return draft.add(Verdict::incomparable, "the baseline is another machine's: " + joined(changes, "; "));
  if (history.clock != candidate.series->info->primary)
    draft.add(Verdict::incomparable, "timed by the " + std::string(name_of(candidate.series->info->primary)) +
                                         " clock here, by the " + std::string(name_of(history.clock)) +
                                         " clock there; start a new level");
}

/// Everything but the judgement of the ratio itself.
void Gate::examine(Candidate& candidate) {
  const Series& series = *candidate.series;
  Draft& draft = candidate.draft;
  if (!series.failure.empty()) return draft.add(Verdict::failed, series.failure);
  if (series.launches.empty() && series.twins.empty() && series.unproven.empty()) {
    if (series.not_run.empty())
      return draft.add(Verdict::missing, why_absent(run_, {series.info->name, series.variant}).why);
    if (candidate.stored) return draft.add(Verdict::missing, "not run: " + series.not_run);
    not_run_[series.not_run].push_back(series.info->name + " (" + series.variant + ')');
    return;
  }
  if (!candidate.launches.empty()) {
    const NightMean own = mean_of(candidate.launches);
    draft.judgement.n = own.rounds;
    draft.judgement.seconds = std::exp(own.log_ns) * 1e-9;
  }
  add_debug_builds(candidate);
  add_incomparable(candidate);
  if (!series.unproven.empty()) {
    draft.add(Verdict::inconclusive, "unverifiable: " + series.unproven, Doubt::inconclusive);
  } else if (candidate.launches.empty()) {
    const auto [why, doubt] = why_no_time(series);
    draft.add(Verdict::inconclusive, why, doubt);
  }
  if (!draft.empty()) return;
  const Limits limits = policy_.limits_for(series.info->name, series.variant);
  draft.judgement.warnings.cache_misses =
      more_cache_misses(candidate.launches, candidate.stored->mpki, limits.warn_cache_misses);
  if (const auto comparison = compare_nights(mean_of(candidate.launches), candidate.stored->nights))
    candidate.trial = NightTrial{*comparison, limits};
}

std::map<std::string, std::string> Gate::twins_that_fire() const {
  std::vector<TwinTrial> trials;
  std::vector<std::string> names;
  for (const Candidate& candidate : candidates_) {
    if (candidate.series->variant != run_.plan.base) continue;
    names.push_back(candidate.series->info->name);
    trials.push_back({candidate.launches, policy_.limits_for(names.back(), run_.plan.base).tolerance});
  }
  const std::vector<std::string> reasons = why_twins_fire(trials);
  std::map<std::string, std::string> fire;
  for (std::size_t i = 0; i < names.size(); ++i) fire[names[i]] = reasons[i];
  return fire;
}

void Gate::judge_ratios() {
  std::vector<NightTrial> trials;
  for (const Candidate& candidate : candidates_)
    if (candidate.trial) trials.push_back(*candidate.trial);
  family_ = trials.size();
  const std::vector<RegressionJudgement> ratios = judge_nights(trials);
  std::map<std::string, std::string> twins = twins_that_fire();
  auto next = ratios.begin();
  for (Candidate& candidate : candidates_)
    finish(candidate, candidate.trial ? &*next++ : nullptr, twins[candidate.series->info->name]);
}

void Gate::finish(Candidate& candidate, const RegressionJudgement* ratio, const std::string& twin) {
  const Series& series = *candidate.series;
  Draft& draft = candidate.draft;
  const bool settled = !draft.empty();
  if (series.launches.empty()) {
    if (!settled && !series.twins.empty())
      draft.add(Verdict::inconclusive, "only the twin's launches count; run again", Doubt::inconclusive);
    return;
  }
  const Limits limits = policy_.limits_for(series.info->name, series.variant);
  const VarianceJudgement twins = judge_variance(series.twins, limits.variance, nullptr);
  const VarianceJudgement variance =
      judge_variance(series.launches, limits.variance, series.twins.empty() ? nullptr : &twins);
  if (series.failure.empty()) draft.judgement.variance = variance.figures;
  if (settled) return;

  if (!twin.empty()) draft.add(Verdict::inconclusive, twin, Doubt::disturbed);
  if (ratio) {
    draft.judgement.ratio = ratio->ratio;
    draft.judgement.target = ratio->target;
    if (ratio->verdict == Verdict::regressed)
      draft.add(Verdict::regressed, "slower by " + percent(ratio->ratio.estimate - 1) + ", by " +
                                        percent(ratio->ratio.low - 1, limits.tolerance) + " at least");
  }
  using Is = VarianceJudgement::Finding;
  if (variance.finding == Is::unstable) draft.add(Verdict::unstable, variance.reason);
  if (!ratio)
    draft.add(Verdict::inconclusive,
              "too few rounds: one on each side does not tell how launches differ; run at least 2",
              Doubt::inconclusive);
  else if (ratio->verdict == Verdict::inconclusive)
    draft.add(Verdict::inconclusive, why_undecided(*candidate.trial, *ratio, family_), Doubt::inconclusive);
  if (variance.finding == Is::disturbed) draft.add(Verdict::inconclusive, variance.reason, Doubt::disturbed);
  if (variance.finding == Is::not_judged && limits.variance.statistic != VariancePolicy::Statistic::off)
    draft.add(Verdict::inconclusive, variance.reason, Doubt::inconclusive);
  if (ratio && ratio->verdict == Verdict::improved)
    draft.add(Verdict::improved, "faster: takes " + percent(1 - ratio->ratio.estimate) + " less time");
  if (draft.empty()) draft.add(Verdict::pass, "");
}

void Gate::add_absent(std::vector<Draft>& drafts) {
  std::set<SeriesName> measured;
  for (const Series& series : series_) {
    measured.emplace(series.info->name, series.variant);
    for (const std::string& other : series.same_as) measured.emplace(series.info->name, other);
  }
  for (const auto& [name, stored] : stored_.series) {
    if (measured.contains(name)) continue;
    const Absence absence = why_absent(run_, name);
    Draft draft = draft_of(name.first, name.second);
    draft.judgement.base_n = static_cast<unsigned>(stored.nights.size());
    draft.add(absence.selected ? Verdict::missing : Verdict::not_selected, absence.why);
    drafts.push_back(std::move(draft));
  }
  for (const auto& [name, placement] : stored_.elsewhere) {
    if (measured.contains(name) || stored_.series.contains(name)) continue;
    const Absence absence = why_absent(run_, name);
    Draft draft = draft_of(name.first, name.second);
    draft.add(absence.selected ? Verdict::missing : Verdict::not_selected, absence.why);
    drafts.push_back(std::move(draft));
  }
}

// What was planned and not measured never passes; what the complete rounds say beyond that stands.
void Gate::owe_rounds(GateResult& result) const {
  const std::string ended = run_.finished          ? "its journal lacks rounds"
                            : run_.stopped.empty() ? "it ended without a word"
                                                   : run_.stopped;
  result.unfinished = "run unfinished (" + ended + "): " + std::to_string(run_.rounds.size()) + " of " +
                      std::to_string(run_.plan.rounds) + " rounds count; bindgate run --resume goes on";
  if (result.exit != 0) return;
  result.verdict = Verdict::missing;
  result.exit = 4;
}

void Gate::note(std::vector<std::string>& notes) const {
  if (!stored_.series.empty()) {
    std::size_t fewest = SIZE_MAX, most = 0;
    for (const auto& [name, stored] : stored_.series) {
      fewest = std::min(fewest, stored.nights.size());
      most = std::max(most, stored.nights.size());
    }
    notes.push_back("compared with " + (fewest == most ? "" : std::to_string(fewest) + " to ") +
                    counted(most, "night") + " of level " + std::to_string(stored_.level) +
                    ", the newest measured " + stored_.newest->measured + "; " + std::to_string(family_) +
                    " comparisons, 1 % for a false alarm in any of them");
  }
  if (const auto unproven = say_unproven(proofs_of(evidence_)); !unproven.empty()) notes.push_back(unproven);
  if (stored_.holds_the_run) notes.push_back("this run was accepted before; its own night is left out of the baseline");
  if (!stored_.forced.empty()) notes.push_back("accepted by force: " + listed(stored_.forced));
  for (std::string& note : notes_on_cache_misses(evidence_, stored_, policy_)) notes.push_back(std::move(note));
  for (const auto& [reason, names] : not_run_) notes.push_back("not run: " + reason + ": " + listed(names));
}

}  // namespace

GateResult gate(const Evidence& evidence, const Baseline& baseline, const Policy& policy) {
  return Gate(evidence, baseline, policy).judge();
}

}  // namespace bindgate
