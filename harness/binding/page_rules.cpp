#include "binding/page_rules.hpp"

#include <algorithm>
#include <array>
#include <fstream>

#include "binding/ground.hpp"
#include "core/units.hpp"
#include "topology/system_files.hpp"

namespace bindgate {
namespace {

// Interleaving works in huge pages where they are in use: below a few of them a share says nothing.
constexpr std::uint64_t smallest_judged_share = std::uint64_t{8} << 20;

std::uint64_t total(const NodeBytes& bytes) {
  std::uint64_t sum = 0;
  for (const auto& [node, on_node] : bytes) sum += on_node;
  return sum;
}

std::uint64_t on_node(const NodeBytes& bytes, unsigned node) {
  const auto found = bytes.find(node);
  return found == bytes.end() ? 0 : found->second;
}

void add(std::string& list, const std::string& item) { list += (list.empty() ? "" : "; ") + item; }

std::uint64_t weight_of(const NodeWeights& weights, unsigned node) {
  const auto found = weights.find(node);
  return found == weights.end() ? 1 : std::max<std::uint64_t>(1, found->second);
}

}  // namespace

bool binds_pages(MemoryPolicy policy) {
  return policy == MemoryPolicy::bind || policy == MemoryPolicy::interleave ||
         policy == MemoryPolicy::weighted_interleave;
}

NodeWeights read_weights(const std::filesystem::path& root) {
  NodeWeights weights;
  for (const unsigned node : listed_nodes(root)) {
    std::ifstream file(root / ("sys/kernel/mm/mempolicy/weighted_interleave/node" + std::to_string(node)));
    if (std::uint64_t weight = 0; file >> weight) weights[node] = weight;
  }
  return weights;
}

bool asks_for_local(const BesideMapping& mapping, const std::set<std::string>& thread_policies) {
  const auto is_local = [](const std::string& word) { return word.starts_with("local"); };
  return is_local(mapping.policy) && std::none_of(thread_policies.begin(), thread_policies.end(), is_local);
}

std::string misplaced(const Memory& memory, const NodeBytes& bytes, const NodeWeights& weights) {
  if (!binds_pages(memory.policy)) return "";
  std::string faults = off_the_wish(memory.nodes, bytes);
  if (memory.policy == MemoryPolicy::bind) return faults;
  const bool weighted = memory.policy == MemoryPolicy::weighted_interleave;
  const std::uint64_t all = total(bytes);
  std::uint64_t sum = 0;
  for (const unsigned node : memory.nodes) sum += weighted ? weight_of(weights, node) : 1;
  for (const unsigned node : memory.nodes) {
    const std::uint64_t found = on_node(bytes, node);
    const std::uint64_t fair = all / sum * (weighted ? weight_of(weights, node) : 1);
    if (fair < smallest_judged_share) continue;
    if (weighted && weights.empty() ? found == 0 : found < fair / 2)
      add(faults, "only " + format_bytes(found) + " of " + format_bytes(all) + " on node " + std::to_string(node) +
                      (weighted && weights.empty() ? "" : ", its share is " + format_bytes(fair)));
  }
  return faults;
}

BesideFindings judge_beside(const Memory& memory, std::span<const BesideMapping> beside,
                            const std::set<std::string>& thread_policies) {
  if (memory.policy != MemoryPolicy::bind) return {};
  NodeBytes due, local;
  for (const BesideMapping& mapping : beside)
    for (const auto& [node, bytes] : mapping.node_bytes)
      (asks_for_local(mapping, thread_policies) ? local : due)[node] += bytes;
  BesideFindings findings{misplaced(memory, due, {}), misplaced(memory, local, {})};
  if (!findings.misplaced.empty())
    findings.misplaced = "beside the reported ranges, in its largest mappings: " + findings.misplaced;
  if (!findings.local.empty())
    findings.local = "beside the reported ranges, in memory that the program or a library asked to be local: " +
                     findings.local;
  return findings;
}

std::string off_the_wish(const IndexSet& wished, const NodeBytes& bytes) {
  std::string elsewhere;
  for (const auto& [node, found] : bytes)
    if (!wished.contains(node))
      add(elsewhere, format_bytes(found) + " of " + format_bytes(total(bytes)) + " on node " + std::to_string(node) +
                         " instead of " + wished.list());
  return elsewhere;
}

std::string moved_between(const NodeBytes& before, const NodeBytes& after) {
  NodeBytes less, more;
  for (const auto& [node, bytes] : before)
    if (const auto now = on_node(after, node); now < bytes) less[node] = bytes - now;
  for (const auto& [node, bytes] : after)
    if (const auto then = on_node(before, node); then < bytes) more[node] = bytes - then;
  // What only grew was touched meanwhile, and what only shrank was freed.
  const std::uint64_t moved = std::min(total(less), total(more));
  if (moved == 0 || moved < total(before) / 100) return "";
  const auto nodes = [](const NodeBytes& bytes) {
    IndexSet set;
    for (const auto& [node, there] : bytes) set.insert(node);
    return nodes_text(set);
  };
  return format_bytes(moved) + " from " + nodes(less) + " to " + nodes(more);
}

std::string balanced_without_trace(const NodeBytes& before, std::uint64_t balanced_bytes) {
  if (balanced_bytes == 0 || balanced_bytes < total(before) / 100) return "";
  return "numa_balancing moved " + format_bytes(balanced_bytes) + " for its threads during the case";
}

std::string kernel_word(const Memory& memory) {
  static constexpr std::array<std::string_view, 7> words{
      "default", "local", "bind", "prefer", "prefer (many)", "interleave", "weighted interleave"};
  const std::string word(words[static_cast<std::size_t>(memory.policy)]);
  return memory.nodes.empty() ? word : word + ':' + memory.nodes.list();
}

bool is_policy(const Memory& memory, std::string_view word) {
  const auto equal = word.find('='), colon = word.find(':');
  std::string plain(word);
  if (equal != std::string_view::npos && colon != std::string_view::npos && equal < colon)
    plain.erase(equal, colon - equal);
  return plain == kernel_word(memory);
}

}  // namespace bindgate
