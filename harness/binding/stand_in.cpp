// The smallest binding that lets the runner be built and tested alone: affinity and memory policy by plain
// system calls, a proof that looks at thread masks only.
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "binding/apply.hpp"
#include "binding/environment.hpp"
#include "binding/proof.hpp"

namespace bindgate {
namespace {

std::vector<unsigned long> mask_of(const IndexSet& set) {
  static constexpr unsigned bits = 8 * sizeof(unsigned long);
  std::vector<unsigned long> mask(set.last().value_or(0) / bits + 1);
  for (const unsigned id : set) mask[id / bits] |= 1UL << (id % bits);
  return mask;
}

}  // namespace

Binding::Binding(const Placement& placement)
    : cpu_mask_(mask_of(placement.cpus)),
      node_mask_(mask_of(placement.memory.nodes)),
      mode_(static_cast<int>(placement.memory.policy == MemoryPolicy::default_policy ? 0
                             : placement.memory.policy == MemoryPolicy::preferred    ? 1
                             : placement.memory.policy == MemoryPolicy::bind         ? 2
                                                                                     : 3)) {}

Binding::Failure Binding::apply() const noexcept {
  if (syscall(SYS_sched_setaffinity, 0, cpu_mask_.size() * sizeof(unsigned long), cpu_mask_.data()) != 0)
    return {0, errno};
  const bool nodes = mode_ != 0;
  if (syscall(SYS_set_mempolicy, mode_, nodes ? node_mask_.data() : nullptr,
              nodes ? node_mask_.size() * 8 * sizeof(unsigned long) + 1 : 0) != 0)
    return {1, errno};
  return {};
}

const char* Binding::name_of_call(int call) { return call == 0 ? "sched_setaffinity" : "set_mempolicy"; }

LaunchEnvironment launch_environment(const std::map<std::string, std::string>& inherited, const Placement& placement,
                                     const std::map<std::string, std::string>& program_environment) {
  LaunchEnvironment result;
  result.set = program_environment;
  result.set.emplace("OMP_WAIT_POLICY", "passive");
  for (const auto& [name, value] : placement.environment) result.set[name] = value;
  auto all = inherited;
  for (const auto& [name, value] : inherited)
    if (name.starts_with("OMP_") || name.starts_with("BENCHMARK_")) {
      result.removed.push_back(name);
      all.erase(name);
    }
  for (const auto& [name, value] : result.set) all[name] = value;
  for (const auto& [name, value] : all) result.complete.push_back(name + '=' + value);
  return result;
}

std::map<std::string, std::string> environment_of_process() {
  std::map<std::string, std::string> settings;
  for (char** setting = environ; setting && *setting; ++setting) {
    const std::string text(*setting);
    if (const auto equals = text.find('='); equals != std::string::npos)
      settings.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return settings;
}

Prover::Prover(int process, Placement placement, unsigned node_count)
    : process_(process), placement_(std::move(placement)), node_count_(node_count) {
  seen_.status = ProofStatus::held;
}

void Prover::check_threads(unsigned) {
  std::error_code error;
  unsigned threads = 0;
  for (auto task = std::filesystem::directory_iterator("/proc/" + std::to_string(process_) + "/task", error);
       !error && task != std::filesystem::directory_iterator(); task.increment(error))
    ++threads;
  seen_.threads = std::max(seen_.threads, threads);
}

Proof Prover::conclude(std::span<const protocol::Range>) { return seen_; }

}  // namespace bindgate
