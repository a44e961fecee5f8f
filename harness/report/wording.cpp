#include "report/wording.hpp"

#include <algorithm>

#include "core/units.hpp"

namespace bindgate {
namespace {

constexpr const char* nothing = "-";

// A share without the sign that a change has, with enough digits to tell it from `edge`.
std::string share_text(double share, double edge) {
  std::string text = format_change(share, edge);
  return text.starts_with('+') ? text.substr(1) : text;
}

std::string without_unit(std::string text) { return text.substr(0, text.size() - std::string(" %").size()); }

std::string share_or_nothing(const std::optional<double>& share, double edge = -1) {
  return share ? share_text(*share, edge) : nothing;
}

std::string factor_or_nothing(const std::optional<double>& factor, double edge = -1) {
  if (!factor) return nothing;
  // 1.10 as a share of 1 is 110.0 %: the same rule for digits, another way to write it.
  const std::string per_cent = without_unit(share_text(*factor, edge));
  const auto point = per_cent.find('.');
  const std::string whole = per_cent.substr(0, point), rest = point == std::string::npos ? "" : per_cent.substr(point + 1);
  if (whole.size() < 3) return per_cent + " %";
  return whole.substr(0, whole.size() - 2) + '.' + whole.substr(whole.size() - 2) + (rest == "0" ? "" : rest);
}

std::string plural(const std::string& unit) { return unit.ends_with("ch") ? unit + "es" : unit + 's'; }

}  // namespace

Advice advice_for(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return {"Nothing became slower: a change of the size under 'catches' or more would have been seen.",
              "Nothing to do. 'bindgate accept RUN' adds this night to the baseline and makes it see smaller changes."};
    case Verdict::improved:
      return {"At least one series became faster, beyond chance, and none slower.",
              "If that is meant, keep it: bindgate accept RUN --new-level --note TEXT."};
    case Verdict::regressed:
      return {"At least one series became slower by more than the tolerance, beyond chance.",
              "Look for the change in code, libraries and the environment changes listed here. If it is meant: bindgate accept "
              "RUN --new-level --note TEXT."};
    case Verdict::unstable:
      return {"Iterations vary more than the policy allows, and frozen code in the same turns did not: it is the program.",
              "Read the variance table: halves apart mean drift, p95/p50 a tail, forced switches threads that disturb each other."};
    case Verdict::inconclusive:
      return {"There is no answer that can be trusted; this is neither a pass nor a regression.",
              "Follow the cure that each reason names: more rounds, more nights, a quieter machine, or a looser policy."};
    case Verdict::missing:
      return {"The baseline holds series that this run did not measure.",
              "Run them again (bindgate run --resume RUN if it was cut off), or remove their baseline file if they are gone for good."};
    case Verdict::incomparable:
      return {"No baseline fits this machine, so there is nothing to compare with.",
              "Accept this run as its first night (bindgate accept RUN), or run on the machine that the baseline is from."};
    case Verdict::failed:
      return {"A program crashed, hung, computed a wrong result, or did not run where it should.",
              "Repair that first; the program's last output stands in run.jsonl, in the lines \"launch_ended\"."};
    case Verdict::not_selected: break;
  }
  return {"Nothing was selected, so nothing was judged.", "Choose cases with --case GLOB; bindgate list shows them."};
}

Colour colour_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::failed:
    case Verdict::regressed: return Colour::red;
    case Verdict::pass:
    case Verdict::improved: return Colour::green;
    case Verdict::not_selected: return Colour::faint;
    default: return Colour::yellow;
  }
}

std::string change_text(const std::optional<Ratio>& ratio, double tolerance, double target) {
  if (!ratio) return nothing;
  return format_change(ratio->estimate - 1) + " (" + without_unit(format_change(ratio->low - 1, tolerance)) + " to " +
         without_unit(format_change(ratio->high - 1, target)) + ')';
}

std::string target_text(const std::optional<double>& target) { return share_or_nothing(target); }

std::string count_text(const Judgement& judgement) {
  if (judgement.n == 0 && judgement.base_n == 0) return nothing;
  const std::string here = std::to_string(judgement.n);
  return judgement.base_unit.empty() ? here : here + " / " + std::to_string(judgement.base_n);
}

