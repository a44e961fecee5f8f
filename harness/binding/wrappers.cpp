#include "binding/wrappers.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>

#include "core/files.hpp"

namespace bindgate {
namespace {

struct Wrapper {
  std::string_view program, package;
};
constexpr std::string_view cpus_key = "Cpus_allowed_list:\t";
constexpr std::array<Wrapper, 3> wrappers{
    {{"taskset", "util-linux"}, {"numactl", "numactl"}, {"hwloc-bind", "hwloc or hwloc-nox"}}};

std::string memory_text(const Memory& memory) {
  const std::string nodes = memory.nodes.list();
  return std::string(name_of(memory.policy)) + (nodes.empty() ? "" : ' ' + nodes);
}

Result<std::vector<std::string>> numactl_arguments(const Placement& asked) {
  std::vector<std::string> arguments{"--physcpubind=" + asked.cpus.list()};
  const std::string nodes = asked.memory.nodes.list();
  switch (asked.memory.policy) {
    case MemoryPolicy::default_policy: break;
    case MemoryPolicy::local: arguments.emplace_back("--localalloc"); break;
    case MemoryPolicy::bind: arguments.push_back("--membind=" + nodes); break;
    case MemoryPolicy::preferred: arguments.push_back("--preferred=" + nodes); break;
    case MemoryPolicy::preferred_many: arguments.push_back("--preferred-many=" + nodes); break;
    case MemoryPolicy::interleave: arguments.push_back("--interleave=" + nodes); break;
    case MemoryPolicy::weighted_interleave: arguments.push_back("--weighted-interleave=" + nodes); break;
  }
  return arguments;
}

// It counts logically unless told otherwise.
Result<std::vector<std::string>> hwloc_arguments(const Placement& asked) {
  std::vector<std::string> arguments{"--physical", "--cpubind"};
  for (const unsigned cpu : asked.cpus) arguments.push_back("pu:" + std::to_string(cpu));
  const bool binds = asked.memory.policy == MemoryPolicy::bind;
  if (!binds && asked.memory.policy != MemoryPolicy::default_policy)
    return fail("hwloc-bind has no words for memory " + memory_text(asked.memory));
  if (binds) arguments.emplace_back("--membind");
  for (const unsigned node : asked.memory.nodes) arguments.push_back("node:" + std::to_string(node));
  arguments.emplace_back("--");
  return arguments;
}

// The policy's word at the beginning of `text`, longer words first.
std::optional<Memory> memory_of(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, MemoryPolicy>, 7> words{
      {{"default", MemoryPolicy::default_policy},
       {"local", MemoryPolicy::local},
       {"bind", MemoryPolicy::bind},
       {"prefer (many)", MemoryPolicy::preferred_many},
       {"prefer", MemoryPolicy::preferred},
       {"interleave", MemoryPolicy::interleave},
       {"weighted interleave", MemoryPolicy::weighted_interleave}}};
  for (const auto& [word, policy] : words) {
    if (!text.starts_with(word)) continue;
    text.remove_prefix(word.size());
    Memory memory{policy, {}};
    const std::string_view rest = text.substr(0, text.find(' '));  // "=static:0", ":0-1" or nothing
    if (const auto colon = rest.find(':'); colon != std::string_view::npos) {
      auto nodes = IndexSet::parse(rest.substr(colon + 1));
      if (!nodes) return std::nullopt;
      memory.nodes = *std::move(nodes);
    }
    return memory;
  }
  return std::nullopt;
}

struct Ended {
  int status = 0;
  std::string text;  // of both streams
};

Result<Ended> output_of(const std::vector<std::string>& words) {
  auto pipe = make_pipe();
  if (!pipe) return tl::unexpected(pipe.error());
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe->write.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipe->write.get(), STDERR_FILENO);
  std::vector<char*> arguments;
  // posix_spawn takes pointers to non-const for history's sake; it writes through none of them.
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return fail(describe_errno("posix_spawnp", error));
  pipe->write.close();
  Ended ended;
  std::array<char, 4096> piece{};
  for (ssize_t n = 0; (n = read(pipe->read.get(), piece.data(), piece.size())) != 0;) {
    if (n < 0 && errno != EINTR) break;
    if (n > 0) ended.text.append(piece.data(), static_cast<std::size_t>(n));
  }
  while (waitpid(child, &ended.status, 0) < 0 && errno == EINTR) continue;
  return ended;
}

bool is_installed(const std::string& program) {
  const char* path = getenv("PATH");
  std::string_view rest = path ? path : "/usr/bin:/bin";
  for (;;) {
    const auto colon = rest.find(':');
    if (access((std::string(rest.substr(0, colon)) + '/' + program).c_str(), X_OK) == 0) return true;
    if (colon == std::string_view::npos) return false;
    rest.remove_prefix(colon + 1);
  }
}

}  // namespace

