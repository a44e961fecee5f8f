#pragma once
// Looks at a program before a run is planned: which cases it has, which of them work under a placement, and what
// they cost there. Nothing is measured that would stand in a result.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "runner/launch_client.hpp"
#include "samples/launch.hpp"

namespace bindgate {

struct ProbedCase {
  std::string name;
  CaseOutcome outcome = CaseOutcome::ok;  ///< ok, not_run or failed
  std::string reason;                     ///< of not_run and failed
  std::vector<std::int64_t> warmup_ns;    ///< of an ok case: wall time per warm-up iteration
  std::uint64_t working_set_bytes = 0;    ///< of an ok case
  unsigned threads = 1;                   ///< that an ok case computes with
  /// Wall time of set-up, check and warm-up; nothing for a case that was not begun, its launch having ended before.
  std::optional<double> set_up_seconds;
  bool operator==(const ProbedCase&) const = default;
};

struct Discovery {
  protocol::Hello hello;
  double start_seconds = 0;                        ///< wall time from the start to the hello
  std::vector<ProbedCase> cases;                   ///< those asked for, in that order
  std::vector<std::string> loaded;                 ///< shared objects, after the cases asked for
  std::map<std::string, std::string> environment;  ///< what the harness set
};

/// Hears the name of each case that is about to be set up.
using CaseListener = std::function<void(const std::string& case_name)>;

/// Starts the program, hears its hello, and sets up (and so checks) each of `cases` once. A program that dies in
/// a case fails that case and those after it. Errors: it cannot be started, says no proper hello, or `stop` was raised;
/// all begin with the program's path.
[[nodiscard]] Result<Discovery> discover(const LaunchOrder& order, std::span<const std::string> cases,
                                         const Deadlines& deadlines, const StopRequest& stop,
                                         const CaseListener& begins = [](const std::string&) {});

/// FNV-1a (64 bits) of a file's content in hexadecimal, as the identity of a build. Errors: as read_file.
[[nodiscard]] Result<std::string> content_hash(const std::filesystem::path& path);

}  // namespace bindgate
