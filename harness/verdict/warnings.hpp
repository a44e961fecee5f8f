#pragma once
// What people look for beside a verdict: memory far from the CPUs that use it, caches that miss more than before. A
// warning stands beside a judgement and never changes it, nor the exit status. Words are the report's.

#include <cstdint>
#include <optional>

#include "core/index_set.hpp"

namespace bindgate {

/// Pages where nothing asked for them to be: of the launch with the largest share of them.
struct RemotePages {
  double share = 0;  ///< of the working set
  double threshold = 0;
  std::uint64_t bytes = 0, working_set_bytes = 0;  ///< those pages; all pages of the reported ranges
  IndexSet nodes;             ///< where those pages lay
  IndexSet nearest;           ///< the nodes nearest to the launch's CPUs
  unsigned round = 0;         ///< of that launch
  unsigned beyond = 0;        ///< launches above the threshold
  unsigned launches = 0;      ///< launches that could be looked at
  bool operator==(const RemotePages&) const = default;
};

/// Per 1,000 instructions, medians over launches.
struct CacheMisses {
  double mpki = 0, stored_mpki = 0;
  double threshold = 0;  ///< a factor
  unsigned launches = 0, stored_launches = 0;
  bool operator==(const CacheMisses&) const = default;
};

struct Warnings {
  std::optional<RemotePages> remote_pages = {};
  std::optional<CacheMisses> cache_misses = {};
  bool operator==(const Warnings&) const = default;
};

}  // namespace bindgate
