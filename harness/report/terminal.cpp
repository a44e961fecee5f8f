#include "report/terminal.hpp"

#include <algorithm>

#include "core/names.hpp"
#include "core/units.hpp"
#include "report/explanation.hpp"
#include "report/first_calls.hpp"
#include "report/proofs.hpp"
#include "report/warning_lines.hpp"
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

// The meanings stand in a column of their own.
std::string terms_text(const std::vector<Term>& terms, const Style& style) {
  std::size_t widest = 0;
  for (const Term& term : terms) widest = std::max(widest, term.word.size());
  std::string text;
  for (const Term& term : terms)
    text += paragraph("  " + term.word + std::string(widest - term.word.size() + 2, ' '), term.meaning, style);
  return text;
}

std::string how_to_read(const std::string& first, const std::vector<Term>& terms, const Style& style) {
  return "\nhow to read it\n" + paragraph("  ", first, style) + terms_text(terms, style);
}

std::string placements_text(const std::vector<std::string>& equal, const Plan& plan, const Style& style) {
  std::vector<std::string> lines = equal;
  for (std::string& line : limited_variants(plan)) lines.push_back(std::move(line));
  return list_of("variants on this machine", lines, style);
}

// Consecutive series of one case stand under one heading, so that the order by verdict is kept.
std::string series_table(const GateResult& result, const Run& run, const Policy& policy, const Style& style) {
  Table table({{"verdict"},
               {"variant", false, true},
               {"time", true},
               {"change (interval)"},
               {"catches", true},
               {"n", true},
               {"CV/limit/R", false, true}},
              2);
  const SharedReasons shared = shared_reasons(result);
  std::string heading;
  for (const Judgement& judgement : result.cases) {
    if (judgement.verdict == Verdict::not_selected) continue;
    if (judgement.case_name != heading) table.add_line(case_heading(run, heading = judgement.case_name));
    const Limits limits = policy.limits_for(judgement.case_name, judgement.variant);
    const std::vector<std::string> reasons = reasons_shown(judgement);
    table.add({{std::string(name_of(judgement.verdict)) + (judgement.gating ? "" : " *") + shared.marks(reasons),
                colour_of(judgement.verdict)},
               {judgement.variant},
               {seconds_text(judgement.seconds)},
               {change_text(judgement.ratio, limits.tolerance, judgement.target.value_or(0))},
               {target_text(judgement.target)},
               {count_text(judgement)},
               {variance_text(judgement.variance, limits.variance)}});
    for (const std::string& reason : shared.own(reasons)) table.add_line(reason, "      - ");
    for (const std::string& warning : warning_lines(judgement.warnings)) table.add_line(warning, "      ! ");
  }
  if (table.empty()) return "";
  const std::string legend = terms_text(shared.legend(), style);
  return '\n' + table.text(style) + (legend.empty() ? "" : '\n' + legend) +
         how_to_read(std::string("Worst first: look at the first rows, and the reasons under them.") +
                         (legend.empty() ? "" : " A number, as [1], stands for a reason that many rows have."),
                     gate_terms(result), style);
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
  if (table.empty()) return "";
  return '\n' +
         paragraph("", "in detail: how iterations vary within a launch (of each figure the median over launches)",
                   style) +
         table.text(style) + terms_text(variance_terms(), style);
}

std::string not_selected(const GateResult& result, const Style& style) {
  std::vector<std::string> names;
  for (const Judgement& judgement : result.cases)
    if (judgement.verdict == Verdict::not_selected)
      names.push_back(judgement.case_name + " (" + judgement.variant + ')');
  if (names.empty()) return "";
  return "\nin the baseline, but not selected for this run; without effect\n" + paragraph("  ", joined(names), style);
}

std::vector<Cell> cells_of(const RankedVariant& row, const CaseRanking& ranking, const Run& run,
                           const SharedReasons& shared) {
  const CaseInfo* info = find_case_info(run, ranking.case_name);
  const std::vector<std::string> problem{row.problem};
  const Variance variance = row.variance.value_or(Variance{});
  return {{row.variant + shared.marks(problem), row.variant == ranking.best ? Colour::green : Colour::none},
          {seconds_text(row.seconds)},
          {row.variant == run.plan.base ? "base" : change_text(row.ratio, 0, 0)},
          {info && row.seconds ? rate_text(*info, *row.seconds) : ""},
          {std::to_string(row.n)},
          {target_text(variance.clean_cv)},
          {target_text(variance.reference_cv)}};
}

