#pragma once
// What a memory policy says of where pages lie, in words for people: out of place, off a wish, moved meanwhile.
// Nothing is read here but the weights that the kernel interleaves by.

#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>

#include "samples/placement.hpp"
#include "samples/proof.hpp"

namespace bindgate {

/// Whether pages elsewhere break the policy; of the others they are at most a wish.
[[nodiscard]] bool binds_pages(MemoryPolicy policy);

/// Of weighted interleaving, by node: /sys/kernel/mm/mempolicy/weighted_interleave below `root`; empty: not told.
using NodeWeights = std::map<unsigned, std::uint64_t>;
[[nodiscard]] NodeWeights read_weights(const std::filesystem::path& root);

/// What lies where a policy that binds pages does not put it; "" when all is in place. Interleaved pages are due on
/// every node with at least half its share, by `weights` where interleaving is weighted and they are told.
[[nodiscard]] std::string misplaced(const Memory& memory, const NodeBytes& bytes, const NodeWeights& weights);

/// The same of memory that a program did not report: all of it is due where a policy binds, but for what asks for local
/// memory by itself, as some BLAS libraries do for their buffers: no binding of the process reaches that. Where a
/// thread's own policy is local all of its memory reads so, and nothing is excused: then the program has left its
/// binding.
[[nodiscard]] bool asks_for_local(const BesideMapping& mapping, const std::set<std::string>& thread_policies);
struct BesideFindings {
  std::string misplaced;  ///< "" when all is in place, or nothing is bound
  std::string local;      ///< what lies elsewhere because it asked for local memory itself; or ""
  bool operator==(const BesideFindings&) const = default;
};
[[nodiscard]] BesideFindings judge_beside(const Memory& memory, std::span<const BesideMapping> beside,
                                          const std::set<std::string>& thread_policies);

/// What lies elsewhere than on `wished`; "" when nothing does.
[[nodiscard]] std::string off_the_wish(const IndexSet& wished, const NodeBytes& bytes);

/// "300 MiB from node 1 to node 0": a hundredth or more of the pages changed their node; "" when they did not.
[[nodiscard]] std::string moved_between(const NodeBytes& before, const NodeBytes& after);
/// The same by the kernel's own count, for where the pages themselves do not show it: Linux 6.1, for one, does not tell
/// the node of a page that waits for its next touch to be moved.
[[nodiscard]] std::string balanced_without_trace(const NodeBytes& before, std::uint64_t balanced_bytes);

/// Whether a kernel's word ("bind=static:0-1", "prefer (many):1") is this policy's.
[[nodiscard]] bool is_policy(const Memory& memory, std::string_view word);
/// The kernel's word for it, without flags.
[[nodiscard]] std::string kernel_word(const Memory& memory);

}  // namespace bindgate
