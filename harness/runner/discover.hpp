#pragma once
// Looks at a program before a run is planned: which cases it has, and which of them work under a placement.
// Nothing is measured.

#include <filesystem>
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
  bool operator==(const ProbedCase&) const = default;
};

struct Discovery {
  protocol::Hello hello;
  std::vector<ProbedCase> cases;                   ///< those asked for, in that order
  std::vector<std::string> loaded;                 ///< shared objects, after the cases asked for
  std::map<std::string, std::string> environment;  ///< what the harness set
};

/// Starts the program, hears its hello, and sets up (and so checks) each of `cases` once. A program that dies in
/// a case fails that case and those after it. Errors: it cannot be started, says no proper hello, or `stop` was raised.
[[nodiscard]] Result<Discovery> discover(const LaunchOrder& order, std::span<const std::string> cases,
                                         const Deadlines& deadlines, const StopRequest& stop);

/// FNV-1a (64 bits) of a file's content in hexadecimal, as the identity of a build. Errors: as read_file.
[[nodiscard]] Result<std::string> content_hash(const std::filesystem::path& path);

}  // namespace bindgate
