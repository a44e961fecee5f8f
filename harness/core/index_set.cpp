#include "core/index_set.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

namespace bindgate {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

Result<unsigned> parse_id(std::string_view text, std::string_view list) {
  unsigned id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (text.empty() || error == std::errc::invalid_argument || end != text.data() + text.size())
    return fail("'" + std::string(list) + "' is not a list of ids; write it like 0-3,8");
  if (error == std::errc::result_out_of_range || id > IndexSet::largest_id)
    return fail("id " + std::string(text) + " is above " + std::to_string(IndexSet::largest_id));
  return id;
}

// Every id is visited once and added at the end, however often and wide the ranges overlap.
IndexSet union_of(std::vector<std::pair<unsigned, unsigned>> ranges) {
  std::sort(ranges.begin(), ranges.end());
  IndexSet set;
  unsigned next = 0;
  for (const auto& [low, high] : ranges)
    for (next = std::max(next, low); next <= high; ++next) set.insert(next);
  return set;
}

}  // namespace

IndexSet::IndexSet(std::initializer_list<unsigned> ids) {
  for (unsigned id : ids) insert(id);
}

Result<IndexSet> IndexSet::parse(std::string_view list) {
  std::string_view rest = trimmed(list);
  if (rest.empty()) return IndexSet();
  std::vector<std::pair<unsigned, unsigned>> ranges;
  for (;;) {
    const auto comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    const auto dash = part.find('-');
    const auto low = parse_id(part.substr(0, dash), list);
    if (!low) return tl::unexpected(low.error());
    const auto high = dash == std::string_view::npos ? low : parse_id(part.substr(dash + 1), list);
    if (!high) return tl::unexpected(high.error());
    if (*high < *low) return fail("range '" + std::string(part) + "' runs backwards; write the lower id first");
    ranges.emplace_back(*low, *high);
    if (comma == std::string_view::npos) return union_of(std::move(ranges));
    rest.remove_prefix(comma + 1);
  }
}

IndexSet IndexSet::range(unsigned first, unsigned last) {
  IndexSet set;
  if (last < first) return set;
  set.ids_.resize(std::size_t{last} - first + 1);
  std::iota(set.ids_.begin(), set.ids_.end(), first);
  return set;
}

std::string IndexSet::list() const {
  std::string text;
  for (std::size_t i = 0; i < ids_.size();) {
    std::size_t end = i + 1;
    while (end < ids_.size() && ids_[end] == ids_[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += std::to_string(ids_[i]);
    if (end - i > 1) text += '-' + std::to_string(ids_[end - 1]);
    i = end;
  }
  return text;
}

void IndexSet::insert(unsigned id) {
  const auto place = std::lower_bound(ids_.begin(), ids_.end(), id);
  if (place == ids_.end() || *place != id) ids_.insert(place, id);
}

bool IndexSet::contains(unsigned id) const { return std::binary_search(ids_.begin(), ids_.end(), id); }

bool IndexSet::contains(const IndexSet& other) const {
  return std::includes(ids_.begin(), ids_.end(), other.ids_.begin(), other.ids_.end());
}

bool IndexSet::intersects(const IndexSet& other) const { return !(*this & other).empty(); }

std::optional<unsigned> IndexSet::first() const {
  return ids_.empty() ? std::nullopt : std::optional(ids_.front());
}

std::optional<unsigned> IndexSet::last() const { return ids_.empty() ? std::nullopt : std::optional(ids_.back()); }

IndexSet operator&(const IndexSet& a, const IndexSet& b) {
  IndexSet set;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(set.ids_));
  return set;
}

IndexSet operator|(const IndexSet& a, const IndexSet& b) {
  IndexSet set;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(set.ids_));
  return set;
}

IndexSet operator-(const IndexSet& a, const IndexSet& b) {
  IndexSet set;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(set.ids_));
  return set;
}

}  // namespace bindgate
