#pragma once
// Which two CPUs a forced migration goes between, from what CPUs share.

#include <optional>
#include <span>
#include <string_view>

#include "support/cpus.hpp"

namespace bindgate {

/// How far apart two CPUs are, from near to far.
enum class Distance { same_l2, same_l3, other_l3, other_node };
inline constexpr Distance distances[] = {Distance::same_l2, Distance::same_l3, Distance::other_l3,
                                         Distance::other_node};

[[nodiscard]] std::string_view name_of(Distance distance);    ///< "same-l2", ..., "other-node"
[[nodiscard]] std::string_view why_no_pair(Distance distance);  ///< "the placement has no two CPUs that share an L2"

/// Nothing where the system does not tell: the caches are unknown.
[[nodiscard]] std::optional<Distance> distance_between(const Cpu& a, const Cpu& b);

struct CpuPair {
  unsigned from = 0, to = 0;
  bool operator==(const CpuPair&) const = default;
};

/// The pair with the lowest ids, which is the same in every launch; nothing where there is none.
[[nodiscard]] std::optional<CpuPair> find_pair(std::span<const Cpu> cpus, Distance distance);

}  // namespace bindgate
