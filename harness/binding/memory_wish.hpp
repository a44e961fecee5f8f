#pragma once
// Where memory shall lie, as people write it: `bind:0,2`, `interleave:all`, `farthest`. Read without a machine,
// resolved on what may be planned on for the CPUs that were chosen.

#include <optional>
#include <string_view>

#include "binding/ground.hpp"
#include "core/error.hpp"
#include "samples/placement.hpp"

namespace bindgate {

class MemoryWish {
 public:
  /// Errors: an unknown word (the nearest is suggested), a list of nodes that is missing, wrong or too long.
  [[nodiscard]] static Result<MemoryWish> parse(std::string_view text);

  /// What the machine lacks for it whichever CPUs are chosen.
  [[nodiscard]] Result<void> check(const Ground& ground) const;
  /// Errors: no such node, or none that has memory which this process may use.
  [[nodiscard]] Result<Memory> resolve(const Ground& ground, const IndexSet& cpus, const Choice* chosen) const;

 private:
  enum class Nodes { none, listed, all, near, farthest };

  MemoryPolicy policy_ = MemoryPolicy::default_policy;
  Nodes nodes_ = Nodes::none;
  IndexSet listed_;
};

/// As the default policy where that is the same on this machine, and otherwise by the plainest policy: equal placements
/// are found by comparing them.
[[nodiscard]] Memory simplest(Memory memory, const Ground& ground);

}  // namespace bindgate
