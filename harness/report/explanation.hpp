#pragma once
// What a person needs beside the figures: what the columns mean, what holds for many rows and so is said once,
// what the verdict means and what to do next. Terminal and Markdown print it, each in its own way.

#include <string>
#include <vector>

#include "samples/run.hpp"
#include "verdict/judgement.hpp"

namespace bindgate {

/// `meaning` is one or two sentences; `next` a few words that finish "next: ", so that both end on one line.
struct Advice {
  std::string meaning, next;
};
[[nodiscard]] Advice advice_for(Verdict verdict);

/// "regressed (exit 1)", and where it is so that the policy lets the verdict pass.
[[nodiscard]] std::string verdict_and_exit(const GateResult& result);

/// "regressed (exit 1). next: ...": the gate's last line after its "verdict: ".
[[nodiscard]] std::string conclusion(const GateResult& result);

/// A column's heading, or a sign in it, and what it means.
struct Term {
  std::string word, meaning;
};
/// Only what stands in the result's table: the terms of empty columns are left out.
[[nodiscard]] std::vector<Term> gate_terms(const GateResult& result);
[[nodiscard]] std::vector<Term> variance_terms();
[[nodiscard]] std::vector<Term> show_terms(const std::vector<CaseRanking>& rankings, const std::string& base);

/// "none = taskset = numactl: equal here, measured once as none", one line for each placement with several names.
[[nodiscard]] std::vector<std::string> equal_placements(const Plan& plan);

/// "remote: not run, one node only", one line for each variant that is not on this machine what its name says.
[[nodiscard]] std::vector<std::string> limited_variants(const Plan& plan);

/// Whether all variants that this machine has are the same, so that nothing can be compared.
[[nodiscard]] bool has_one_placement(const Plan& plan);

[[nodiscard]] bool is_skipped(const Plan& plan, const std::string& variant);

/// What every case's sentence begins with, when one placement is all there is or all say the same; "" otherwise.
[[nodiscard]] std::string common_sentence(const std::vector<CaseRanking>& rankings, const Plan& plan);

/// Tells reasons that many rows share, which are numbered and said once, from those that stay at their row.
class SharedReasons {
 public:
  /// The reasons of each row. Shared is what three rows have, or all of at least two.
  explicit SharedReasons(const std::vector<std::vector<std::string>>& rows);

  /// " [1 3]": the numbers of those of a row's reasons that are shared; "" for none.
  [[nodiscard]] std::string marks(const std::vector<std::string>& reasons) const;
  /// Those of a row's reasons that are not.
  [[nodiscard]] std::vector<std::string> own(const std::vector<std::string>& reasons) const;

  /// "[1] 4 of 6 rows: too few nights", in the order of the numbers.
  [[nodiscard]] const std::vector<Term>& legend() const { return legend_; }

 private:
  [[nodiscard]] std::size_t number_of(const std::string& reason) const;  ///< from 1; 0: not shared

  std::vector<std::string> shared_;
  std::vector<Term> legend_;
};

/// The reasons of a result's rows, for SharedReasons: none for what passed or was not selected.
[[nodiscard]] std::vector<std::string> reasons_shown(const Judgement& judgement);
[[nodiscard]] SharedReasons shared_reasons(const GateResult& result);

}  // namespace bindgate
