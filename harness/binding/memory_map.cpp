#include "binding/memory_map.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "core/files.hpp"
#include "core/units.hpp"

namespace bindgate {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

std::string_view next_line(std::string_view& text) {
  const auto feed = std::min(text.find('\n'), text.size());
  const auto line = text.substr(0, feed);
  text.remove_prefix(std::min(feed + 1, text.size()));
  return line;
}

std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const auto word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

std::optional<std::uint64_t> number(std::string_view text, int base = 10) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "START-END PERMISSIONS OFFSET DEVICE INODE [NAME]"
std::optional<Mapping> parse_header(std::string_view line) {
  const auto range = next_word(line);
  const auto dash = range.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto start = number(range.substr(0, dash), 16), end = number(range.substr(dash + 1), 16);
  if (!start || !end) return std::nullopt;
  for (int i = 0; i < 3; ++i) next_word(line);
  const auto inode = next_word(line);
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  Mapping mapping;
  mapping.start = *start;
  mapping.end = *end;
  mapping.name = line;
  if (mapping.name.starts_with('[') && mapping.name.ends_with(']'))
    mapping.name = mapping.name.substr(1, mapping.name.size() - 2);
  mapping.anonymous = inode == "0";
  return mapping;
}

// The policy leads what follows the address; two of its words have a space in them.
std::string take_policy(std::string_view& line) {
  std::string policy(next_word(line));
  if (policy == "prefer" || policy == "weighted") policy += ' ' + std::string(next_word(line));
  return policy;
}

void add_nodes(Mapping& mapping, std::string_view line) {
  mapping.policy = take_policy(line);
  std::uint64_t page_bytes = 0;
  std::map<unsigned, std::uint64_t> pages;
  for (auto word = next_word(line); !word.empty(); word = next_word(line)) {
    const auto equal = word.find('=');
    if (equal == std::string_view::npos) continue;
    const auto value = number(word.substr(equal + 1));
    if (!value) continue;
    const auto key = word.substr(0, equal);
    if (key == "kernelpagesize_kB") page_bytes = *value * 1024;
    else if (const auto node = key.starts_with('N') ? number(key.substr(1)) : std::nullopt)
      pages[static_cast<unsigned>(*node)] = *value;
  }
  for (const auto& [node, count] : pages) mapping.node_bytes[node] = count * page_bytes;
}

// Of [start, end), how much the ranges hold; ranges that overlap each other count twice.
std::uint64_t overlap(const Mapping& mapping, std::span<const protocol::Range> ranges) {
  std::uint64_t bytes = 0;
  for (const protocol::Range& range : ranges) {
    const auto first = std::max(range.start, mapping.start);
    const auto last = std::min(range.start + range.bytes, mapping.end);
    if (last > first) bytes += last - first;
  }
  return bytes;
}

std::uint64_t in_memory(const Mapping& mapping) {
  std::uint64_t bytes = 0;
  for (const auto& [node, on_node] : mapping.node_bytes) bytes += on_node;
  return bytes;
}

}  // namespace

std::vector<Mapping> parse_memory_map(std::string_view smaps, std::string_view numa_maps,
                                      std::uint64_t transparent_bytes) {
  std::vector<Mapping> map;
  std::uint64_t page_bytes = 0;
  while (!smaps.empty()) {
    std::string_view line = next_line(smaps);
    if (auto mapping = parse_header(line)) {
      map.push_back(*std::move(mapping));
      continue;
    }
    const auto key = next_word(line);
    const auto kibibytes = number(next_word(line));
    if (map.empty() || !kibibytes || *kibibytes == 0) continue;
    auto& huge = map.back().huge_page_bytes;
    if (key == "KernelPageSize:") page_bytes = *kibibytes * 1024;
    if (key == "AnonHugePages:" || key == "ShmemPmdMapped:" || key == "FilePmdMapped:")
      huge[transparent_bytes] += *kibibytes * 1024;
    if (key == "Private_Hugetlb:" || key == "Shared_Hugetlb:") huge[page_bytes] += *kibibytes * 1024;
  }
  auto next = map.begin();
  while (!numa_maps.empty()) {
    std::string_view line = next_line(numa_maps);
    const auto start = number(next_word(line), 16);
    if (!start) continue;
    next = std::lower_bound(next, map.end(), *start, [](const Mapping& m, std::uint64_t at) { return m.start < at; });
    if (next != map.end() && next->start == *start) add_nodes(*next, line);
  }
  return map;
}

Result<std::vector<Mapping>> read_memory_map(int process, const std::filesystem::path& root) {
  const auto folder = root / "proc" / std::to_string(process);
  const auto smaps = read_file(folder / "smaps");
  if (!smaps) return tl::unexpected(smaps.error());
  Result<std::string> numa_maps;
  if (access((folder / "numa_maps").c_str(), F_OK) == 0) numa_maps = read_file(folder / "numa_maps");
  if (!numa_maps) return tl::unexpected(numa_maps.error());
  const auto transparent = number(read_line_of(root / "sys/kernel/mm/transparent_hugepage/hpage_pmd_size"));
  return parse_memory_map(*smaps, *numa_maps, transparent.value_or(2 * mebibyte));
}

std::string thread_policy(int process, int thread) {
  const std::string path = "/proc/" + std::to_string(process) + "/task/" + std::to_string(thread) + "/numa_maps";
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  // A read of a few bytes walks the first mappings alone, and a program's own text has no policy of its own.
  std::array<char, 64> start{};
  const ssize_t size = file ? read(file.get(), start.data(), start.size()) : -1;
  if (size <= 0) return "";
  std::string_view text(start.data(), static_cast<std::size_t>(size)), line = next_line(text);
  next_word(line);
  return take_policy(line);
}

std::set<std::string> policies_of(std::span<const Mapping> map, std::span<const protocol::Range> ranges) {
  std::set<std::string> policies;
  for (const Mapping& mapping : map)
    if (!mapping.policy.empty() && overlap(mapping, ranges) > 0) policies.insert(mapping.policy);
  return policies;
}

std::map<std::uint64_t, std::uint64_t> huge_pages_of(std::span<const Mapping> map,
                                                     std::span<const protocol::Range> ranges) {
  std::map<std::uint64_t, std::uint64_t> bytes;
  for (const Mapping& mapping : map)
    if (const auto inside = overlap(mapping, ranges); inside > 0)
      for (const auto& [size, huge] : mapping.huge_page_bytes) bytes[size] += std::min(huge, inside);
  return bytes;
}

std::vector<BesideMapping> large_beside(std::span<const Mapping> map, std::span<const protocol::Range> ranges) {
  static constexpr std::uint64_t always_large = 16 * mebibyte;
  std::uint64_t reported = 0;
  for (const protocol::Range& range : ranges) reported += range.bytes;
  const std::uint64_t large = std::min(always_large, std::max(mebibyte, reported / 10));
  std::vector<std::pair<std::uint64_t, const Mapping*>> found;
  for (const Mapping& mapping : map) {
    if (!mapping.anonymous) continue;
    const std::uint64_t all = in_memory(mapping), inside = overlap(mapping, ranges);
    if (all > inside && all - inside >= large) found.emplace_back(all - inside, &mapping);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<BesideMapping> beside;
  for (const auto& [bytes, mapping] : found) beside.push_back({mapping->name, mapping->policy, mapping->node_bytes});
  return beside;
}

}  // namespace bindgate
