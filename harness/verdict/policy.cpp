#include "verdict/policy.hpp"

#include <algorithm>
#include <array>

#include "core/json_cursor.hpp"
#include "core/names.hpp"

namespace bindgate {
namespace {

constexpr std::string_view schema = "bindgate.policy/1";
constexpr double largest_target = 10;    // eleven times as slow
constexpr double smallest_limit = 1e-3;  // below this every clock fires
constexpr double largest_factor = 1000;  // of cache misses

constexpr std::array<std::string_view, 2> statistic_names{"clean", "off"};
constexpr std::array<std::string_view, 2> doubt_names{"fail", "warn"};
constexpr std::array<std::string_view, 3> no_baseline_names{"fail", "warn", "accept"};

bool matches(const SeriesPattern& pattern, std::string_view case_name, std::string_view variant) {
  return matches_glob(pattern.case_glob, case_name) && matches_glob(pattern.variant_glob, variant);
}

std::string read_glob(const JsonCursor& cursor) {
  std::string glob = cursor.string();
  if (glob.empty()) cursor.fault("is empty and matches nothing; leave it out to match everything");
  return glob;
}

SeriesPattern read_pattern(const JsonCursor& cursor) {
  SeriesPattern pattern;
  if (const auto glob = cursor.find("case")) pattern.case_glob = read_glob(*glob);
  if (const auto glob = cursor.find("variant")) pattern.variant_glob = read_glob(*glob);
  return pattern;
}

double read_tolerance(const JsonCursor& cursor) { return cursor.number(0, 1); }

std::optional<double> read_target(const JsonCursor& cursor) {
  if (cursor.is_number()) return cursor.number(0, largest_target);
  if (!cursor.is_string() || cursor.string() != "auto")
    cursor.fault("expected \"auto\" or a share as 0.05, found " + cursor.dump());
  return std::nullopt;
}

/// "off" is nothing.
std::optional<double> read_warning(const JsonCursor& cursor, double low, double high, const char* example) {
  if (cursor.is_number()) return cursor.number(low, high);
  if (!cursor.is_string() || cursor.string() != "off")
    cursor.fault("expected \"off\" or a number as " + std::string(example) + ", found " + cursor.dump());
  return std::nullopt;
}

std::optional<double> read_share_of_pages(const JsonCursor& cursor) { return read_warning(cursor, 0, 1, "0.10"); }

std::optional<double> read_factor_of_misses(const JsonCursor& cursor) {
  return read_warning(cursor, 1, largest_factor, "1.5");
}

void check_order(const JsonCursor& place, double tolerance, const std::optional<double>& target) {
  if (target && *target <= tolerance)
    place.fault("target must be above tolerance: what may never pass would be less than what may never fail");
}

/// `general`: what unnamed keys keep.
VariancePolicy read_variance(const JsonCursor& cursor, VariancePolicy general) {
  if (!cursor.is_object()) {
    if (!cursor.is_string() || cursor.string() != "off")
      cursor.fault("expected an object or \"off\", found " + cursor.dump());
    general.statistic = VariancePolicy::Statistic::off;
    return general;
  }
  cursor.only({"threshold", "tail", "halves", "statistic"});
  if (const auto value = cursor.find("threshold")) general.threshold = value->number(smallest_limit, largest_target);
  if (const auto value = cursor.find("tail")) general.tail = value->number(1 + smallest_limit, 1 + largest_target);
  if (const auto value = cursor.find("halves")) general.halves = value->number(smallest_limit, largest_target);
  if (const auto value = cursor.find("statistic"))
    general.statistic = static_cast<VariancePolicy::Statistic>(value->one_of(statistic_names));
  return general;
}

Policy::Override read_override(const JsonCursor& cursor, const Limits& general) {
  cursor.only({"case", "variant", "tolerance", "target", "variance", "warn_remote_pages", "warn_cache_misses"});
  Policy::Override own;
  own.pattern = read_pattern(cursor);
  if (const auto value = cursor.find("tolerance")) own.tolerance = read_tolerance(*value);
  if (const auto value = cursor.find("target")) own.target = read_target(*value);
  if (const auto value = cursor.find("variance")) own.variance = read_variance(*value, general.variance);
  if (const auto value = cursor.find("warn_remote_pages")) own.warn_remote_pages = read_share_of_pages(*value);
  if (const auto value = cursor.find("warn_cache_misses")) own.warn_cache_misses = read_factor_of_misses(*value);
  check_order(cursor, own.tolerance.value_or(general.tolerance), own.target.value_or(general.target));
  return own;
}

}  // namespace

Limits Policy::limits_for(std::string_view case_name, std::string_view variant) const {
  Limits own = limits;
  for (const Override& other : overrides) {
    if (!matches(other.pattern, case_name, variant)) continue;
    own.tolerance = other.tolerance.value_or(own.tolerance);
    own.target = other.target.value_or(own.target);
    own.variance = other.variance.value_or(own.variance);
    own.warn_remote_pages = other.warn_remote_pages.value_or(own.warn_remote_pages);
    own.warn_cache_misses = other.warn_cache_misses.value_or(own.warn_cache_misses);
  }
  return own;
}

bool Policy::is_gating(std::string_view case_name, std::string_view variant) const {
  return gating.empty() || std::any_of(gating.begin(), gating.end(), [&](const SeriesPattern& pattern) {
           return matches(pattern, case_name, variant);
         });
}

Result<Policy> parse_policy(std::string_view text, const std::string& source) {
  JsonDocument document(text, source, Nulls::are_values);
  const JsonCursor root = document.root();
  if (const std::string found = root["schema"].string(); document.good() && found != schema)
    root["schema"].fault("expected \"" + std::string(schema) + "\", found \"" + found +
                         "\"; is it a policy of this version?");
  root.only({"schema", "tolerance", "target", "variance", "warn_remote_pages", "warn_cache_misses", "disturbed",
             "inconclusive", "no_baseline", "gating", "overrides"});
  Policy policy;
  if (const auto value = root.find("tolerance")) policy.limits.tolerance = read_tolerance(*value);
  if (const auto value = root.find("target")) policy.limits.target = read_target(*value);
  check_order(root, policy.limits.tolerance, policy.limits.target);
  if (const auto value = root.find("variance")) policy.limits.variance = read_variance(*value, {});
  if (const auto value = root.find("warn_remote_pages")) policy.limits.warn_remote_pages = read_share_of_pages(*value);
  if (const auto value = root.find("warn_cache_misses"))
    policy.limits.warn_cache_misses = read_factor_of_misses(*value);
  if (const auto value = root.find("disturbed"))
    policy.disturbed = static_cast<Policy::OnDoubt>(value->one_of(doubt_names));
  if (const auto value = root.find("inconclusive"))
    policy.inconclusive = static_cast<Policy::OnDoubt>(value->one_of(doubt_names));
  if (const auto value = root.find("no_baseline"))
    policy.no_baseline = static_cast<Policy::OnNoBaseline>(value->one_of(no_baseline_names));
  if (const auto patterns = root.find("gating"))
    for (const JsonCursor& pattern : patterns->items()) {
      pattern.only({"case", "variant"});
      policy.gating.push_back(read_pattern(pattern));
    }
  if (const auto overrides = root.find("overrides"))
    for (const JsonCursor& own : overrides->items()) policy.overrides.push_back(read_override(own, policy.limits));
  return document.finish(std::move(policy));
}

}  // namespace bindgate
