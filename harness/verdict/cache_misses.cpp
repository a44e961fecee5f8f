#include "verdict/cache_misses.hpp"

#include <algorithm>
#include <map>

#include "statistics/summary.hpp"
#include "verdict/evidence.hpp"
#include "verdict/policy.hpp"
#include "verdict/reconcile.hpp"
#include "verdict/words.hpp"

namespace bindgate {
namespace {

bool warns(const Policy& policy) {
  return policy.limits.warn_cache_misses ||
         std::any_of(policy.overrides.begin(), policy.overrides.end(), [](const Policy::Override& own) {
           return own.warn_cache_misses && *own.warn_cache_misses;
         });
}

bool counted(const CountedLaunch& launch) {
  return std::any_of(launch.cases.begin(), launch.cases.end(),
                     [](const auto& one) { return one.second.digest->mpki.has_value(); });
}

/// In the program's words, bench/README.md's `perf_events`.
std::string reason_of(const Launch& launch) {
  const auto state = launch.settings.find("perf_events");
  if (state == launch.settings.end() || state->second.empty()) return "the program does not say why";
  const bool all_refused = state->second.starts_with("refused: ");
  return (all_refused ? "perf_event_open " : "of perf_event_open there are ") + state->second;
}

}  // namespace

std::optional<double> misses_per_1000_instructions(std::span<const Block* const> standing) {
  std::vector<double> blocks;
  for (const Block* block : standing) {
    const Indicators& counts = block->indicators;
    if (!block->disturbed.empty() || !counts.cache_misses || counts.instructions.value_or(0) <= 0) continue;
    blocks.push_back(1000 * static_cast<double>(*counts.cache_misses) / static_cast<double>(*counts.instructions));
  }
  if (blocks.empty()) return std::nullopt;
  return median(blocks);
}

std::optional<CacheMisses> more_cache_misses(std::span<const NightLaunch> tonight, std::span<const double> stored,
                                             const std::optional<double>& threshold) {
  std::vector<double> own;
  for (const NightLaunch& launch : tonight)
    if (launch.mpki) own.push_back(*launch.mpki);
  if (!threshold || own.empty() || stored.empty()) return std::nullopt;
  const CacheMisses misses{median(own), median(stored), *threshold, static_cast<unsigned>(own.size()),
                           static_cast<unsigned>(stored.size())};
  if (misses.mpki < fewest_mpki || misses.mpki <= *threshold * misses.stored_mpki) return std::nullopt;
  return misses;
}

std::vector<std::string> notes_on_cache_misses(const Evidence& evidence, const StoredNights& stored,
                                               const Policy& policy) {
  if (!warns(policy)) return {};
  std::map<std::string, std::vector<std::string>> uncounted;  // reason -> programs
  std::size_t programs = 0, with_counts = 0;
  for (const PlannedProgram& program : evidence.run.plan.programs) {
    const std::vector<CountedLaunch> launches = counted_launches(evidence, program.name);
    if (launches.empty()) continue;
    ++programs;
    if (std::any_of(launches.begin(), launches.end(), counted))
      ++with_counts;
    else
      uncounted[reason_of(*launches.front().launch)].push_back(program.name);
  }
  std::vector<std::string> notes;
  for (const auto& [reason, names] : uncounted)
    notes.push_back("cache misses: not counted, so not compared" +
                    (names.size() == programs ? "" : " for " + listed(names)) + ": " + reason);
  const bool never_stored = std::all_of(stored.series.begin(), stored.series.end(),
                                        [](const auto& series) { return series.second.mpki.empty(); });
  if (with_counts > 0 && never_stored && !stored.series.empty())
    notes.push_back("cache misses: counted here, but in no night of the baseline; the next accepted one keeps them");
  return notes;
}

}  // namespace bindgate
