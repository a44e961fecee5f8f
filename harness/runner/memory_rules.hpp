#pragma once
// What of an ensemble fits into memory at once, as pure functions over claims and figures. Nothing is read here, and
// who takes part in which part of a case is the ensemble's business.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "samples/placement.hpp"
#include "topology/machine.hpp"

namespace bindgate {

/// What can still be had, in bytes. What is not told takes anything.
struct FreeMemory {
  std::map<unsigned, std::uint64_t> of_node;
  std::optional<std::uint64_t> of_group;  ///< what the control group's limit leaves, on all nodes together
};

/// One launch's claim on memory.
struct MemoryClaim {
  const Placement* placement = nullptr;
  std::uint64_t bytes = 0;
};

/// Why the claims do not fit into half of each node's free memory, and all together into half of the control group's,
/// with the figures; "" when they do. Where the policy leaves a choice of nodes, a claim counts in equal parts.
[[nodiscard]] std::string why_too_large(std::span<const MemoryClaim> claims, std::span<const Node> nodes,
                                        const FreeMemory& free);

/// Of launches that can only take part together, often one.
using JointClaim = std::vector<MemoryClaim>;

/// Positions of the `candidates` that fit beside what is `open` and beside each other, the earlier before the later;
/// one that does not fit keeps no later one out.
[[nodiscard]] std::vector<std::size_t> fitting(std::vector<MemoryClaim> open, std::span<const JointClaim> candidates,
                                               std::span<const Node> nodes, const FreeMemory& free);

}  // namespace bindgate
