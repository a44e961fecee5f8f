#pragma once
// The reader and the digester wired together, for every command that judges a run. Nothing is judged here.

#include <filesystem>

#include "core/error.hpp"
#include "verdict/evidence.hpp"

namespace bindgate {

/// A run's directory to what verdicts are made from, a line at a time; `first_calls` as for Digests. Errors: as read_run.
[[nodiscard]] Result<Evidence> read_evidence(const std::filesystem::path& run, bool first_calls = false);

}  // namespace bindgate
