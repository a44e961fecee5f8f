#include "binding/verification.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "binding/environment.hpp"
#include "binding/kernel_masks.hpp"
#include "binding/memory_map.hpp"
#include "binding/page_rules.hpp"
#include "binding/pages.hpp"
#include "binding/stray_cause.hpp"
#include "binding/thread_rules.hpp"
#include "binding/threads.hpp"
#include "core/files.hpp"
#include "core/names.hpp"
#include "core/units.hpp"

namespace bindgate {
namespace {

std::uint64_t elsewhere(const NodeBytes& bytes, const IndexSet& nodes) {
  std::uint64_t sum = 0;
  for (const auto& [node, on_node] : bytes)
    if (!nodes.contains(node)) sum += on_node;
  return sum;
}

std::string command_of(int process) {
  std::string command = read_file("/proc/" + std::to_string(process) + "/cmdline").value_or("");
  while (!command.empty() && command.back() == '\0') command.pop_back();
  std::replace(command.begin(), command.end(), '\0', ' ');
  return command.empty() ? read_line_of("/proc/" + std::to_string(process) + "/comm") : command;
}

void verify_environment(const ProcessFacts& facts, const Placement& placement, Verification& found) {
  if (placement.environment.empty()) return;
  if (!facts.environment) {
    found.doubts.push_back("environment: /proc/" + std::to_string(facts.process) +
                           "/environ cannot be read; run as the user of the process, or with CAP_SYS_PTRACE");
    return;
  }
  for (const auto& [name, value] : placement.environment)
    if (const auto own = facts.environment->find(name); own == facts.environment->end() || own->second != value)
      found.misfits.push_back("environment: " + name +
                              (own == facts.environment->end() ? " is not set" : "=" + own->second) +
                              ", the variant sets " + name + '=' + value + "; only a restart helps");
}

void add_to_group(const ThreadState& thread, int process, std::vector<ThreadGroup>& groups) {
  static constexpr std::size_t most_names = 3;
  const bool descendant = thread.process != process;
  const std::string policy = thread_policy(thread.process, thread.id);
  auto group = std::find_if(groups.begin(), groups.end(), [&](const ThreadGroup& one) {
    return one.cpus == thread.cpus && one.policy == policy && one.descendants == descendant;
  });
  if (group == groups.end()) group = groups.insert(group, {thread.cpus, policy, 0, {}, {}, descendant});
  ++group->threads;
  if (thread.last_cpu) group->ran_on.insert(*thread.last_cpu);
  auto& names = group->names;
  if (names.size() < most_names && std::find(names.begin(), names.end(), thread.name) == names.end())
    names.push_back(thread.name);
}

void verify_threads(const ProcessFacts& facts, const Placement& placement, std::vector<std::string>& misfits) {
  std::vector<ThreadState> strays;
  std::size_t in_place = 0;
  for (const ThreadGroup& group : facts.groups) {
    const IndexSet& wanted = cpus_for(group.descendants, placement);
    if (is_in_place(group.cpus, group.descendants, placement)) {
      in_place += group.threads;
      continue;
    }
    misfits.push_back(counted(group.threads, "thread") + " (" + group.names.front() +
                      (group.names.size() > 1 ? ", ..." : "") + ")" +
                      (group.descendants ? " of processes that it started" : "") + " may run on CPUs " +
                      group.cpus.list() + " instead of " + wanted.list());
    ThreadState stray;
    stray.cpus = group.cpus;
    strays.push_back(std::move(stray));
  }
  const bool narrowed = std::all_of(strays.begin(), strays.end(), [&](const ThreadState& stray) {
    return placement.cpus.contains(stray.cpus);
  });
  if (strays.empty() || (in_place == 0 && !narrowed)) return;  // nobody may ever have bound it
  const auto threads = read_threads(facts.process);
  const bool main_in_place = threads && is_in_place(threads->front().cpus, false, placement);
  misfits.push_back("likely: " + likely_cause({placement.cpus, strays, in_place, main_in_place, false,
                                               binding_settings(facts.process)}));
}

// Without nodes of its own (default, local) a policy gives a repair nowhere to move pages to.
bool has_goal(const Memory& memory, unsigned node_count) { return node_count > 1 && !memory.nodes.empty(); }

}  // namespace

Result<ProcessFacts> read_process(int process) {
  const std::string folder = "/proc/" + std::to_string(process);
  if (access(folder.c_str(), F_OK) != 0)
    return fail("process " + std::to_string(process) +
                ": there is none; give the id of a running one, as pgrep shows it");
  const auto threads = read_threads(process);
  if (!threads) return tl::unexpected(threads.error());
  ProcessFacts facts;
  facts.process = process;
  facts.command = command_of(process);
  if (auto environment = environment_of(process)) facts.environment = *std::move(environment);
  for (const ThreadState& thread : *threads) add_to_group(thread, process, facts.groups);
  std::stable_sort(facts.groups.begin(), facts.groups.end(), [](const ThreadGroup& a, const ThreadGroup& b) {
    return std::pair(a.descendants, b.threads) < std::pair(b.descendants, a.threads);
  });
  const auto map = read_memory_map(process);
  if (!map) {
    facts.memory_refusal = map.error().message + "; run as the user of the process, or with CAP_SYS_PTRACE";
    return facts;
  }
  for (const Mapping& mapping : *map)
    for (const auto& [node, bytes] : mapping.node_bytes) {
      facts.node_bytes[node] += bytes;
      if (mapping.anonymous) facts.anonymous_node_bytes[node] += bytes;
    }
  if (facts.node_bytes.empty()) facts.memory_refusal = folder + "/numa_maps: tells no nodes; the kernel may know none";
  facts.largest = large_beside(*map, {});
  facts.largest.resize(std::min(facts.largest.size(), most_beside));
  return facts;
}

Verification verify(const ProcessFacts& facts, const Placement& placement, unsigned node_count) {
  Verification found;
  verify_threads(facts, placement, found.misfits);
  verify_environment(facts, placement, found);
  const Memory& memory = placement.memory;
  if (node_count > 1 && binds_pages(memory.policy)) {
    if (!facts.memory_refusal.empty()) found.doubts.push_back(facts.memory_refusal);
    if (const auto wrong = misplaced(memory, facts.anonymous_node_bytes, read_weights("/")); !wrong.empty())
      found.misfits.push_back("memory: " + wrong);
  } else if (has_goal(memory, node_count)) {
    if (const auto off = off_the_wish(memory.nodes, facts.anonymous_node_bytes); !off.empty())
      found.notes.push_back("a wish only: " + off);
  }
  if (node_count > 1)
    for (const ThreadGroup& group : facts.groups)
      if (!group.policy.empty() && !is_policy(memory, group.policy))
        found.notes.push_back(counted(group.threads, "thread") + " with memory policy " + group.policy + ", not " +
                              kernel_word(memory) + ": memory touched from now on follows " + group.policy +
                              "; only a restart helps");
  found.status = !found.misfits.empty()  ? ProofStatus::violated
                 : !found.doubts.empty() ? ProofStatus::unverifiable
                                         : ProofStatus::held;
  return found;
}

const Placement& nearest_placement(const PlannedVariant& variant, const ProcessFacts& facts,
                                   std::span<const Node> nodes) {
  if (variant.alternatives.empty()) return variant.placement;
  const auto node_count = static_cast<unsigned>(
      std::count_if(nodes.begin(), nodes.end(), [](const Node& node) { return node.memory_bytes > 0; }));
  const auto effort = [&](const Placement& one) {
    IndexSet near = one.memory.nodes;
    if (near.empty())
      for (const Node& node : nodes)
        if (node.cpus.intersects(one.cpus)) near.insert(node.id);
    return std::pair(verify(facts, one, node_count).misfits.size(), elsewhere(facts.anonymous_node_bytes, near));
  };
  return *std::min_element(variant.alternatives.begin(), variant.alternatives.end(),
                           [&](const Placement& a, const Placement& b) { return effort(a) < effort(b); });
}

std::vector<std::string> planned_repair(const ProcessFacts& facts, const Placement& placement, unsigned node_count) {
  std::vector<std::string> steps;
  for (const ThreadGroup& group : facts.groups)
    if (!is_in_place(group.cpus, group.descendants, placement))
      steps.push_back(counted(group.threads, "thread") + " from CPUs " + group.cpus.list() + " to CPUs " +
                      cpus_for(group.descendants, placement).list());
  if (!has_goal(placement.memory, node_count)) return steps;
  if (const auto bytes = elsewhere(facts.anonymous_node_bytes, placement.memory.nodes); bytes > 0)
    steps.push_back(format_bytes(bytes) + " of anonymous memory to node" +
                    (placement.memory.nodes.size() > 1 ? "s " : " ") + placement.memory.nodes.list());
  return steps;
}

Result<std::vector<std::string>> repair(int process, const Placement& placement, unsigned node_count) {
  const auto threads = read_threads(process);
  if (!threads) return tl::unexpected(threads.error());
  std::vector<std::string> done;
  std::size_t bound = 0;
  for (const ThreadState& thread : *threads) {
    const bool descendant = thread.process != process;
    if (is_in_place(thread.cpus, descendant, placement)) continue;
    const IndexSet& wanted = cpus_for(descendant, placement);
    const auto mask = kernel_mask(wanted);
    if (sched_setaffinity(thread.id, bytes_of(mask), reinterpret_cast<const cpu_set_t*>(mask.data())) == 0) {
      ++bound;
    } else if (errno != ESRCH) {
      const int error_number = errno;
      return fail("thread '" + thread.name + "' (" + std::to_string(thread.id) + "): " +
                  describe_errno("sched_setaffinity", error_number) +
                  (error_number == EPERM    ? "; run as the user of the process, or with CAP_SYS_NICE"
                   : error_number == EINVAL ? "; its cpuset allows none of CPUs " + wanted.list()
                                            : ""));
    }
  }
  if (bound > 0) done.push_back("bound " + counted(bound, "thread"));
  if (!has_goal(placement.memory, node_count)) return done;
  const auto before = read_process(process);
  if (!before) return tl::unexpected(before.error());
  IndexSet from;
  for (const auto& [node, bytes] : before->anonymous_node_bytes)
    if (bytes > 0 && !placement.memory.nodes.contains(node)) from.insert(node);
  if (from.empty()) return done;
  if (auto moved = migrate_pages_of(process, from, placement.memory.nodes); !moved)
    return tl::unexpected(moved.error());
  if (const auto after = read_process(process)) {
    const auto left = elsewhere(after->anonymous_node_bytes, placement.memory.nodes);
    const auto there = elsewhere(before->anonymous_node_bytes, placement.memory.nodes);
    done.push_back("moved " + format_bytes(there - std::min(left, there)) + " of anonymous memory");
  }
  return done;
}

}  // namespace bindgate
