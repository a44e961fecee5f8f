#include "binding/memory_wish.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/names.hpp"

namespace bindgate {
namespace {

constexpr std::string_view form =
    "write default, local, farthest, or bind, preferred, preferred-many, interleave or weighted-interleave with nodes, "
    "as bind:0,2, interleave:all or preferred:near";

// Memory that is there, though the kernel would call it invalid (EINVAL).
std::string left_out(const IndexSet& nodes, const Ground& ground) {
  IndexSet ids;
  for (const Node& node : ground.nodes)
    if (nodes.contains(node.id) && node.memory_bytes > 0 && !ground.machine.allowed_nodes.contains(node.id))
      ids.insert(node.id);
  return ids.empty() ? "" : "; Mems_allowed leaves out " + nodes_text(ids);
}

// Where these CPUs' memory is: a choice of a node stands for its own, also where firmware lists its CPUs twice.
IndexSet nodes_near(const Ground& ground, const IndexSet& cpus, const Choice* chosen) {
  if (chosen && chosen->node && chosen->cpus.contains(cpus)) return {*chosen->node};
  return ground.nodes_of(cpus);
}

}  // namespace

Result<MemoryWish> MemoryWish::parse(std::string_view text) {
  const auto colon = text.find(':');
  const std::string word(text.substr(0, colon));
  MemoryWish wish;
  if (word == "farthest" || word == "default" || word == "local") {
    if (colon != std::string_view::npos) return fail("'" + word + "' takes no nodes; " + std::string(form));
    if (word == "farthest") wish.policy_ = MemoryPolicy::bind, wish.nodes_ = Nodes::farthest;
    if (word == "local") wish.policy_ = MemoryPolicy::local;
    return wish;
  }
  std::vector<std::string> known{"default", "local", "farthest"};
  for (const MemoryPolicy policy : {MemoryPolicy::bind, MemoryPolicy::preferred, MemoryPolicy::preferred_many,
                                    MemoryPolicy::interleave, MemoryPolicy::weighted_interleave}) {
    known.emplace_back(name_of(policy));
    if (word == known.back()) wish.policy_ = policy;
  }
  if (wish.policy_ == MemoryPolicy::default_policy) {
    const auto nearest = nearest_name(word, known);
    return fail("no memory policy '" + word + "' is known; " +
                (nearest ? "did you mean '" + *nearest + "'?" : std::string(form)));
  }
  if (colon == std::string_view::npos) return fail("'" + word + "' needs nodes; " + std::string(form));
  const std::string_view nodes = text.substr(colon + 1);
  if (nodes == "all" || nodes == "near") {
    wish.nodes_ = nodes == "all" ? Nodes::all : Nodes::near;
  } else {
    auto listed = IndexSet::parse(nodes);
    if (!listed) return fail("'" + std::string(text) + "'", listed.error());
    if (listed->empty()) return fail("'" + std::string(text) + "' names no node; " + std::string(form));
    wish.nodes_ = Nodes::listed;
    wish.listed_ = *std::move(listed);
  }
  if (wish.policy_ == MemoryPolicy::preferred && (wish.nodes_ == Nodes::all || wish.listed_.size() > 1))
    return fail("'" + std::string(text) + "': preferred takes one node; write preferred-many for several");
  return wish;
}

Result<void> MemoryWish::check(const Ground& ground) const {
  if (nodes_ == Nodes::none) return {};
  if (nodes_ == Nodes::farthest && ground.nodes.size() < 2) return fail("one node only");
  if (ground.memory_nodes.empty() && nodes_ != Nodes::near && nodes_ != Nodes::listed)
    return fail("no node has allowed memory");
  if (nodes_ == Nodes::farthest && ground.memory_nodes.size() < 2)
    return fail("no second node has allowed memory (only " + nodes_text(ground.memory_nodes) + ")");
  const bool is_by_cpus = nodes_ == Nodes::near || nodes_ == Nodes::farthest;
  if (is_by_cpus && !ground.nodes_with_cpus().intersects(ground.memory_nodes))
    return fail("no node has both an allowed CPU and allowed memory");
  if (const IndexSet absent = listed_ - ground.all_memory_nodes; !absent.empty())
    return fail(nodes_text(absent) + (absent.size() == 1 ? " has" : " have") + " no memory that is allowed here (" +
                (ground.all_memory_nodes.empty() ? "none has" : "only " + nodes_text(ground.all_memory_nodes)) + ")" +
                left_out(absent, ground));
  return {};
}

Result<Memory> MemoryWish::resolve(const Ground& ground, const IndexSet& cpus, const Choice* chosen) const {
  Memory memory{policy_, {}};
  const bool is_by_cpus = nodes_ == Nodes::near || nodes_ == Nodes::farthest;
  const IndexSet near = is_by_cpus ? nodes_near(ground, cpus, chosen) : IndexSet();
  if (is_by_cpus && near.empty())
    return fail(cpus_text(cpus) + (cpus.size() == 1 ? " belongs" : " belong") + " to no node");
  switch (nodes_) {
    case Nodes::none: return memory;
    case Nodes::listed: memory.nodes = listed_; break;
    case Nodes::all: memory.nodes = ground.memory_nodes; break;
    case Nodes::near:
      memory.nodes = near & ground.memory_nodes;
      if (memory.nodes.empty()) return fail("no allowed memory on " + nodes_text(near) + left_out(near, ground));
      if (policy_ == MemoryPolicy::preferred) memory.nodes = {*memory.nodes.first()};
      break;
    case Nodes::farthest: {
      const IndexSet others = ground.memory_nodes - near;
      if (others.empty()) return fail("the CPUs take part in every node with allowed memory; none is far from them");
      const auto farthest = ground.farthest(near, others);
      if (!farthest) return tl::unexpected(farthest.error());
      memory.nodes = {*farthest};
    }
  }
  return memory;
}

Memory simplest(Memory memory, const Ground& ground) {
  if (memory.policy == MemoryPolicy::default_policy) return {};
  // Where there is but one node's memory, no policy can make a difference.
  if (ground.all_memory_nodes.size() == 1 && ground.all_memory_nodes.contains(memory.nodes)) return {};
  if (memory.nodes.size() != 1) return memory;
  // Taking turns at one node is filling it and then spilling over, which bind never does.
  if (memory.policy == MemoryPolicy::interleave || memory.policy == MemoryPolicy::weighted_interleave ||
      memory.policy == MemoryPolicy::preferred_many)
    memory.policy = MemoryPolicy::preferred;
  return memory;
}

}  // namespace bindgate
