#pragma once
// What a launch finds in its environment: most of the noise between launches comes from there (malloc, BLAS,
// threads, waiting), so what shapes the numbers is set here and what fights it is taken away, by name.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "samples/placement.hpp"
#include "topology/machine.hpp"

namespace bindgate {

struct LaunchEnvironment {
  std::map<std::string, std::string> set;  ///< what we set, by name
  std::vector<std::string> removed;        ///< names taken from the inherited environment, sorted
  std::vector<std::string> complete;       ///< "NAME=VALUE", all that the launch gets, sorted: for execve(2)
  std::vector<std::string> findings;       ///< what stays though it can shape the numbers
};

/// Precedence, highest first: the variant's own settings; the machine owner's OPENBLAS_* (thread counts
/// excepted: some kernels give wrong results on some processors, and the owner knows); `program_environment`;
/// our defaults for malloc, threads, waiting and locale. Everything else is inherited, but preloaded libraries that
/// are shims of libnuma by their name. BINDGATE_WORKER_CPUS tells a program where the placement has its workers.
[[nodiscard]] LaunchEnvironment launch_environment(const std::map<std::string, std::string>& inherited,
                                                   const Placement& placement,
                                                   const std::map<std::string, std::string>& program_environment);

/// Whether a launch finds its number of threads in this variable, as OMP_NUM_THREADS.
[[nodiscard]] bool is_set_to_threads(std::string_view name);

/// The environment of this process.
[[nodiscard]] std::map<std::string, std::string> environment_of_process();

/// Of another process, as it was started; of a name that is there twice the first. Errors: it is gone or may not be
/// read.
[[nodiscard]] Result<std::map<std::string, std::string>> environment_of(int process);

/// The OPENBLAS_CORETYPE for this machine when OpenBLAS reports a core below the CPU's capability, as it does on
/// processors younger than itself ("Prescott" on one with AVX2). Nothing when the reported core will do, is not
/// known, or the machine does not tell what it can.
[[nodiscard]] std::optional<std::string> better_blas_core(const std::string& reported_core, const Machine& machine);

}  // namespace bindgate
