#include "report/first_calls.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "core/names.hpp"
#include "core/units.hpp"
#include "report/wording.hpp"
#include "verdict/warm_up.hpp"
#include "verdict/words.hpp"

namespace bindgate {
namespace {

constexpr double worth_a_line = 0.01;

/// Three significant digits, in threes: "2,310", "12,400,000".
std::string count_of(double value) {
  if (value < 1) return value > 0 ? "1" : "0";
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(value)) - 2));
  char digits[400];
  std::snprintf(digits, sizeof digits, "%.0f", std::round(value / unit) * unit);
  std::string text = digits;
  for (std::size_t left = text.size(); left > 3; left -= 3) text.insert(left - 3, ",");
  return text;
}

std::string iterations(double value) {
  const std::string count = count_of(value);
  return count + (count == "1" ? " iteration" : " iterations");
}

std::string settled_text(const WarmUp& warm_up) {
  if (!warm_up.steady_from)
    return "not settled in " + std::to_string(warm_up.launches - warm_up.settled) + " of " +
           std::to_string(warm_up.launches) + " launches, so what the first calls cost is not known";
  std::string text = *warm_up.steady_from < 1 ? "steady from the first iteration"
                                              : "steady from iteration " + count_of(*warm_up.steady_from + 1);
  const double cost = warm_up.first_calls_seconds.value_or(0);
  if (*warm_up.steady_from < 1 || !(cost > 0)) return text;
  text += "; the first calls cost " + format_seconds(cost);
  if (warm_up.share) text += ", " + percent(*warm_up.share) + " of " + iterations(warm_up_iterations);
  return text;
}

std::string even_text(const BreakEven& even, const std::string& against) {
  if (even.never) return "never pays off against " + against + ", which takes no longer";
  if (even.high && *even.high < 1) return "pays off against " + against + " from the first call";
  const double low = even.low.value_or(0);
  if (even.iterations && even.high)
    return "pays off against " + against + " after " + iterations(*even.iterations) + " (" + count_of(low) + " to " +
           count_of(*even.high) + ")";
  return "whether it pays off against " + against + " cannot be told from " + std::to_string(even.n) +
         " rounds: " + (low >= 1 ? "not before " + count_of(low) + ", " : "") + "perhaps never";
}

std::string figure_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

}  // namespace

std::string warm_up_line(const CaseRanking& ranking, const std::string& base) {
  const auto has_one = [](const RankedVariant& row) { return row.warm_up.has_value(); };
  auto row = std::find_if(ranking.variants.begin(), ranking.variants.end(),
                          [&](const RankedVariant& one) { return one.variant == base && has_one(one); });
  if (row == ranking.variants.end()) row = std::find_if(ranking.variants.begin(), ranking.variants.end(), has_one);
  if (row == ranking.variants.end()) return "";
  const WarmUp& warm_up = *row->warm_up;
  if (warm_up.against.empty() && warm_up.share.value_or(0) <= worth_a_line) return "";
  std::string line = "warm-up: " + settled_text(warm_up);
  if (warm_up.break_even) line += "; " + even_text(*warm_up.break_even, warm_up.against);
  return line;
}

std::vector<std::string> figure_lines(const CaseRanking& ranking) {
  std::map<std::string, std::vector<std::string>> by_name;
  for (const RankedVariant& row : ranking.variants)
    for (const auto& [name, value] : row.figures) by_name[name].push_back(row.variant + ' ' + figure_text(value));
  std::vector<std::string> lines;
  for (const auto& [name, values] : by_name) {
    const bool one = values.size() == 1;
    lines.push_back(name + (one ? values.front().substr(values.front().find_last_of(' ')) : ": " + joined(values)));
  }
  return lines;
}

}  // namespace bindgate
