#pragma once
// Whether a launch's memory lay far from its CPUs without having been asked to. Where it must lie is the proof's
// business; this says where the rest came to lie.

#include <optional>
#include <span>

#include "verdict/evidence.hpp"
#include "verdict/warnings.hpp"

namespace bindgate {

/// Remote are pages of the reported ranges on nodes that are neither nearest to the CPUs on which the launch was seen
/// to run (where that was not readable: on which it might) nor named by its placement's memory policy. Judged is the
/// worst of `launches`, since one of several explains an outlier; nothing if that is not above `threshold`, where no
/// threshold is set, and where no launch tells its pages and CPUs.
[[nodiscard]] std::optional<RemotePages> remote_pages(std::span<const SeriesLaunch> launches,
                                                      const NearestMemory& nearest,
                                                      const std::optional<double>& threshold);

}  // namespace bindgate
