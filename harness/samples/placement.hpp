#pragma once
// Where a launch may run and where its memory may lie: what a variant resolves to on one machine.
// Two variants with equal placements are one measurement. Nothing here touches the system.

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/index_set.hpp"
#include "core/json_cursor.hpp"

namespace bindgate {

/// As set_mempolicy(2) names them, without the MPOL_ prefix.
enum class MemoryPolicy { default_policy, local, bind, preferred, preferred_many, interleave, weighted_interleave };

struct Memory {
  MemoryPolicy policy = MemoryPolicy::default_policy;
  IndexSet nodes;  ///< empty for the default and the local policy
  bool operator==(const Memory&) const = default;
};

struct Placement {
  IndexSet cpus;
  Memory memory;
  unsigned threads = 1;                            ///< compute threads of one launch, at least 1
  std::map<std::string, std::string> environment;  ///< what the variant itself sets
  IndexSet workers = {};                           ///< CPUs of its worker processes; empty: `cpus`, like all else
  bool operator==(const Placement&) const = default;
};

enum class VariantStatus { ok, skipped, degraded };

/// A variant on this machine: its placement, or why it has none.
struct PlannedVariant {
  std::string name;
  VariantStatus status = VariantStatus::ok;
  std::string reason;   ///< why skipped or degraded; else ""
  std::string same_as;  ///< the earlier variant with an equal placement, which stands for this one; else ""
  Placement placement;  ///< meaningless when skipped
  std::string group = {};  ///< variants of one group (co-running ranks) work at once, each in a launch; "": alone
  /// Of a wish that several placements fulfil alike ("any one core"): all of them, `placement` first. Else empty.
  std::vector<Placement> alternatives = {};
  bool operator==(const PlannedVariant&) const = default;
};

/// What the variant's launches of this round get: from round to round the next of its alternatives.
[[nodiscard]] const Placement& placement_in_round(const PlannedVariant& variant, unsigned round);

[[nodiscard]] std::string_view name_of(MemoryPolicy policy);   ///< "default", "preferred-many", ... as `variants` says it
[[nodiscard]] std::string_view name_of(VariantStatus status);  ///< "ok", "skipped", "degraded"

/// "CPUs 0-3, memory bind 0, 4 threads", and what the variant sets: equal texts for equal placements only.
[[nodiscard]] std::string describe(const Placement& placement);
/// The same of all that it stands for: "CPUs 0-7 or 8-15 in turn, memory default, 8 threads".
[[nodiscard]] std::string describe(const PlannedVariant& variant);
/// The same of what these rounds had of it: ", in shares 2:1" where its alternatives did not get equally many of them,
/// since a mean over other shares is another quantity; and of a rank what works beside it, of all that were `planned`.
[[nodiscard]] std::string describe(const PlannedVariant& variant, const std::set<unsigned>& rounds,
                                   std::span<const PlannedVariant> planned);

/// `{"cpus": "0-3", "memory": {"policy": "bind", "nodes": "0"}, "threads": 4, "workers": null, "environment": {}}`
[[nodiscard]] nlohmann::json to_json(const Placement& placement);
[[nodiscard]] Placement read_placement(const JsonCursor& cursor);

/// The placement's keys beside name, status, reason and same_as (null where they say nothing), and in `rotates` the
/// placements of its alternatives but the first.
[[nodiscard]] nlohmann::json to_json(const PlannedVariant& variant);
[[nodiscard]] PlannedVariant read_planned_variant(const JsonCursor& cursor);

/// A set in list notation at this place; a fault where it is none.
[[nodiscard]] IndexSet read_index_set(const JsonCursor& cursor);

}  // namespace bindgate
