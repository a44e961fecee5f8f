#include "report/wording.hpp"

#include <algorithm>

#include "core/names.hpp"
#include "core/units.hpp"

namespace bindgate {
namespace {

constexpr const char* nothing = "-";
constexpr double no_edge = -1;  // a share that no figure rounds onto

// A share without the sign that a change has, with enough digits to tell it from `edge`.
std::string share_text(double share, double edge) {
  std::string text = format_change(share, edge);
  return text.starts_with('+') ? text.substr(1) : text;
}

std::string without_unit(std::string text) { return text.substr(0, text.size() - std::string(" %").size()); }

std::string share_or_nothing(const std::optional<double>& share, double edge = no_edge) {
  return share ? share_text(*share, edge) : nothing;
}

std::string factor_or_nothing(const std::optional<double>& factor, double edge = no_edge) {
  return factor ? factor_text(*factor, edge) : nothing;
}

std::string plural(const std::string& unit) { return unit.ends_with("ch") ? unit + "es" : unit + 's'; }

}  // namespace

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
  return format_change(ratio->estimate - 1, no_edge) + " (" + without_unit(format_change(ratio->low - 1, tolerance)) +
         " to " + without_unit(format_change(ratio->high - 1, target)) + ')';
}

std::string factor_text(double factor, double edge) {
  // 1.10 as a share of 1 is 110.0 %: the same rule for digits, another way to write it.
  const std::string per_cent = without_unit(share_text(factor, edge));
  const auto point = per_cent.find('.');
  const std::string whole = per_cent.substr(0, point),
                    rest = point == std::string::npos ? "" : per_cent.substr(point + 1);
  if (whole.size() < 3) return per_cent + " %";
  return whole.substr(0, whole.size() - 2) + '.' + whole.substr(whole.size() - 2) + (rest == "0" ? "" : rest);
}

std::string times_text(const std::optional<Ratio>& ratio) {
  if (!ratio) return nothing;
  return factor_or_nothing(ratio->estimate) + " x (" + factor_or_nothing(ratio->low) + " to " +
         factor_or_nothing(ratio->high) + ')';
}

std::string co_running_line(const CoRunning& group, const std::string& base) {
  const std::string who = group.group + ": " + std::to_string(group.ranks.size()) + " at once ";
  if (!group.throughput) return who + "cannot be judged: " + group.problem;
  return who + "do " + times_text(group.throughput) + " the work of one " + base + " alone; the slowest takes " +
         times_text(group.slowest) + " its time";
}

std::string target_text(const std::optional<double>& target) { return share_or_nothing(target); }

std::string count_text(const Judgement& judgement) {
  if (judgement.n == 0 && judgement.base_n == 0) return nothing;
  const std::string here = std::to_string(judgement.n);
  return judgement.base_unit.empty() ? here : here + '/' + std::to_string(judgement.base_n);
}

std::string count_legend(const GateResult& result) {
  std::vector<std::string> here, there;
  const auto add = [](std::vector<std::string>& units, const std::string& unit) {
    if (!unit.empty() && std::find(units.begin(), units.end(), plural(unit)) == units.end())
      units.push_back(plural(unit));
  };
  for (const Judgement& judgement : result.cases) {
    add(here, judgement.n_unit);
    add(there, judgement.base_unit);
  }
  if (here.empty()) return "";
  return joined(here, " or ") + " here" + (there.empty() ? "" : " / " + joined(there, " or ") + " in the baseline");
}

std::string variance_text(const std::optional<Variance>& variance, const VariancePolicy& policy) {
  if (policy.statistic == VariancePolicy::Statistic::off) return "off";
  if (!variance || !variance->clean_cv) return nothing;
  const std::string own = without_unit(share_text(*variance->clean_cv, policy.threshold));
  std::string limit = without_unit(share_text(policy.threshold, no_edge));
  if (limit.ends_with(".0")) limit.erase(limit.size() - 2);
  const std::string text =
      own + '/' + limit + '/' + (variance->reference_cv ? share_text(*variance->reference_cv, no_edge) : "- %");
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
          share_or_nothing(variance.clean_fraction, fewest_clean),
          std::to_string(variance.fired) + '/' + std::to_string(variance.launches),
          share_or_nothing(variance.reference_cv)};
}

std::string tally(const GateResult& result) {
  std::map<Verdict, unsigned> counts;
  for (const Judgement& judgement : result.cases) ++counts[judgement.verdict];
  std::vector<std::string> parts;
  for (const auto& [verdict, count] : counts)
    parts.push_back(std::to_string(count) + ' ' + std::string(name_of(verdict)));
  const std::string text = parts.empty() ? "no series" : joined(parts);
  return result.unfinished.empty() ? text : text + "; missing: " + result.unfinished;
}

std::string run_line(const Run& run) {
  std::string text = "run " + run.id + " on " + run.fingerprint.id() + ": " + std::to_string(run.rounds.size()) +
                     " of " + std::to_string(run.plan.rounds) + " rounds";
  if (!run.stopped.empty()) text += ", stopped: " + run.stopped;
  else if (!run.finished) text += ", unfinished";
  return text;
}

std::string rate_text(const CaseInfo& info, double seconds) {
  if (!(seconds > 0)) return "";
  std::vector<std::string> rates;
  if (info.operations > 0) rates.push_back(format_rate(info.operations / seconds, "FLOP/s"));
  if (info.bytes > 0) rates.push_back(format_rate(info.bytes / seconds, "B/s"));
  if (info.items > 0)
    rates.push_back(format_rate(info.items / seconds, (info.item.empty() ? "item" : info.item) + "s/s"));
  return joined(rates);
}

std::string memory_text(const Memory& memory) {
  const std::string policy(name_of(memory.policy));
  return memory.nodes.empty() ? policy : policy + ' ' + memory.nodes.list();
}

const CaseInfo* find_case_info(const Run& run, const std::string& case_name) {
  for (const PlannedProgram& program : run.plan.programs)
    for (const CaseInfo& info : program.cases)
      if (info.name == case_name) return &info;
  return nullptr;
}

}  // namespace bindgate
