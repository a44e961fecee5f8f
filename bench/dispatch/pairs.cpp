#include "dispatch/pairs.hpp"

namespace bindgate {

std::string_view name_of(Distance distance) {
  switch (distance) {
    case Distance::same_l2: return "same-l2";
    case Distance::same_l3: return "same-l3";
    case Distance::other_l3: return "other-l3";
    case Distance::other_node: return "other-node";
  }
  return "";
}

std::string_view why_no_pair(Distance distance) {
  switch (distance) {
    case Distance::same_l2: return "the placement has no two CPUs that share an L2";
    case Distance::same_l3: return "the placement has no two CPUs that share an L3 but no L2";
    case Distance::other_l3: return "the placement has no two CPUs of one node that share no L3";
    case Distance::other_node: return "the placement has no two CPUs on different nodes";
  }
  return "";
}

std::optional<Distance> distance_between(const Cpu& a, const Cpu& b) {
  if (a.node && b.node && a.node != b.node) return Distance::other_node;
  if (a.caches.empty() || b.caches.empty()) return std::nullopt;
  if (a.shares(2, b)) return Distance::same_l2;
  return a.shares(3, b) ? Distance::same_l3 : Distance::other_l3;
}

std::optional<CpuPair> find_pair(std::span<const Cpu> cpus, Distance distance) {
  for (std::size_t i = 0; i < cpus.size(); ++i)
    for (std::size_t j = i + 1; j < cpus.size(); ++j)
      if (distance_between(cpus[i], cpus[j]) == distance) return CpuPair{cpus[i].id, cpus[j].id};
  return std::nullopt;
}

}  // namespace bindgate
