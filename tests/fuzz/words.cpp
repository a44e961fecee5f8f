// What people type and /sys tells: lists of ids, durations, globs. The input's first line is the text or pattern,
// the second a name.

#include <vector>

#include "core/index_set.hpp"
#include "core/names.hpp"
#include "core/units.hpp"
#include "target.hpp"

namespace {

using namespace bindgate;

// By dynamic programming over all prefixes: slow, and too simple to be wrong.
bool matches_by_definition(std::string_view pattern, std::string_view name) {
  std::vector<bool> row(name.size() + 1);  // whether the pattern so far matches name's prefix of this length
  row[0] = true;
  for (const char c : pattern) {
    std::vector<bool> next(row.size());
    for (std::size_t n = 0; n < row.size(); ++n)
      next[n] = c == '*' ? row[n] || (n > 0 && next[n - 1]) : n > 0 && row[n - 1] && (c == '?' || c == name[n - 1]);
    row = std::move(next);
  }
  return row.back();
}

void check_list(std::string_view text) {
  const auto set = IndexSet::parse(text);
  if (!set) return fuzz::check_error(set.error(), "");
  const auto again = IndexSet::parse(set->list());
  fuzz::check(again && *again == *set, "a set's list is read as the same set", set->list());
}

void check_duration(std::string_view text) {
  const auto duration = parse_duration(text);
  if (!duration) return fuzz::check_error(duration.error(), "duration '");
  fuzz::check(duration->count() > 0, "a duration is positive");
  fuzz::check(!format_duration(*duration).empty(), "a duration has words");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const auto feed = text.find('\n');
  const std::string_view first = text.substr(0, feed), second = feed == text.npos ? "" : text.substr(feed + 1);
  check_list(text);
  check_list(first);
  check_duration(first);
  fuzz::check(matches_glob(first, second) == matches_by_definition(first, second), "a glob matches by its definition");
  const std::string known[] = {std::string(second), "numactl", "cpus:0"};
  fuzz::check(nearest_name(known[0], known) == known[0], "a name is nearest to itself");
  return 0;
}
