#include "report/explanation.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "core/names.hpp"
#include "report/first_calls.hpp"
#include "report/warning_lines.hpp"
#include "report/wording.hpp"
#include "verdict/ranking_words.hpp"

namespace bindgate {
namespace {

constexpr std::size_t many = 3;

bool is_answer(Verdict verdict) {
  return verdict == Verdict::pass || verdict == Verdict::improved || verdict == Verdict::not_selected;
}

bool any_row(const GateResult& result, bool (*holds)(const Judgement&)) {
  return std::any_of(result.cases.begin(), result.cases.end(), [&](const Judgement& judgement) {
    return judgement.verdict != Verdict::not_selected && holds(judgement);
  });
}

std::vector<std::string> names_of(const Plan& plan, const PlannedVariant& variant) {
  std::vector<std::string> names{variant.name};
  for (const PlannedVariant& other : plan.variants)
    if (other.same_as == variant.name) names.push_back(other.name);
  return names;
}

/// Warnings of both kinds are explained where `any_row` says that a row has one.
void add_warning_terms(std::vector<Term>& terms, const std::function<bool(bool (*)(const Warnings&))>& any_row) {
  const std::string what = " (a warning changes no verdict)";
  if (any_row([](const Warnings& row) { return row.remote_pages.has_value(); }))
    terms.push_back({"! remote pages", "far from the CPUs, and not asked for: " + (next_for_remote_pages + what)});
  if (any_row([](const Warnings& row) { return row.cache_misses.has_value(); }))
    terms.push_back({"! cache misses", next_for_cache_misses + what});
}

/// The one placement that a run measured; null for several or none.
const PlannedVariant* only_placement(const Plan& plan) {
  const PlannedVariant* only = nullptr;
  for (const PlannedVariant& variant : plan.variants) {
    if (variant.status == VariantStatus::skipped || !variant.same_as.empty()) continue;
    if (only) return nullptr;
    only = &variant;
  }
  return only;
}

}  // namespace

Advice advice_for(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return {"Nothing became slower: a slowdown of the size under 'catches' would have been seen.",
              "nothing; bindgate accept RUN lets later nights see smaller changes"};
    case Verdict::improved:
      return {"At least one row became faster, beyond chance, and none slower.",
              "if it is meant, bindgate accept RUN --new-level --note WHY"};
    case Verdict::regressed:
      return {"At least one row became slower, beyond chance and by more than the tolerance: the first rows of the "
              "table. Look for a change in the code, the libraries, or the environment; what differs there is listed.",
              "mend it; if meant: bindgate accept RUN --new-level --note WHY"};
    case Verdict::unstable:
      return {"Iterations vary more than the policy allows, and frozen code in the same turns did not: it is the "
              "program, not the machine.",
              "the figures in detail say what kind of variation to look for"};
    case Verdict::inconclusive:
      return {"There is no answer that can be trusted: neither a pass nor a regression.",
              "do what the first reasons say, then run and gate again"};
    case Verdict::missing:
      return {"The baseline holds rows that this run did not measure; a run that was cut off goes on with "
              "bindgate run --resume RUN.",
              "run what is missing; if it is gone for good, remove its baseline"};
    case Verdict::incomparable:
      return {"No stored night to compare with, for this machine or for the first rows of the table. The first time, "
              "that is as it should be.",
              "bindgate accept keeps it as a night for later runs to meet"};
    case Verdict::failed:
      return {"A program crashed, hung, computed a wrong result, or did not run where it should.",
              "mend the program; its last output stands in RUN/run.jsonl"};
    case Verdict::not_selected: break;
  }
  return {"Nothing was selected, so nothing was judged.", "choose cases with --case GLOB; bindgate list shows them"};
}

std::string verdict_and_exit(const GateResult& result) {
  const bool forgiven = result.exit == 0 && !is_answer(result.verdict);
  return std::string(name_of(result.verdict)) + " (exit " + std::to_string(result.exit) +
         (forgiven ? ", as the policy allows)" : ")");
}