std::string count_legend(const GateResult& result) {
  std::vector<std::string> here, there;
  const auto add = [](std::vector<std::string>& units, const std::string& unit) {
    if (!unit.empty() && std::find(units.begin(), units.end(), plural(unit)) == units.end()) units.push_back(plural(unit));
  };
  for (const Judgement& judgement : result.cases) {
    add(here, judgement.n_unit);
    add(there, judgement.base_unit);
  }
  if (here.empty()) return "";
  return "n: " + joined(here, " or ") + " here" + (there.empty() ? "" : " / " + joined(there, " or ") + " in the baseline");
}

std::string variance_text(const std::optional<Variance>& variance, const VariancePolicy& policy) {
  if (policy.statistic == VariancePolicy::Statistic::off) return "off";
  if (!variance || !variance->clean_cv) return nothing;
  const std::string text = without_unit(share_text(*variance->clean_cv, policy.threshold)) + '/' +
                           without_unit(share_text(policy.threshold, -1)) + '/' +
                           (variance->reference_cv ? share_text(*variance->reference_cv, -1) : "- %");
  return variance->judged ? text : '(' + text + ')';
}

const std::vector<std::string>& variance_headings() {
  static const std::vector<std::string> headings{"clean CV", "plain CV", "MAD CV", "in turn", "p95/p50",
                                                 "max/p50",  "halves",   "clean",  "fired",   "R"};
  return headings;
}

std::vector<std::string> variance_cells(const Variance& variance, const VariancePolicy& policy) {
  return {share_or_nothing(variance.clean_cv, policy.threshold),
          share_or_nothing(variance.plain_cv, policy.threshold),
          share_or_nothing(variance.mad_cv),
          share_or_nothing(variance.within_turn_cv),
          factor_or_nothing(variance.p95_over_p50, policy.tail),
          factor_or_nothing(variance.max_over_p50),
          share_or_nothing(variance.halves, policy.halves),
          share_or_nothing(variance.clean_fraction, 0.8),
          std::to_string(variance.fired) + '/' + std::to_string(variance.launches),
          share_or_nothing(variance.reference_cv)};
}

std::string tally(const GateResult& result) {
  std::map<Verdict, unsigned> counts;
  for (const Judgement& judgement : result.cases) ++counts[judgement.verdict];
  std::vector<std::string> parts;
  for (const auto& [verdict, count] : counts) parts.push_back(std::to_string(count) + ' ' + std::string(name_of(verdict)));
  return parts.empty() ? "no series" : joined(parts);
}

std::vector<std::string> equal_placements(const GateResult& result) {
  std::vector<std::string> lines;
  for (const Judgement& judgement : result.cases) {
    if (judgement.same_as.empty()) continue;
    const std::string line =
        judgement.variant + " stands for " + joined(judgement.same_as) + ": equal placements here, measured once";
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  }
  return lines;
}

std::string run_line(const Run& run) {
  std::string text = "run " + run.id + " on " + run.fingerprint.id() + ": " + std::to_string(run.rounds.size()) + " of " +
                     std::to_string(run.plan.rounds) + " rounds";
  if (!run.stopped.empty()) text += ", stopped: " + run.stopped;
  else if (!run.finished) text += ", unfinished";
  return text;
}

std::string rate_text(const CaseInfo& info, double seconds) {
  if (!(seconds > 0)) return "";
  std::vector<std::string> rates;
  if (info.operations > 0) rates.push_back(format_rate(info.operations / seconds, "FLOP/s"));
  if (info.bytes > 0) rates.push_back(format_rate(info.bytes / seconds, "B/s"));
  if (info.items > 0) rates.push_back(format_rate(info.items / seconds, (info.item.empty() ? "item" : info.item) + "s/s"));
  return joined(rates);
}

const CaseInfo* find_case_info(const Run& run, const std::string& case_name) {
  for (const PlannedProgram& program : run.plan.programs)
    for (const CaseInfo& info : program.cases)
      if (info.name == case_name) return &info;
  return nullptr;
}

std::string joined(const std::vector<std::string>& parts, const std::string& separator) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : separator) + part;
  return text;
}

}  // namespace bindgate
