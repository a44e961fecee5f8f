#include "binding/apply.hpp"

#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>

#include "binding/kernel_masks.hpp"
#include "core/files.hpp"

namespace bindgate {
namespace {

constexpr std::array<const char*, 2> call_names{"sched_setaffinity", "set_mempolicy"};
constexpr int affinity_call = 0, policy_call = 1;

constexpr int mode_weighted_interleave = 6;  // younger than Debian 12's linux/mempolicy.h: since Linux 6.9

int kernel_mode(MemoryPolicy policy) {
  switch (policy) {
    case MemoryPolicy::local: return MPOL_LOCAL;
    case MemoryPolicy::bind: return MPOL_BIND;
    case MemoryPolicy::preferred: return MPOL_PREFERRED;
    case MemoryPolicy::preferred_many: return MPOL_PREFERRED_MANY;
    case MemoryPolicy::interleave: return MPOL_INTERLEAVE;
    case MemoryPolicy::weighted_interleave: return mode_weighted_interleave;
    case MemoryPolicy::default_policy: break;
  }
  return MPOL_DEFAULT;
}

// By a container's filter, or by a kernel without memory policies.
bool refused(int error_number) { return error_number == EPERM || error_number == ENOSYS; }

// What a probe's child tells its parent, followed by the two masks that it read back.
struct ReadBack {
  Binding::Failure failure;
  int affinity_error = 0, policy_error = 0;
  int mode = 0;
};

struct Masks {
  std::vector<unsigned long> cpus = kernel_mask_of_any_size(), nodes = kernel_mask_of_any_size();
};

// Runs in the forked child: system calls only.
void report(const Binding& binding, Masks& masks, int descriptor) noexcept {
  ReadBack read_back;
  read_back.failure = binding.apply();
  if (read_back.failure.error_number == 0) {
    if (syscall(SYS_sched_getaffinity, 0, bytes_of(masks.cpus), masks.cpus.data()) < 0)
      read_back.affinity_error = errno;
    if (syscall(SYS_get_mempolicy, &read_back.mode, masks.nodes.data(), bits_of(masks.nodes) + 1, nullptr, 0UL) != 0)
      read_back.policy_error = errno;
  }
  const auto write_bytes = [descriptor](const void* data, std::size_t size) {
    return write(descriptor, data, size) == static_cast<ssize_t>(size);
  };
  const bool told = write_bytes(&read_back, sizeof read_back) &&
                    write_bytes(masks.cpus.data(), bytes_of(masks.cpus)) &&
                    write_bytes(masks.nodes.data(), bytes_of(masks.nodes));
  _exit(told ? 0 : 1);
}

bool read_bytes(int descriptor, void* data, std::size_t size) {
  auto* next = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t n = read(descriptor, next, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    next += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

// "Cpus_allowed_list" or "Mems_allowed_list" of this process.
std::string own_status(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key + ":\t")) return line.substr(key.size() + 2);
  return "unknown";
}

// Where the policy can be neither set nor asked for, an inherited one still shows at every mapping.
Result<void> check_inherited_policy() {
  std::ifstream mappings("/proc/self/numa_maps");
  std::string address, policy;
  if (!(mappings >> address >> policy) || policy == "default") return {};
  return fail("set_mempolicy: is refused here, and the memory policy '" + policy +
              "' is inherited; start bindgate without it");
}

std::string explain(const Binding::Failure& failure, const Placement& placement) {
  const std::string what = describe_errno(Binding::name_of_call(failure.call), failure.error_number);
  if (failure.error_number == EPERM)
    return what + "; a container refuses it: give it CAP_SYS_NICE or another seccomp profile";
  if (failure.error_number == ENOSYS) return what + "; this kernel has no memory policies";
  if (failure.error_number != EINVAL) return what;
  if (failure.call == affinity_call)
    return what + "; asked for CPUs " + placement.cpus.list() + ", Cpus_allowed is " + own_status("Cpus_allowed_list");
  return what + "; asked for nodes " + placement.memory.nodes.list() + ", Mems_allowed is " +
         own_status("Mems_allowed_list");
}

}  // namespace

Binding::Binding(const Placement& placement)
    : cpu_mask_(kernel_mask(placement.cpus)),
      node_mask_(kernel_mask(placement.memory.nodes)),
      mode_(kernel_mode(placement.memory.policy)) {}

Binding::Failure Binding::apply() const noexcept {
  if (syscall(SYS_sched_setaffinity, 0, bytes_of(cpu_mask_), cpu_mask_.data()) != 0) return {affinity_call, errno};
  if (mode_ == MPOL_DEFAULT) {
    // A container that refuses even this must not end the variants that claim no policy; `probe` looks further.
    if (syscall(SYS_set_mempolicy, MPOL_DEFAULT, nullptr, 0UL) != 0 && !refused(errno))
      return {policy_call, errno};
  } else if (syscall(SYS_set_mempolicy, mode_, node_mask_.data(), bits_of(node_mask_) + 1) != 0) {
    return {policy_call, errno};  // the kernel reads one bit less than it is told: see BUGS in set_mempolicy(2)
  }
  return {};
}

const char* Binding::name_of_call(int call) { return call_names.at(static_cast<std::size_t>(call)); }

Result<void> probe(const Placement& placement) {
  const Binding binding(placement);
  Masks masks;
  auto pipe = make_pipe();
  if (!pipe) return tl::unexpected(pipe.error());
  const pid_t child = fork();
  if (child < 0) return fail(describe_errno("fork", errno));
  if (child == 0) report(binding, masks, pipe->write.get());
  pipe->write.close();
  ReadBack read_back;
  const bool told = read_bytes(pipe->read.get(), &read_back, sizeof read_back) &&
                    read_bytes(pipe->read.get(), masks.cpus.data(), bytes_of(masks.cpus)) &&
                    read_bytes(pipe->read.get(), masks.nodes.data(), bytes_of(masks.nodes));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (!told) return fail("probe: its child ended without an answer, wait status " + std::to_string(status));
  if (read_back.failure.error_number != 0) return fail(explain(read_back.failure, placement));
  if (read_back.affinity_error != 0) return fail(describe_errno("sched_getaffinity", read_back.affinity_error));
  if (const IndexSet got = set_of(masks.cpus); got != placement.cpus)
    return fail("sched_setaffinity: asked for CPUs " + placement.cpus.list() + ", got " + got.list());
  const bool claims_memory = placement.memory.policy != MemoryPolicy::default_policy;
  if (!claims_memory && refused(read_back.policy_error)) return check_inherited_policy();
  if (read_back.policy_error != 0) return fail(describe_errno("get_mempolicy", read_back.policy_error));
  // The upper bits of the mode are flags.
  if (const int mode = read_back.mode & ~MPOL_MODE_FLAGS; mode != kernel_mode(placement.memory.policy))
    return fail("set_mempolicy: asked for mode " + std::to_string(kernel_mode(placement.memory.policy)) + ", got " +
                std::to_string(mode));
  if (const IndexSet got = set_of(masks.nodes); claims_memory && got != placement.memory.nodes)
    return fail("set_mempolicy: asked for nodes " + placement.memory.nodes.list() + ", got " + got.list());
  return {};
}

}  // namespace bindgate
