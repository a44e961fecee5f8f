#pragma once
// What the owner of a pipeline decides: thresholds, and which doubts fail the build. Read strictly;
// baselines/policy.json is the shipped, complete example.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace bindgate {

struct VariancePolicy {
  enum class Statistic { clean, off };
  double threshold = 0.05;  ///< coefficient of variation of clean samples
  double tail = 1.10;       ///< p95 / p50
  double halves = 0.05;     ///< difference of the medians of a launch's halves
  Statistic statistic = Statistic::clean;
  bool operator==(const VariancePolicy&) const = default;
};

/// The settings that may differ from case to case.
struct Limits {
  double tolerance = 0.01;        ///< a change up to this never fails
  std::optional<double> target;   ///< a change of this or more never passes; nothing: "auto"
  VariancePolicy variance;
  std::optional<double> warn_remote_pages = 0.10;  ///< share of the working set above which it warns; nothing: "off"
  std::optional<double> warn_cache_misses = 1.5;   ///< factor of the baseline's above which it warns; nothing: "off"
  bool operator==(const Limits&) const = default;
};

struct SeriesPattern {
  std::string case_glob = "*", variant_glob = "*";
  bool operator==(const SeriesPattern&) const = default;
};

struct Policy {
  enum class OnDoubt { fail, warn };
  enum class OnNoBaseline { fail, warn, accept };

  Limits limits;
  OnDoubt disturbed = OnDoubt::fail;
  OnDoubt inconclusive = OnDoubt::fail;
  OnNoBaseline no_baseline = OnNoBaseline::fail;
  std::vector<SeriesPattern> gating;  ///< series that decide the exit status; empty: all
  struct Override {
    SeriesPattern pattern;
    std::optional<double> tolerance;
    std::optional<std::optional<double>> target;  ///< outer: set here; inner: a number, or "auto"
    std::optional<VariancePolicy> variance;       ///< complete: unnamed keys keep the general setting
    std::optional<std::optional<double>> warn_remote_pages = {}, warn_cache_misses = {};  ///< inner: a number, or "off"
    bool operator==(const Override&) const = default;
  };
  std::vector<Override> overrides;  ///< later ones win

  [[nodiscard]] Limits limits_for(std::string_view case_name, std::string_view variant) const;
  [[nodiscard]] bool is_gating(std::string_view case_name, std::string_view variant) const;
  bool operator==(const Policy&) const = default;
};

/// Errors: as JsonDocument, and unknown keys, wrong types, values out of range, each with the key's path.
[[nodiscard]] Result<Policy> parse_policy(std::string_view text, const std::string& source);

}  // namespace bindgate
