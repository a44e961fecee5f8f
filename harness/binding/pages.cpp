#include "binding/pages.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

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

}  // namespace

Result<std::map<unsigned, std::uint64_t>> bytes_by_node(int process, std::span<const protocol::Range> ranges) {
  constexpr std::uint64_t batch = 16384;
  const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::map<unsigned, std::uint64_t> bytes;
  std::vector<std::uint64_t> pages(batch);
  std::vector<int> nodes(batch);
  for (const PageRun& run : page_runs(ranges, page_bytes))
    for (std::uint64_t first = run.first; first < run.last; first += batch) {
      const std::uint64_t count = std::min(batch, run.last - first);
      for (std::uint64_t i = 0; i < count; ++i) pages[i] = (first + i) * page_bytes;
      // Without target nodes the call only asks; a page that is not in memory answers with a negative errno.
      if (syscall(SYS_move_pages, process, count, pages.data(), nullptr, nodes.data(), 0) != 0)
        return fail(describe_errno("move_pages", errno));
      for (std::uint64_t i = 0; i < count; ++i)
        if (nodes[i] >= 0) bytes[static_cast<unsigned>(nodes[i])] += page_bytes;
    }
  return bytes;
}

}  // namespace bindgate
