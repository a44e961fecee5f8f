#include "core/names.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace bindgate {
namespace {

constexpr std::size_t shortest_abbreviation = 3;

// Levenshtein's distance by one row of the dynamic programme.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

bool matches_glob(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = std::string_view::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p, ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::optional<std::string> nearest_name(std::string_view typed, std::span<const std::string> candidates) {
  std::optional<std::string> nearest;
  std::size_t smallest = std::max<std::size_t>(2, typed.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const bool abbreviates = typed.size() >= shortest_abbreviation && candidate.starts_with(typed);
    const std::size_t distance = abbreviates ? 1 : edit_distance(typed, candidate);
    if (distance >= smallest) continue;
    smallest = distance;
    nearest = candidate;
  }
  return nearest;
}

std::string suggest(std::string_view typed, std::span<const std::string> candidates) {
  if (const auto nearest = nearest_name(typed, candidates)) return "; did you mean '" + *nearest + "'?";
  if (candidates.empty()) return "";
  std::string known = "; known: ";
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (i == 8) return known + ", ...";
    known += (i ? ", " : "") + candidates[i];
  }
  return known;
}

std::string joined(std::span<const std::string> parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) text.append(&part == parts.data() ? "" : separator).append(part);
  return text;
}

std::string counted(std::size_t count, std::string_view thing) {
  return std::to_string(count) + ' ' + std::string(thing) + (count == 1 ? "" : thing.ends_with("ch") ? "es" : "s");
}

std::string file_name_of_case(std::string_view case_name) {
  std::string name(case_name);
  std::replace(name.begin(), name.end(), '/', '+');
  return name;
}

}  // namespace bindgate
