#pragma once
// The form of every journal line, writing side and reading side together; README.md shows them with jq.
// Only the journal uses this: elsewhere a Run is the thing to hold.

#include <string>
#include <string_view>

#include "core/error.hpp"
#include "samples/journal.hpp"
#include "samples/launch.hpp"
#include "samples/run.hpp"

namespace bindgate::journal_lines {

inline constexpr const char* schema = "bindgate.journal/1";

[[nodiscard]] std::string header(const Run& run);
[[nodiscard]] std::string launch_started(const Launch& launch);
[[nodiscard]] std::string case_started(unsigned launch, const CaseRun& run);
[[nodiscard]] std::string block(unsigned launch, std::string_view case_name, const Block& block);
[[nodiscard]] std::string case_ended(unsigned launch, const CaseRun& run);
[[nodiscard]] std::string launch_ended(const Launch& launch);
[[nodiscard]] std::string round_completed(unsigned round, const Spent& spent);
[[nodiscard]] std::string resumed();
[[nodiscard]] std::string stopped(std::string_view reason);
[[nodiscard]] std::string finished();

/// Adds what one line says to `run`; a case that it ends goes to `on_case_read`. `source` ("FILE:LINE") leads every
/// error; the header must come first.
[[nodiscard]] Result<void> read(std::string_view line, const std::string& source, Run& run,
                                const OnCaseRead& on_case_read = {});

}  // namespace bindgate::journal_lines
