#pragma once
// Which environment a launch gets: the caller's, less what would fight its placement, plus what finding by
// finding has proved necessary. Pure: nothing is read from or written to the process's own environment.

#include <map>
#include <string>
#include <vector>

#include "samples/placement.hpp"

namespace bindgate {

struct LaunchEnvironment {
  std::map<std::string, std::string> set;  ///< what the harness sets
  std::vector<std::string> removed;        ///< names taken from the inherited environment
  std::vector<std::string> complete;       ///< "NAME=VALUE" for execve, without BINDGATE_* descriptors
};

/// Precedence: the placement's own settings, then the inherited OPENBLAS_*, then `program_environment`.
[[nodiscard]] LaunchEnvironment launch_environment(const std::map<std::string, std::string>& inherited,
                                                   const Placement& placement,
                                                   const std::map<std::string, std::string>& program_environment);

/// The environment of this process.
[[nodiscard]] std::map<std::string, std::string> environment_of_process();

}  // namespace bindgate
