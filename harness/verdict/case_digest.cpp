#include "verdict/case_digest.hpp"

#include <algorithm>
#include <vector>

#include "statistics/summary.hpp"
#include "verdict/cache_misses.hpp"

namespace bindgate {
namespace {

std::optional<UndisturbedTimes> times_of(std::span<const Block* const> standing, std::int64_t batch, Clock clock) {
  std::vector<double> samples;
  std::array<std::vector<double>, std::size(reference_kernels)> readings;
  for (const Block* block : standing) {
    if (!block->disturbed.empty()) continue;
    if (const auto own = block->nanoseconds.find(clock); own != block->nanoseconds.end())
      samples.insert(samples.end(), own->second.begin(), own->second.end());
    for (const auto& [kernel, nanoseconds] : block->references) {
      auto& all = readings[static_cast<std::size_t>(kernel)];
      all.insert(all.end(), nanoseconds.begin(), nanoseconds.end());
    }
  }
  if (samples.empty()) return std::nullopt;
  UndisturbedTimes times;
  const double middle = median(samples);
  if (middle <= 0) return std::nullopt;
  times.median_ns = middle / static_cast<double>(batch);
  times.spread = mad_coefficient_of_variation(samples, middle);
  for (std::size_t kernel = 0; kernel < readings.size(); ++kernel)
    if (!readings[kernel].empty())
      if (const double reading = median(readings[kernel]); reading > 0) times.references_ns[kernel] = reading;
  return times;
}

}  // namespace

CaseDigest digest_of(const CaseRun& run, const CaseInfo& info) {
  CaseDigest digest;
  for (const Block& block : run.blocks) {
    if (!block.disturbed.empty()) continue;
    digest.undisturbed = true;
    digest.timed = digest.timed || block.nanoseconds.contains(info.primary);
  }
  const std::vector<const Block*> standing = standing_blocks(run);
  const auto undisturbed =
      std::count_if(standing.begin(), standing.end(), [](const Block* block) { return block->disturbed.empty(); });
  digest.mostly_disturbed = 2 * static_cast<std::size_t>(undisturbed) < standing.size();
  digest.times = times_of(standing, run.batch, info.primary);
  digest.turns = turn_times(standing, run.batch, info.primary);
  digest.figures = figures_of(run, standing, info);
  digest.mpki = misses_per_1000_instructions(standing);
  return digest;
}

}  // namespace bindgate