// Time of each pair, and what it is to the same CPUs with their own memory.
std::string matrix_text(const CaseRanking& ranking, const Run& run, const Style& style) {
  if (!ranking.matrix) return "";
  const NodeMatrix& matrix = *ranking.matrix;
  std::vector<Table::Column> columns{{"CPUs of", false, true}};
  for (const unsigned node : matrix.memory_nodes) columns.push_back({"memory of node " + std::to_string(node)});
  Table table(std::move(columns), 2);
  for (std::size_t i = 0; i < matrix.cells.size(); ++i) {
    std::vector<Cell> cells{{"node " + std::to_string(matrix.cpu_nodes[i])}};
    for (const NodeMatrix::Cell& cell : matrix.cells[i])
      cells.push_back({!cell.problem.empty() ? cell.problem
                       : cell.to_local       ? seconds_text(cell.seconds) + ", " + times_text(cell.to_local)
                                             : seconds_text(cell.seconds)});
    table.add(std::move(cells));
  }
  return '\n' +
         paragraph("",
                   case_heading(run, ranking.case_name) + ": each node's CPUs with each node's memory, and " +
                       "how many times the time with their own",
                   style) +
         table.text(style);
}

}  // namespace

std::string gate_table(const GateResult& result, const Run& run, const Policy& policy, const Style& style) {
  std::string text = paragraph("", run_line(run), style);
  text += series_table(result, run, policy, style);
  text += variance_table(result, policy, style);
  text += placements_text(equal_placements(run.plan), run.plan, style);
  text += not_selected(result, style);
  text += list_of("environment changes since the baseline", result.environment_changes, style);
  text += list_of("findings of the run", run.findings, style);
  text += list_of("notes", result.notes, style);
  text += '\n' + paragraph("", tally(result), style);
  text += paragraph("", advice_for(result.verdict).meaning, style);
  const std::string verdict(name_of(result.verdict)), label = "verdict: ";
  std::string last = paragraph(label, conclusion(result), style);
  return text + last.replace(label.size(), verdict.size(), painted(verdict, colour_of(result.verdict), style));
}

std::string show_table(const std::vector<CaseRanking>& rankings, const std::vector<VariantProofs>& proofs,
                       const Run& run, const Style& style) {
  std::string text = paragraph("", run_line(run), style);
  if (rankings.empty()) return text + "no case was measured in a complete round\n";
  const std::string common = common_sentence(rankings, run.plan);
  std::vector<std::vector<std::string>> problems;
  for (const CaseRanking& ranking : rankings)
    for (const RankedVariant& row : ranking.variants)
      if (!is_skipped(run.plan, row.variant))
        problems.push_back(row.problem.empty() ? std::vector<std::string>{} : std::vector{row.problem});
  const SharedReasons shared(problems);

  Table table({{"variant", false, true},
               {"time", true},
               {"against " + run.plan.base},
               {"rate", false, true},
               {"n", true},
               {"CV", true},
               {"R", true}},
              2);
  for (const CaseRanking& ranking : rankings) {
    table.add_line(case_heading(run, ranking.case_name));
    // What is left of a sentence that begins as all do comes after "; ".
    const std::string own = common.empty() ? ranking.sentence : ranking.sentence.substr(common.size());
    if (!own.empty()) table.add_line(own.starts_with("; ") ? own.substr(2) : own, "  > ");
    for (const RankedVariant& row : ranking.variants) {
      if (is_skipped(run.plan, row.variant)) continue;
      table.add(cells_of(row, ranking, run, shared));
      if (!row.problem.empty())
        for (const std::string& problem : shared.own({row.problem})) table.add_line(problem, "      - ");
      for (const std::string& warning : warning_lines(row.warnings)) table.add_line(warning, "      ! ");
    }
    if (ranking.twin) table.add({{"(twin)"}, {""}, {change_text(ranking.twin, 0, 0)}, {""}, {""}, {""}, {""}});
    for (const CoRunning& group : ranking.groups) table.add_line(co_running_line(group, run.plan.base), "  ");
    if (const std::string line = warm_up_line(ranking, run.plan.base); !line.empty()) table.add_line(line, "  ");
    for (const std::string& line : figure_lines(ranking)) table.add_line(line, "  ");
  }
  const bool ranked = !has_one_placement(run.plan);
  if (!common.empty())
    text += '\n' + paragraph("", common + (ranked ? "" : ". So no binding is faster than another here."), style);
  text += placements_text(ranked ? equal_placements(run.plan) : std::vector<std::string>{}, run.plan, style);
  text += '\n' + table.text(style);
  for (const CaseRanking& ranking : rankings) text += matrix_text(ranking, run, style);
  text += proofs_text(proofs, style);
  if (const std::string legend = terms_text(shared.legend(), style); !legend.empty()) text += '\n' + legend;
  text +=
      how_to_read(ranked ? "Each case begins with its answer (>): fastest is what beats every other beyond doubt. "
                           "Where nothing does it is a tie, and more rounds may tell. The rows follow, fastest first."
                         : "Nothing can be ranked: look at each case's time, and at CV for how steady it is.",
                  show_terms(rankings, run.plan.base), style);
  return text + list_of("findings of the run", run.findings, style);
}

}  // namespace bindgate
