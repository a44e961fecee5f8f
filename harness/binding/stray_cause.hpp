#pragma once
// Why threads are likely to run elsewhere than they were put: what people search for hours. A guess, worded as one.

#include <map>
#include <span>
#include <string>

#include "binding/threads.hpp"

namespace bindgate {

/// The settings in a process's environment, as it was started with, that make a runtime bind threads
/// ("OMP_PROC_BIND" -> "close"); none where it may not be read.
[[nodiscard]] std::map<std::string, std::string> binding_settings(int process);

/// What is known when threads of one process were found out of place.
struct StrayFacts {
  IndexSet wanted;                      ///< where they should run
  std::span<const ThreadState> strays;  ///< at least one
  std::size_t in_place = 0;             ///< threads that do run there
  bool main_in_place = false;           ///< the process's first thread is one of them
  bool later = false;                   ///< all strays were in place at first
  std::map<std::string, std::string> settings;
};
[[nodiscard]] std::string likely_cause(const StrayFacts& facts);

}  // namespace bindgate
