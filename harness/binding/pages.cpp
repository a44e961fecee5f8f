#include "binding/pages.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "binding/kernel_masks.hpp"

namespace bindgate {
namespace {

// Whole pages [first, last), merged and in order, so that no page is asked for twice.
struct PageRun {
  std::uint64_t first = 0, last = 0;
};

std::vector<PageRun> page_runs(std::span<const protocol::Range> ranges, std::uint64_t page_bytes) {
  std::vector<PageRun> runs;
  for (const protocol::Range& range : ranges)
    if (range.bytes > 0)
      runs.push_back({range.start / page_bytes, (range.start + range.bytes - 1) / page_bytes + 1});
  std::sort(runs.begin(), runs.end(), [](const PageRun& a, const PageRun& b) { return a.first < b.first; });
  std::vector<PageRun> merged;
  for (const PageRun& run : runs)
    if (!merged.empty() && run.first <= merged.back().last)
      merged.back().last = std::max(merged.back().last, run.last);
    else
      merged.push_back(run);
  return merged;
}

constexpr std::uint64_t batch = 16384;

// Which page of the `stride` pages from `first` on stands for them.
std::uint64_t chosen_page(std::uint64_t first, std::uint64_t stride) {
  return first + (first * 0x9e3779b97f4a7c15u >> 33) % stride;
}

Error refusal(int error_number) {
  std::string text = describe_errno("move_pages", error_number);
  if (error_number == EPERM) {
    void* own = &text;
    int node = 0;
    const bool filtered = syscall(SYS_move_pages, 0, 1UL, &own, nullptr, &node, 0) != 0 && errno == EPERM;
    text += filtered ? "; this container's filter of system calls refuses it, with CAP_SYS_NICE it does not"
                     : "; the process is another user's or may not be traced: run as its user, or with CAP_SYS_PTRACE";
  }
  return Error{text};
}

// Where these pages are; those that are not in memory answer with a negative errno.
Result<void> ask(int process, std::vector<std::uint64_t>& pages, std::vector<int>& nodes) {
  nodes.assign(pages.size(), -ENOENT);
  if (syscall(SYS_move_pages, process, pages.size(), pages.data(), nullptr, nodes.data(), 0) != 0)
    return tl::unexpected(refusal(errno));
  return {};
}

}  // namespace

Result<NodeBytes> bytes_by_node(int process, std::span<const protocol::Range> ranges) {
  static constexpr std::uint64_t most_asked = 32768;
  const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::vector<PageRun> runs = page_runs(ranges, page_bytes);
  std::uint64_t count = 0;
  for (const PageRun& run : runs) count += run.last - run.first;
  const std::uint64_t stride = std::max<std::uint64_t>(1, (count + most_asked - 1) / most_asked);
  NodeBytes bytes;
  std::vector<std::uint64_t> pages, stands_for;
  std::vector<int> nodes;
  const auto count_pages = [&]() -> Result<void> {
    if (auto asked = ask(process, pages, nodes); !asked) return asked;
    for (std::size_t i = 0; i < pages.size(); ++i)
      if (nodes[i] >= 0) bytes[static_cast<unsigned>(nodes[i])] += stands_for[i] * page_bytes;
    pages.clear();
    stands_for.clear();
    return {};
  };
  for (const PageRun& run : runs)
    for (std::uint64_t first = run.first; first < run.last; first += stride) {
      stands_for.push_back(std::min(stride, run.last - first));
      pages.push_back(chosen_page(first, stands_for.back()) * page_bytes);
      if (pages.size() < batch) continue;
      if (auto asked = count_pages(); !asked) return tl::unexpected(asked.error());
    }
  if (!pages.empty())
    if (auto asked = count_pages(); !asked) return tl::unexpected(asked.error());
  return bytes;
}

Result<void> migrate_pages_of(int process, const IndexSet& from, const IndexSet& to) {
  const auto wide = kernel_mask(from | to);
  auto old_nodes = kernel_mask(from), new_nodes = kernel_mask(to);
  old_nodes.resize(wide.size());
  new_nodes.resize(wide.size());
  // The kernel takes one bit less than it is told.
  if (syscall(SYS_migrate_pages, process, bits_of(wide) + 1, old_nodes.data(), new_nodes.data()) >= 0) return {};
  const int error_number = errno;
  return fail(describe_errno("migrate_pages", error_number) +
              (error_number == EPERM    ? "; run as the user of the process, or with CAP_SYS_PTRACE and CAP_SYS_NICE"
               : error_number == EINVAL ? "; it may not have memory on nodes " + to.list()
                                        : ""));
}

}  // namespace bindgate