std::string conclusion(const GateResult& result) {
  return verdict_and_exit(result) + ". next: " + advice_for(result.verdict).next;
}

std::vector<Term> gate_terms(const GateResult& result) {
  std::vector<Term> terms;
  if (any_row(result, [](const Judgement& row) { return row.ratio.has_value(); })) {
    terms.push_back({"change",
                     "of the time per iteration against the stored nights, + is slower; in parentheses what it "
                     "may be in truth, the lower end at the corrected 1 %, the upper at 5 %. Regressed: even the "
                     "lower end is beyond the tolerance. Pass: even the upper end is below 'catches'"});
    terms.push_back(
        {"catches",
         "a slowdown of this size does not pass; '-': not even a doubled time is sure to be caught. More nights and "
         "more rounds make it smaller"});
  }
  if (const std::string units = count_legend(result); !units.empty()) terms.push_back({"n", units});
  if (any_row(result, [](const Judgement& row) { return row.variance && row.variance->clean_cv; }))
    terms.push_back({"CV/limit/R",
                     "how the iterations of a launch vary / what the policy allows / how frozen code varied "
                     "in the same turns, which is the machine's share; in parentheses: not judged"});
  if (any_row(result, [](const Judgement& row) { return !row.gating; }))
    terms.push_back({"*", "reported only; the policy does not let this row decide"});
  add_warning_terms(terms, [&](bool (*holds)(const Warnings&)) {
    return std::any_of(result.cases.begin(), result.cases.end(),
                       [&](const Judgement& row) { return holds(row.warnings); });
  });
  return terms;
}

std::vector<Term> variance_terms() {
  return {{"clean CV", "of undisturbed samples without the slowest 2 %: this is judged"},
          {"plain CV", "of all samples"},
          {"MAD CV", "of undisturbed samples; outliers hardly count"},
          {"in turn", "within turns only, so without slow drift"},
          {"p95/p50", "well above 1: a tail of slow iterations"},
          {"max/p50", "the slowest iteration"},
          {"halves", "the first half of a launch against the second: drift"},
          {"clean", "share of undisturbed samples"},
          {"fired", "launches beyond one of the policy's limits, of all"},
          {"R", "CV of frozen code in the same turns: what R has, the machine did"}};
}

std::vector<Term> show_terms(const std::vector<CaseRanking>& rankings, const std::string& base) {
  const bool has_twin = std::any_of(rankings.begin(), rankings.end(),
                                    [](const CaseRanking& ranking) { return ranking.twin.has_value(); });
  std::vector<Term> terms;
  terms.push_back({"time", "per iteration; rate: what the case gets done in that time"});
  terms.push_back({"against " + base, "change of time, - is faster; in parentheses what it may be in truth"});
  if (has_twin)
    terms.push_back({"(twin)", base +
                                   " a second time in the same turns (A/A control): what no difference looks like. An "
                                   "interval more than 1 % away from 0 means that the run was disturbed"});
  terms.push_back({"n", "rounds, each with fresh launches"});
  terms.push_back({"CV, R",
                   "how the iterations of a launch vary, and how frozen code did in the same turns: what R has, "
                   "the machine did"});
  if (std::any_of(rankings.begin(), rankings.end(),
                  [&](const CaseRanking& ranking) { return !warm_up_line(ranking, base).empty(); }))
    terms.push_back({"warm-up",
                     "what the iterations before the steady state took beyond it, in a fresh process (median over "
                     "launches); it pays off where what is saved per iteration has made up for dearer first calls, in "
                     "parentheses where that may be in truth"});
  add_warning_terms(terms, [&](bool (*holds)(const Warnings&)) {
    return std::any_of(rankings.begin(), rankings.end(), [&](const CaseRanking& ranking) {
      return std::any_of(ranking.variants.begin(), ranking.variants.end(),
                         [&](const RankedVariant& row) { return holds(row.warnings); });
    });
  });
  return terms;
}

