#include "binding/proof.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "binding/memory_map.hpp"
#include "binding/pages.hpp"
#include "binding/stray_cause.hpp"
#include "binding/thread_rules.hpp"
#include "topology/system_files.hpp"

namespace bindgate {
namespace {

void add(std::string& list, const std::string& item) {
  if (!item.empty()) list += (list.empty() ? "" : "; ") + item;
}

template <class Count>
std::uint64_t sum_of(const std::map<int, Count>& counts) {
  std::uint64_t sum = 0;
  for (const auto& [id, count] : counts) sum += count.last - std::min(count.first, count.last);
  return sum;
}

}  // namespace

Prover::Prover(int process, Placement placement, unsigned node_count, std::filesystem::path root)
    : process_(process), placement_(std::move(placement)), node_count_(node_count), root_(std::move(root)) {}

const IndexSet& Prover::cpus_of(const ThreadState& thread) const {
  return cpus_for(thread.process != process_, placement_);
}

bool Prover::in_place(const ThreadState& thread, bool moves) const {
  return is_in_place(thread.cpus, thread.process != process_, placement_) ||
         (moves && cpus_of(thread).contains(thread.cpus));
}

void Prover::begin(std::span<const protocol::Range> ranges) {
  begun_ = read_circumstances(root_);
  bytes_begun_.clear();
  if (node_count_ > 1)
    if (auto bytes = bytes_by_node(process_, ranges)) bytes_begun_ = *std::move(bytes);
  const auto threads = read_threads(process_);
  if (!threads) return;
  for (const ThreadState& thread : *threads) {
    if (thread.migrations) migrations_[thread.id] = {*thread.migrations, *thread.migrations};
    if (thread.balanced_pages) balanced_[thread.id] = {*thread.balanced_pages, *thread.balanced_pages};
  }
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
  std::size_t in_place_now = 0;
  for (const ThreadState& thread : *threads) {
    seen_[thread.id] = thread.process;
    if (in_place(thread, moves)) ++in_place_now;
    else strays_.emplace(thread.id, Stray{thread, turn});
    if (thread.last_cpu) ran_on_.insert(*thread.last_cpu);
    // A thread's own counts begin with it.
    if (const auto count = thread.migrations)
      migrations_.try_emplace(thread.id, Count{*count}).first->second.last = *count;
    if (thread.balanced_pages) balanced_.try_emplace(thread.id).first->second.last = *thread.balanced_pages;
  }
  in_place_ = std::max(in_place_, in_place_now);
}

std::string Prover::likely_cause() const {
  const int process = strays_.begin()->second.thread.process;
  std::vector<ThreadState> strays;
  bool later = true;
  for (const auto& [id, stray] : strays_)
    if (stray.thread.process == process) {
      strays.push_back(stray.thread);
      later = later && stray.since_turn > 0;
    }
  return bindgate::likely_cause({cpus_of(strays.front()), strays, in_place_, !strays_.contains(process), later,
                                 binding_settings(process)});
}

std::string Prover::describe_strays() const {
  if (strays_.empty()) return "";
  constexpr std::size_t shown = 3;
  std::string text;
  std::size_t count = 0;
  for (const auto& [id, stray] : strays_) {
    if (count++ == shown) break;
    const bool descendant = stray.thread.process != process_;
    add(text, "thread '" + stray.thread.name + "' (" + std::to_string(id) +
                  (descendant ? ", of process " + std::to_string(stray.thread.process) : "") + ") may run on CPUs " +
                  stray.thread.cpus.list() + " instead of " + cpus_of(stray.thread).list() + " since turn " +
                  std::to_string(stray.since_turn));
  }
  if (strays_.size() > shown) add(text, "and " + std::to_string(strays_.size() - shown) + " more threads");
  return text + " (likely: " + likely_cause() + ")";
}

void Prover::judge_pages(std::span<const protocol::Range> ranges, Proof& proof, std::string& violation,
                         std::string& doubt, std::string& note) const {
  if (node_count_ < 2) return;
  const Memory& memory = placement_.memory;
  const bool bound = binds_pages(memory.policy);
  if (const auto bytes = bytes_by_node(process_, ranges); !bytes) {
    if (bound) add(doubt, bytes.error().message);
  } else if (bytes->empty()) {
    if (bound)
      add(doubt, ranges.empty() ? "no memory range was reported" : "no page of the reported ranges is in memory");
  } else {
    proof.node_bytes = *bytes;
    std::string wrong = misplaced(memory, *bytes, read_weights(root_));
    const std::string moved = moved_between(bytes_begun_, *bytes);
    const BesideFindings beside = judge_beside(memory, proof.beside, proof.thread_policies);
    add(wrong, beside.misplaced);
    add(note, beside.local);
    if (const std::string cause = cause_of_misplacement(proof); !wrong.empty() && moved.empty() && !cause.empty())
      wrong += " (likely: " + cause + ")";
    add(bound ? violation : note, wrong);
    IndexSet wished = memory.nodes;
    if (memory.policy == MemoryPolicy::local)
      for (const unsigned node : listed_nodes(root_))
        if (const auto cpus = node_cpus(root_, node); cpus && cpus->intersects(placement_.cpus)) wished.insert(node);
    if (const std::string off = bound || wished.empty() ? "" : off_the_wish(wished, *bytes); !off.empty())
      add(note, "a wish only: " + off);
    const bool balances = balances_nodes(root_).value_or(false);
    if (!moved.empty())
      add(bound ? violation : note, balances ? "numa_balancing moved " + moved + " during the case"
                                             : moved + " moved during the case, by the program or another");
    else if (balances)
      add(note, balanced_without_trace(bytes_begun_, proof.balanced_bytes.value_or(0)));
  }
  proof.node_bytes_before = bytes_begun_;
}

// Why pages may lie elsewhere than where the policy puts them.
std::string Prover::cause_of_misplacement(const Proof& proof) const {
  const auto differs = [this](const std::string& word) { return !word.empty() && !is_policy(placement_.memory, word); };
  const auto set_to = [this](const std::string& what, const std::string& word) {
    return "the memory policy of " + what + " is " + word + " instead of " + kernel_word(placement_.memory) +
           ", set by the program or a library";
  };
  const auto other_in = [&](const std::set<std::string>& words) {
    const auto other = std::find_if(words.begin(), words.end(), differs);
    return other == words.end() ? "" : *other;
  };
  if (const std::string other = other_in(proof.policies); !other.empty()) return set_to("that memory", other);
  for (const BesideMapping& mapping : proof.beside)
    if (!asks_for_local(mapping, proof.thread_policies) && differs(mapping.policy) &&
        !misplaced(placement_.memory, mapping.node_bytes, {}).empty())
      return set_to("that memory", mapping.policy);
  if (const std::string other = other_in(proof.thread_policies); !other.empty()) return set_to("a thread", other);
  return proof.policies.empty() ? "" : "touched before the policy was set, as its policy is in force";
}

void Prover::add_circumstances(Proof& proof) const {
  proof.migrations = sum_of(migrations_);
  proof.ran_on = ran_on_;
  proof.frequencies = read_frequencies(root_, placement_.cpus);
  if (!begun_) return;
  const Circumstances now = read_circumstances(root_);
  if (now.throttled_seconds && begun_->throttled_seconds)
    proof.throttled_seconds = std::max(0.0, *now.throttled_seconds - *begun_->throttled_seconds);
  const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  if (!balanced_.empty()) proof.balanced_bytes = page_bytes * sum_of(balanced_);
  // The machine's count is not this process's, but where nothing moved at all, nothing of it did.
  else if (now.balanced_pages && now.balanced_pages == begun_->balanced_pages) proof.balanced_bytes = 0;
}

Proof Prover::conclude(std::span<const protocol::Range> ranges) {
  Proof proof;
  proof.threads = most_threads_;
  std::string violation = describe_strays(), doubt = refusal_, note;
  if (doubt.empty() && !threads_seen_) doubt = "no thread was read; check_threads was never called for this case";
  if (moves_) note = "the case itself moves its threads, within CPUs " + placement_.cpus.list();
  if (const auto map = read_memory_map(process_, root_)) {
    proof.policies = policies_of(*map, ranges);
    proof.huge_page_bytes = huge_pages_of(*map, ranges);
    proof.beside = large_beside(*map, ranges);
  } else if (node_count_ > 1 && placement_.memory.policy == MemoryPolicy::bind) {
    add(note, "mappings beside the ranges: not readable (" + map.error().message + ")");
  }
  for (const auto& [id, process] : seen_)
    if (std::string word = thread_policy(process, id); !word.empty()) proof.thread_policies.insert(std::move(word));
  add_circumstances(proof);
  judge_pages(ranges, proof, violation, doubt, note);
  proof.beside.resize(std::min(proof.beside.size(), most_beside));
  proof.status = !violation.empty() ? ProofStatus::violated
                 : !doubt.empty()   ? ProofStatus::unverifiable
                                    : ProofStatus::held;
  proof.detail = !violation.empty() ? violation : !doubt.empty() ? doubt : note;

  threads_seen_ = moves_ = false;
  refusal_.clear();
  strays_.clear();
  seen_.clear();
  in_place_ = most_threads_ = 0;
  ran_on_ = {};
  begun_.reset();
  bytes_begun_.clear();
  for (Counts* counts : {&migrations_, &balanced_})
    for (auto& [id, count] : *counts) count.first = count.last;
  return proof;
}

}  // namespace bindgate
