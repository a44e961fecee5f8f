#pragma once
// The words and figures that terminal and Markdown share, so that they say the same. Numbers get as many
// digits as it takes to see on which side of a limit they lie.

#include <map>
#include <string>
#include <vector>

#include "report/table.hpp"
#include "verdict/judgement.hpp"
#include "verdict/policy.hpp"

namespace bindgate {

[[nodiscard]] Colour colour_of(Verdict verdict);

/// "+12.3 % (+8.1 to +16.0)": the change of time, its interval against tolerance and target; "-" without one.
[[nodiscard]] std::string change_text(const std::optional<Ratio>& ratio, double tolerance, double target);

/// "1.83 x (1.80 to 1.86)"; "-" without one.
[[nodiscard]] std::string times_text(const std::optional<Ratio>& ratio);

/// "2.10", above 0: with more digits where it takes them to see that it is not `edge`.
[[nodiscard]] std::string factor_text(double factor, double edge);

/// "5.0 %": the smallest change that a pass rules out; "-" where there is none.
[[nodiscard]] std::string target_text(const std::optional<double>& target);

/// "6/3": units here / units in the baseline.
[[nodiscard]] std::string count_text(const Judgement& judgement);

/// "launches here / nights in the baseline"
[[nodiscard]] std::string count_legend(const GateResult& result);

/// "1.2/5/0.8 %": the clean CV, its threshold, and R, what frozen code varied by; in parentheses if not judged.
[[nodiscard]] std::string variance_text(const std::optional<Variance>& variance, const VariancePolicy& policy);

/// The cells of the variance table: clean CV, plain CV, MAD CV, within turns, p95/p50, max/p50, halves, clean
/// share, fired, R.
[[nodiscard]] const std::vector<std::string>& variance_headings();
[[nodiscard]] std::vector<std::string> variance_cells(const Variance& variance, const VariancePolicy& policy);

/// "2 regressed, 1 unstable, 21 pass", worst first.
[[nodiscard]] std::string tally(const GateResult& result);

/// "run ID on MACHINE, 2 of 6 rounds, stopped: why": which run this is about.
[[nodiscard]] std::string run_line(const Run& run);

/// "ranks: 2 at once do 1.83 x (1.80 to 1.86) the work of one none alone; the slowest takes 1.09 x (1.05 to 1.13) its
/// time", or why that is not known.
[[nodiscard]] std::string co_running_line(const CoRunning& group, const std::string& base);

/// "2.50 GFLOP/s, 1.20 GB/s": what the case counts, at `seconds` per iteration; "" when it counts nothing.
[[nodiscard]] std::string rate_text(const CaseInfo& info, double seconds);

/// "bind 0-1", "local".
[[nodiscard]] std::string memory_text(const Memory& memory);

/// The case as it was planned, if it was.
[[nodiscard]] const CaseInfo* find_case_info(const Run& run, const std::string& case_name);

}  // namespace bindgate
