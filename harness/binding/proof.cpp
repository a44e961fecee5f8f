#include "binding/proof.hpp"

#include <algorithm>
#include <utility>

#include "binding/pages.hpp"
#include "core/units.hpp"

namespace bindgate {
namespace {

using NodeBytes = std::map<unsigned, std::uint64_t>;

// Interleaving works in huge pages where they are in use: below a few of them a share says nothing.
constexpr std::uint64_t smallest_judged_share = std::uint64_t{8} << 20;

std::string amount(std::uint64_t bytes) { return format_bytes(static_cast<double>(bytes)); }

std::uint64_t total(const NodeBytes& bytes) {
  std::uint64_t sum = 0;
  for (const auto& [node, on_node] : bytes) sum += on_node;
  return sum;
}

void add(std::string& list, const std::string& item) {
  if (!item.empty()) list += (list.empty() ? "" : "; ") + item;
}

// What lies where the policy does not put it; "" when all is in place.
std::string misplaced(const Memory& memory, const NodeBytes& bytes) {
  if (memory.policy == MemoryPolicy::preferred) return "";  // a wish: the kernel may put pages elsewhere
  std::string faults;
  const std::uint64_t all = total(bytes);
  for (const auto& [node, on_node] : bytes)
    if (!memory.nodes.contains(node))
      add(faults, amount(on_node) + " of " + amount(all) + " on node " + std::to_string(node) + " instead of " +
                      memory.nodes.list());
  if (memory.policy == MemoryPolicy::interleave) {
    const std::uint64_t fair = all / memory.nodes.size();
    for (const unsigned node : memory.nodes) {
      const auto found = bytes.find(node);
      const std::uint64_t on_node = found == bytes.end() ? 0 : found->second;
      if (fair >= smallest_judged_share && on_node < fair / 2)
        add(faults, "only " + amount(on_node) + " of " + amount(all) + " on node " + std::to_string(node) +
                        ", its share is " + amount(fair));
    }
  }
  return faults;
}

}  // namespace

Prover::Prover(int process, Placement placement, unsigned node_count)
    : process_(process), placement_(std::move(placement)), node_count_(node_count) {}

bool Prover::in_place(const ThreadState& thread, bool moves) const {
  if (thread.cpus == placement_.cpus) return true;
  if (moves && placement_.cpus.contains(thread.cpus)) return true;
  // A variant that asks the OpenMP runtime to bind its threads wants narrower masks; a wider one is never right.
  const auto bind = placement_.environment.find("OMP_PROC_BIND");
  return bind != placement_.environment.end() && bind->second != "false" && placement_.cpus.contains(thread.cpus);
}

void Prover::check_threads(unsigned turn, bool moves) {
  moves_ = moves_ || moves;
  const auto threads = read_threads(process_);
  if (!threads) {
    if (refusal_.empty()) refusal_ = threads.error().message;
    return;
  }
  threads_seen_ = true;
  most_threads_ = std::max(most_threads_, static_cast<unsigned>(threads->size()));
  for (const ThreadState& thread : *threads) {
    if (!in_place(thread, moves)) strays_.emplace(thread.id, Stray{thread, turn});
    if (!thread.migrations) continue;
    const auto known = migrations_.emplace(thread.id, Migrations{*thread.migrations, *thread.migrations}).first;
    known->second.last = *thread.migrations;
  }
}

std::string Prover::describe_strays() const {
  constexpr std::size_t shown = 3;
  std::string text;
  std::size_t count = 0;
  for (const auto& [id, stray] : strays_) {
    if (count++ == shown) break;
    const bool descendant = stray.thread.process != process_;
    add(text, "thread '" + stray.thread.name + "' (" + std::to_string(id) +
                  (descendant ? ", of process " + std::to_string(stray.thread.process) : "") + ") may run on CPUs " +
                  stray.thread.cpus.list() + " instead of " + placement_.cpus.list() + " since turn " +
                  std::to_string(stray.since_turn));
  }
  if (strays_.size() > shown) add(text, "and " + std::to_string(strays_.size() - shown) + " more threads");
  return text;
}

Proof Prover::conclude(std::span<const protocol::Range> ranges) {
  Proof proof;
  proof.threads = most_threads_;
  for (const auto& [id, count] : migrations_)
    if (count.last > count.first) proof.migrations += count.last - count.first;

  std::string violation = describe_strays();
  std::string doubt = refusal_;
  if (doubt.empty() && !threads_seen_) doubt = "no thread was read; check_threads was never called for this case";
  if (placement_.memory.policy != MemoryPolicy::default_policy && node_count_ > 1) {
    if (const auto bytes = bytes_by_node(process_, ranges); !bytes) {
      add(doubt, bytes.error().message);
    } else if (bytes->empty()) {
      add(doubt, ranges.empty() ? "no memory range was reported" : "no page of the reported ranges is in memory");
    } else {
      proof.node_bytes = *bytes;
      add(violation, misplaced(placement_.memory, *bytes));
    }
  }
  proof.status = !violation.empty() ? ProofStatus::violated
                 : !doubt.empty()   ? ProofStatus::unverifiable
                                    : ProofStatus::held;
  proof.detail = !violation.empty() ? violation
                 : !doubt.empty()   ? doubt
                 : moves_           ? "the case itself moves its threads, within CPUs " + placement_.cpus.list()
                                    : "";

  threads_seen_ = moves_ = false;
  refusal_.clear();
  strays_.clear();
  most_threads_ = 0;
  for (auto& [id, count] : migrations_) count.first = count.last;
  return proof;
}

}  // namespace bindgate
