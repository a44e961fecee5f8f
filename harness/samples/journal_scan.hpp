#pragma once
// Reads the lines of which a journal consists almost entirely, as the writer leaves them: no white space, no
// escapes, whole numbers. It only exists for speed and says nothing of faults: whatever it does not know it
// declines, and the strict reader decides and explains.

#include <cstdint>
#include <optional>
#include <string_view>

#include "samples/block.hpp"
#include "samples/launch.hpp"

namespace bindgate::journal_lines {

/// One line; `Content` is what it adds to the run.
template <class Content>
struct Scanned {
  std::int64_t launch = 0;
  std::string_view case_name;  ///< a part of the line
  Content content;
};

// Each: what the strict reader makes of such a line, or nothing. None accepts a line that the strict reader refuses.
[[nodiscard]] std::optional<Scanned<CaseRun>> scan_case_start(std::string_view line);  ///< without its name
[[nodiscard]] std::optional<Scanned<Block>> scan_block(std::string_view line);
[[nodiscard]] std::optional<Scanned<CaseRun>> scan_case_end(std::string_view line);  ///< without figures

}  // namespace bindgate::journal_lines
