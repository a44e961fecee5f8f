#pragma once
// The memory of another process as the kernel lists it in smaps and numa_maps: mappings with their policy, nodes and
// huge pages. Both walk its page tables, so they are read once a case, and never while it works.

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "samples/proof.hpp"
#include "samples/protocol.hpp"

namespace bindgate {

struct Mapping {
  std::uint64_t start = 0, end = 0;
  std::string name;    ///< "heap", "stack" or a path; "" where it has none
  std::string policy;  ///< the kernel's word: "default", "bind:1", "prefer (many):0-1"; "" where it tells none
  NodeBytes node_bytes;
  bool anonymous = false;                                    ///< backed by no file
  std::map<std::uint64_t, std::uint64_t> huge_page_bytes = {};  ///< by the size of a page
  bool operator==(const Mapping&) const = default;
};

/// `smaps` gives mappings and huge pages, `numa_maps` (may be empty) policies and nodes; see proc(5).
/// `transparent_bytes`: the size of a transparent huge page, which neither tells.
[[nodiscard]] std::vector<Mapping> parse_memory_map(std::string_view smaps, std::string_view numa_maps,
                                                    std::uint64_t transparent_bytes = std::uint64_t{2} << 20);
/// In rising order. Errors: the process is gone or may not be read; a kernel without NUMA has no numa_maps, which is
/// none. `root`: where /proc is, "/".
[[nodiscard]] Result<std::vector<Mapping>> read_memory_map(int process, const std::filesystem::path& root = "/");

/// The policy of a thread, by the first mapping that has none of its own; "" where the kernel does not tell.
[[nodiscard]] std::string thread_policy(int process, int thread);

/// Policies of the mappings that hold some of `ranges`.
[[nodiscard]] std::set<std::string> policies_of(std::span<const Mapping> map, std::span<const protocol::Range> ranges);
/// Bytes in huge pages of the mappings that hold some of `ranges`, by page size, and no more than lies in the ranges.
[[nodiscard]] std::map<std::uint64_t, std::uint64_t> huge_pages_of(std::span<const Mapping> map,
                                                                   std::span<const protocol::Range> ranges);
/// How many of them a proof or a report keeps; all of them are judged.
inline constexpr std::size_t most_beside = 4;
/// Anonymous mappings with more in memory than what of `ranges` lies in them, that are large: 16 MiB or more, or a
/// tenth of the ranges' bytes and a mebibyte. The largest first.
[[nodiscard]] std::vector<BesideMapping> large_beside(std::span<const Mapping> map,
                                                      std::span<const protocol::Range> ranges);

}  // namespace bindgate
