#include "report/markdown.hpp"

#include "core/names.hpp"
#include "core/printable.hpp"
#include "core/units.hpp"
#include "report/explanation.hpp"
#include "report/warning_lines.hpp"
#include "report/wording.hpp"

namespace bindgate {
namespace {

// Text that another program wrote must not become markup, nor speak to a terminal that shows the file.
std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : printable(text)) {
    if (c == '<') safe += "&lt;";
    else if (c == '>') safe += "&gt;";
    else if (c == '&') safe += "&amp;";
    else {
      if (std::string_view("\\`*_[]|~#").find(c) != std::string_view::npos) safe += '\\';
      safe += c;
    }
  }
  return safe;
}

std::string row(const std::vector<std::string>& cells) { return "| " + joined(cells, " | ") + " |\n"; }

std::string rule(std::size_t names, std::size_t numbers) {
  std::vector<std::string> cells(names, "---");
  cells.resize(names + numbers, "---:");
  return row(cells);
}

std::string list_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "- " + escaped(line) + '\n';
  return text;
}

std::string terms_list(const std::vector<Term>& terms) {
  std::string text;
  for (const Term& term : terms) text += "- **" + escaped(term.word) + "**: " + escaped(term.meaning) + '\n';
  return text;
}

std::string folded(const std::string& summary, const std::string& content) {
  if (content.empty()) return "";
  return "\n<details><summary>" + summary + "</summary>\n\n" + content + "\n</details>\n";
}

std::string counted(const std::string& what, std::size_t count) { return what + " (" + std::to_string(count) + ')'; }

}  // namespace

std::string gate_markdown(const GateResult& result, const Run& run, const Policy& policy) {
  const Advice advice = advice_for(result.verdict);
  std::string text = "## bindgate: " + verdict_and_exit(result) + "\n\n" + escaped(tally(result)) + ". " +
                     escaped(advice.meaning) + "\n\n**Next:** " + escaped(advice.next) + "\n\n";
  const SharedReasons shared = shared_reasons(result);
  std::string series, reasons, warnings, variance, not_selected;
  for (const Term& term : shared.legend()) reasons += "- " + term.word + ' ' + escaped(term.meaning) + '\n';
  for (const Judgement& judgement : result.cases) {
    const std::string case_name = escaped(judgement.case_name), variant = escaped(judgement.variant);
    if (judgement.verdict == Verdict::not_selected) {
      not_selected += "- " + case_name + ", " + variant + '\n';
      continue;
    }
    const Limits limits = policy.limits_for(judgement.case_name, judgement.variant);
    const std::vector<std::string> own = reasons_shown(judgement);
    const std::string verdict = "**" + std::string(name_of(judgement.verdict)) + "**";
    series += row({verdict + (judgement.gating ? "" : " (reported only)") + shared.marks(own), case_name, variant,
                   judgement.seconds ? format_seconds(*judgement.seconds) : "-",
                   change_text(judgement.ratio, limits.tolerance, judgement.target.value_or(0)),
                   target_text(judgement.target), count_text(judgement),
                   variance_text(judgement.variance, limits.variance)});
    for (const std::string& reason : shared.own(own))
      reasons += "- " + verdict + ' ' + case_name + ", " + variant + ": " + escaped(reason) + '\n';
    for (const std::string& warning : warning_lines(judgement.warnings))
      warnings += "- " + case_name + ", " + variant + ": " + escaped(warning) + '\n';
    if (judgement.variance) {
      std::vector<std::string> cells{case_name, variant};
      for (const std::string& cell : variance_cells(*judgement.variance, limits.variance)) cells.push_back(cell);
      variance += row(cells);
    }
  }
  if (!series.empty())
    text += row({"verdict", "case", "variant", "time", "change (interval)", "catches", "n", "CV/limit/R"}) +
            rule(3, 5) + series;
  if (!reasons.empty()) text += "\n### Reasons\n\n" + reasons;
  if (!warnings.empty()) text += "\n### Warnings, beside the verdicts\n\n" + warnings;
  if (!variance.empty()) {
    std::vector<std::string> headings{"case", "variant"};
    headings.insert(headings.end(), variance_headings().begin(), variance_headings().end());
    variance = row(headings) + rule(2, variance_headings().size()) + variance + '\n' + terms_list(variance_terms());
  }
  if (!series.empty())
    text += folded("How to read it",
                   std::string("Worst first: look at the first rows, and at the reasons under the table.") +
                       (shared.legend().empty() ? "" : " A number, as [1], stands for a reason that many rows have.") +
                       "\n\n" + terms_list(gate_terms(result)));
  text += folded(counted("Environment changes since the baseline", result.environment_changes.size()),
                 list_of(result.environment_changes));
  text += folded("How iterations vary within a launch, in detail", variance);
  text += folded("In the baseline, but not selected for this run; without effect", not_selected);
  std::vector<std::string> notes = run.findings;
  notes.insert(notes.end(), result.notes.begin(), result.notes.end());
  for (const auto& lines : {equal_placements(run.plan), limited_variants(run.plan)})
    notes.insert(notes.end(), lines.begin(), lines.end());
  text += folded(counted("Findings and notes", notes.size()), list_of(notes));
  return text + '\n' + escaped(run_line(run)) + '\n';
}

}  // namespace bindgate
