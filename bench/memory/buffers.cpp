#include "memory/buffers.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "core/files.hpp"
#include "core/units.hpp"

namespace bindgate {
namespace {

std::optional<std::size_t> number_of(const std::string& text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string BufferPlan::label() const {
  if (!is_cache_figure()) return "";
  return "cache figure: " + format_bytes(bytes) + " of buffers, last-level cache " +
         (last_level ? format_bytes(*last_level) : "unknown");
}

std::optional<std::size_t> last_level_bytes(std::span<const Cpu> cpus) {
  std::set<std::pair<unsigned, std::string>> seen;
  std::size_t bytes = 0;
  for (const Cpu& cpu : cpus) {
    const auto last = std::max_element(cpu.caches.begin(), cpu.caches.end(),
                                       [](const Cache& a, const Cache& b) { return a.level < b.level; });
    if (last == cpu.caches.end()) return std::nullopt;
    const std::string sharers = last->cpus.empty() ? "only " + std::to_string(cpu.id) : last->cpus.list();
    if (seen.insert({last->level, sharers}).second) bytes += last->bytes;
  }
  if (bytes == 0) return std::nullopt;
  return bytes;
}

BufferPlan plan_buffers(std::optional<std::size_t> last_level, std::size_t total_memory) {
  BufferPlan plan;
  plan.last_level = last_level;
  const std::size_t wanted = last_level ? std::bit_ceil(4 * *last_level) : 256 * mebibyte;
  const std::size_t most = std::min(gibibyte, std::bit_floor(total_memory / 16));
  plan.bytes = std::min(std::max(wanted, 128 * mebibyte), std::max(most, 128 * mebibyte));
  return plan;
}

Memory read_memory(const std::filesystem::path& proc, const std::filesystem::path& group) {
  Memory memory;
  std::ifstream table(proc / "meminfo");
  std::string key, unit;
  for (std::size_t number = 0; table >> key >> number; std::getline(table, unit)) {
    if (key == "MemTotal:") memory.total = number * kibibyte;
    if (key == "MemAvailable:") memory.available = number * kibibyte;
  }
  const auto limit = number_of(read_line_of(group / "memory.max"));
  const auto used = number_of(read_line_of(group / "memory.current"));
  if (limit) memory.total = std::min(memory.total, *limit);
  if (limit && used) memory.available = std::min(memory.available, *limit - std::min(*limit, *used));
  return memory;
}

std::string why_not_now(const BufferPlan& plan, const Memory& memory) {
  if (plan.bytes <= memory.available / 4) return "";
  return "needs " + format_bytes(plan.bytes) + ", a quarter of the free " + format_bytes(memory.available) + " is less";
}

HugeBuffer::HugeBuffer(std::size_t bytes) : bytes_(bytes), mapping_bytes_(bytes + alignment) {
  mapping_ = mmap(nullptr, mapping_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping_ == MAP_FAILED) throw std::runtime_error("no memory for buffers of " + format_bytes(bytes));
  const auto start = reinterpret_cast<std::uintptr_t>(mapping_);
  data_ = static_cast<std::byte*>(mapping_) + (alignment - start % alignment) % alignment;
  madvise(data_, bytes_, MADV_HUGEPAGE);  // a kernel without huge pages refuses; huge_page_share() tells
}

HugeBuffer::~HugeBuffer() { munmap(mapping_, mapping_bytes_); }

std::optional<double> HugeBuffer::huge_page_share() const {
  std::ifstream maps("/proc/self/smaps");
  if (!maps) return std::nullopt;
  const auto start = reinterpret_cast<std::uintptr_t>(data_);
  std::size_t huge = 0;
  bool ours = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long long low = 0, high = 0, number = 0;
    if (std::sscanf(line.c_str(), "%llx-%llx ", &low, &high) == 2)
      ours = low < start + bytes_ && high > start;
    else if (ours && std::sscanf(line.c_str(), "AnonHugePages: %llu kB", &number) == 1)
      huge += number * kibibyte;
  }
  return static_cast<double>(std::min(huge, bytes_)) / static_cast<double>(bytes_);
}

}  // namespace bindgate
