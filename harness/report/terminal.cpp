#include "report/terminal.hpp"

#include "core/units.hpp"
#include "report/wording.hpp"

namespace bindgate {
namespace {

std::string seconds_text(const std::optional<double>& seconds) { return seconds ? format_seconds(*seconds) : "-"; }

std::string case_heading(const Run& run, const std::string& case_name) {
  const CaseInfo* info = find_case_info(run, case_name);
  return info && !info->label.empty() ? case_name + "  (" + info->label + ')' : case_name;
}

std::string list_of(const std::string& heading, const std::vector<std::string>& lines, const Style& style) {
  if (lines.empty()) return "";
  std::string text = '\n' + heading + '\n';
  for (const std::string& line : lines) text += paragraph("  - ", line, style);
  return text;
}

// Consecutive series of one case stand under one heading, so that the order by verdict is kept.
std::string series_table(const GateResult& result, const Run& run, const Policy& policy, const Style& style) {
  Table table({{"verdict"}, {"variant", false, true}, {"time", true}, {"change (interval)"}, {"catches", true}, {"n", true},
               {"CV/limit/R", false, true}}, 2);
  std::string heading;
  for (const Judgement& judgement : result.cases) {
    if (judgement.verdict == Verdict::not_selected) continue;
    if (judgement.case_name != heading) table.add_line(case_heading(run, heading = judgement.case_name));
    const Limits limits = policy.limits_for(judgement.case_name, judgement.variant);
    table.add({{std::string(name_of(judgement.verdict)) + (judgement.gating ? "" : " *"), colour_of(judgement.verdict)},
               {judgement.variant},
               {seconds_text(judgement.seconds)},
               {change_text(judgement.ratio, limits.tolerance, judgement.target.value_or(0))},
               {target_text(judgement.target)},
               {count_text(judgement)},
               {variance_text(judgement.variance, limits.variance)}});
    if (judgement.verdict != Verdict::pass)
      for (const std::string& reason : judgement.reasons) table.add_line("- " + reason, 6);
  }
  return table.empty() ? "" : '\n' + table.text(style);
}

std::string variance_table(const GateResult& result, const Policy& policy, const Style& style) {
  std::vector<Table::Column> columns{{"variant", false, true}};
  for (const std::string& heading : variance_headings()) columns.push_back({heading, true});
  Table table(std::move(columns), 2);
  std::string heading;
  for (const Judgement& judgement : result.cases) {
    if (!judgement.variance) continue;
    if (judgement.case_name != heading) table.add_line(heading = judgement.case_name);
    std::vector<Cell> cells{{judgement.variant}};
    const VariancePolicy limits = policy.limits_for(judgement.case_name, judgement.variant).variance;
    for (std::string& cell : variance_cells(*judgement.variance, limits)) cells.push_back({std::move(cell)});
    table.add(std::move(cells));
  }
  return table.empty() ? "" : 
         '\n' + paragraph("", "how iterations vary within a launch (medians over launches; R: frozen code)", style) + table.text(style);
}

std::string not_selected(const GateResult& result, const Style& style) {
  std::vector<std::string> names;
  for (const Judgement& judgement : result.cases)
    if (judgement.verdict == Verdict::not_selected) names.push_back(judgement.case_name + ' ' + judgement.variant);
  return names.empty() ? "" : '\n' + paragraph("not selected, without effect: ", joined(names), style);
}

std::string legend(const GateResult& result, const Style& style) {
  bool reported_only = false;
  for (const Judgement& judgement : result.cases)
    reported_only = reported_only || (!judgement.gating && judgement.verdict != Verdict::not_selected);
  std::string text = '\n' + paragraph("", "catches: the smallest change that a pass rules out. " + count_legend(result), style);
  text += paragraph("", "CV/limit/R: how iterations vary, the policy's limit, how frozen code varied meanwhile; in parentheses: "
                        "not judged", style);
  if (reported_only) text += paragraph("", "*: reported only; the policy does not let it decide", style);
  for (const std::string& line : equal_placements(result)) text += paragraph("", line, style);
  return text;
}

}  // namespace

std::string gate_table(const GateResult& result, const Run& run, const Policy& policy, const Style& style) {
  const Advice advice = advice_for(result.verdict);
  const std::string verdict(name_of(result.verdict));
  std::string text = paragraph("", run_line(run), style);
  text += series_table(result, run, policy, style);
  text += variance_table(result, policy, style);
  text += not_selected(result, style);
  if (!result.cases.empty()) text += legend(result, style);
  text += list_of("environment changes since the baseline", result.environment_changes, style);
  text += list_of("findings of the run", run.findings, style);
  text += list_of("notes", result.notes, style);
  text += "\nverdict: " + painted(verdict, colour_of(result.verdict), style) + " (exit " + std::to_string(result.exit) + ")\n";
  text += paragraph("  ", tally(result), style);
  text += paragraph("  ", advice.meaning, style);
  return text + paragraph("  next: ", advice.next, style);
}

std::string show_table(const std::vector<CaseRanking>& rankings, const Run& run, const Style& style) {
  Table table({{"variant", false, true}, {"time", true}, {"against " + run.plan.base}, {"rate", false, true}, {"n", true},
               {"CV, R", false, true}}, 2);
  for (const CaseRanking& ranking : rankings) {
    const CaseInfo* info = find_case_info(run, ranking.case_name);
    table.add_line(case_heading(run, ranking.case_name));
    table.add_line("> " + ranking.sentence, 2);
    for (const RankedVariant& ranked : ranking.variants) {
      std::vector<std::string> names{ranked.variant};
      names.insert(names.end(), ranked.same_as.begin(), ranked.same_as.end());
      const std::string change = ranked.ratio ? change_text(ranked.ratio, 0, 0) : ranked.variant == run.plan.base ? "base" : "-";
      std::string variance = "-";
      if (ranked.variance && ranked.variance->clean_cv) {
        variance = target_text(ranked.variance->clean_cv);
        if (ranked.variance->reference_cv) variance += ", " + target_text(ranked.variance->reference_cv);
      }
      table.add({{joined(names, " = "), ranked.variant == ranking.best ? Colour::green : Colour::none},
                 {seconds_text(ranked.seconds)},
                 {change},
                 {info && ranked.seconds ? rate_text(*info, *ranked.seconds) : ""},
                 {std::to_string(ranked.n)},
                 {variance}});
      if (!ranked.problem.empty()) table.add_line("- " + ranked.problem, 6);
    }
    if (ranking.twin) table.add_line("A/A control (" + run.plan.base + " against its twin): " + change_text(ranking.twin, 0, 0), 2);
  }
  std::string text = paragraph("", run_line(run), style);
  if (rankings.empty()) return text + "no case was measured in a complete round\n";
  text += '\n' + table.text(style) + '\n';
  text += paragraph("", "time: per iteration. against: change of time with its interval, - is faster. n: rounds. CV, R: how iterations "
                        "vary, and how frozen code varied meanwhile", style);
  return text + list_of("findings of the run", run.findings, style);
}

}  // namespace bindgate