std::vector<std::string> equal_placements(const Plan& plan) {
  std::vector<std::string> lines;
  for (const PlannedVariant& variant : plan.variants)
    if (const auto names = names_of(plan, variant); names.size() > 1)
      lines.push_back(joined(names, " = ") + ": equal here, measured once as " + variant.name);
  return lines;
}

std::vector<std::string> limited_variants(const Plan& plan) {
  std::vector<std::string> lines;
  for (const PlannedVariant& variant : plan.variants)
    if (variant.status != VariantStatus::ok)
      lines.push_back(variant.name + (variant.status == VariantStatus::skipped ? ": not run, " : ": degraded, ") +
                      variant.reason);
  return lines;
}

bool has_one_placement(const Plan& plan) { return only_placement(plan) != nullptr; }

bool is_skipped(const Plan& plan, const std::string& variant) {
  return std::any_of(plan.variants.begin(), plan.variants.end(), [&](const PlannedVariant& planned) {
    return planned.name == variant && planned.status == VariantStatus::skipped;
  });
}

std::string common_sentence(const std::vector<CaseRanking>& rankings, const Plan& plan) {
  const auto all = [&](auto holds) { return std::all_of(rankings.begin(), rankings.end(), holds); };
  if (const PlannedVariant* only = only_placement(plan)) {
    std::vector<std::string> names = names_of(plan, *only);
    names.erase(names.begin());
    const std::string one = say_one_placement(only->name, names);
    if (all([&](const CaseRanking& ranking) { return ranking.sentence.starts_with(one); })) return one;
  }
  if (rankings.size() < 2) return "";
  const std::string& first = rankings.front().sentence;
  return all([&](const CaseRanking& ranking) { return ranking.sentence == first; }) ? first : "";
}

SharedReasons::SharedReasons(const std::vector<std::vector<std::string>>& rows) {
  std::map<std::string, std::size_t> counts;
  for (const auto& reasons : rows)
    for (const std::string& reason : reasons) ++counts[reason];
  for (const auto& reasons : rows)
    for (const std::string& reason : reasons) {
      const std::size_t count = counts[reason];
      if (count < 2 || (count < many && count < rows.size()) || number_of(reason) > 0) continue;
      shared_.push_back(reason);
      const std::string of_rows = count == rows.size() ? "all " + std::to_string(count)
                                                       : std::to_string(count) + " of " + std::to_string(rows.size());
      legend_.push_back({'[' + std::to_string(shared_.size()) + ']', of_rows + " rows: " + reason});
    }
}

std::size_t SharedReasons::number_of(const std::string& reason) const {
  const auto found = std::find(shared_.begin(), shared_.end(), reason);
  return found == shared_.end() ? 0 : static_cast<std::size_t>(found - shared_.begin()) + 1;
}

std::string SharedReasons::marks(const std::vector<std::string>& reasons) const {
  std::vector<std::string> numbers;
  for (const std::string& reason : reasons)
    if (const std::size_t number = number_of(reason)) numbers.push_back(std::to_string(number));
  return numbers.empty() ? "" : " [" + joined(numbers, " ") + ']';
}

std::vector<std::string> SharedReasons::own(const std::vector<std::string>& reasons) const {
  std::vector<std::string> own;
  for (const std::string& reason : reasons)
    if (number_of(reason) == 0) own.push_back(reason);
  return own;
}

std::vector<std::string> reasons_shown(const Judgement& judgement) {
  const bool silent = judgement.verdict == Verdict::pass || judgement.verdict == Verdict::not_selected;
  return silent ? std::vector<std::string>{} : judgement.reasons;
}

SharedReasons shared_reasons(const GateResult& result) {
  std::vector<std::vector<std::string>> rows;
  for (const Judgement& judgement : result.cases)
    if (judgement.verdict != Verdict::not_selected) rows.push_back(reasons_shown(judgement));
  return SharedReasons(rows);
}

}  // namespace bindgate