Result<std::vector<std::string>> wrapper_arguments(const std::string& program, const Placement& asked) {
  if (program == "numactl") return numactl_arguments(asked);
  if (program == "hwloc-bind") return hwloc_arguments(asked);
  if (asked.memory.policy != MemoryPolicy::default_policy) return fail(program + " has no words for memory");
  return std::vector<std::string>{"--cpu-list", asked.cpus.list()};
}

Result<Placement> read_back(std::string_view status_and_numa_maps, bool has_policies) {
  Placement placement;
  bool policy_seen = false;
  std::string_view last;  // where numa_maps would stand: what cat says of it
  std::string_view rest = status_and_numa_maps;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    last = line;
    if (line.starts_with(cpus_key)) {
      auto cpus = IndexSet::parse(line.substr(cpus_key.size()));
      if (cpus) placement.cpus = *std::move(cpus);
      continue;
    }
    // The first mapping shows the policy of the task.
    const auto space = line.find(' ');
    if (space == 0 || space == std::string_view::npos || placement.cpus.empty() ||
        line.find_first_not_of("0123456789abcdef") != space)
      continue;
    const auto memory = memory_of(line.substr(space + 1));
    if (!memory) return fail("numa_maps: unknown memory policy in '" + std::string(line) + "'");
    placement.memory = *memory;
    policy_seen = true;
    break;
  }
  if (placement.cpus.empty()) return fail("nothing tells its CPUs (Cpus_allowed_list)");
  if (has_policies && !policy_seen)
    return fail("the memory policy that it gives cannot be read from /proc/self/numa_maps: '" + std::string(last) +
                "'");
  return placement;
}

Result<Wrapped> apply_through(const std::string& program, const Placement& asked) {
  const auto wrapper = std::find_if(wrappers.begin(), wrappers.end(),
                                    [&](const Wrapper& one) { return one.program == program; });
  if (wrapper == wrappers.end()) return fail(program + ": is no wrapper that bindgate knows");
  if (!is_installed(program))
    return fail(program + " is not installed (Debian's package " + std::string(wrapper->package) + ")");
  auto words = wrapper_arguments(program, asked);
  if (!words) return tl::unexpected(words.error());
  words->insert(words->begin(), program);
  words->insert(words->end(), {"cat", "/proc/self/status", "/proc/self/numa_maps"});
  const auto ended = output_of(*words);
  if (!ended) return fail(program, ended.error());
  const auto given = read_back(ended->text, access("/proc/self/numa_maps", F_OK) == 0);
  if (!given) {
    const std::string first_line = ended->text.substr(0, ended->text.find('\n'));
    const bool quoted = !first_line.empty() && ended->text.find(cpus_key) == std::string::npos;
    return fail(program + ": " + (quoted ? first_line : given.error().message));
  }
  Wrapped wrapped{asked, ""};
  wrapped.placement.cpus = given->cpus;
  wrapped.placement.memory = given->memory;
  if (given->cpus != asked.cpus)
    wrapped.difference = program + " gives CPUs " + given->cpus.list() + ", not " + asked.cpus.list();
  if (given->memory != asked.memory)
    wrapped.difference += (wrapped.difference.empty() ? program + " gives memory " : ", and memory ") +
                          memory_text(given->memory) + ", not " + memory_text(asked.memory);
  if (program == "hwloc-bind" && given->memory.policy == MemoryPolicy::preferred_many &&
      asked.memory.policy == MemoryPolicy::bind)
    wrapped.difference += "; --membind without --strict means preferred";
  return wrapped;
}

}  // namespace bindgate
