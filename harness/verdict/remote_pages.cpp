#include "verdict/remote_pages.hpp"

namespace bindgate {
namespace {

/// Nothing where it is not known of one of them: another node may then be near.
std::optional<IndexSet> nearest_to(const IndexSet& cpus, const NearestMemory& nearest) {
  IndexSet nodes;
  for (const unsigned cpu : cpus) {
    const auto own = nearest.find(cpu);
    if (own == nearest.end()) return std::nullopt;
    nodes = nodes | own->second;
  }
  return nodes.empty() ? std::nullopt : std::optional(nodes);
}

/// Without a threshold; nothing where it is not known.
std::optional<RemotePages> of_launch(const SeriesLaunch& launch, const NearestMemory& nearest) {
  if (!launch.run->proof || launch.run->proof->node_bytes.empty()) return std::nullopt;
  const Proof& proof = *launch.run->proof;
  const Placement& placement = launch.launch->placement;
  const auto near = nearest_to(proof.ran_on.empty() ? placement.cpus | placement.workers : proof.ran_on, nearest);
  if (!near) return std::nullopt;
  RemotePages pages;
  pages.nearest = *near;
  pages.round = launch.launch->round;
  for (const auto& [node, bytes] : proof.node_bytes) {
    pages.working_set_bytes += bytes;
    if (bytes == 0 || near->contains(node) || placement.memory.nodes.contains(node)) continue;
    pages.bytes += bytes;
    pages.nodes.insert(node);
  }
  if (pages.working_set_bytes == 0) return std::nullopt;
  pages.share = static_cast<double>(pages.bytes) / static_cast<double>(pages.working_set_bytes);
  return pages;
}

}  // namespace

std::optional<RemotePages> remote_pages(std::span<const SeriesLaunch> launches, const NearestMemory& nearest,
                                        const std::optional<double>& threshold) {
  if (!threshold) return std::nullopt;
  std::optional<RemotePages> worst;
  unsigned beyond = 0, looked_at = 0;
  for (const SeriesLaunch& launch : launches) {
    const auto pages = of_launch(launch, nearest);
    if (!pages) continue;
    ++looked_at;
    if (pages->share <= *threshold) continue;
    ++beyond;
    if (!worst || pages->share > worst->share) worst = pages;
  }
  if (!worst) return std::nullopt;
  worst->threshold = *threshold;
  worst->beyond = beyond;
  worst->launches = looked_at;
  return worst;
}

}  // namespace bindgate
