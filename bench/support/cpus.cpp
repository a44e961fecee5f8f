#include "support/cpus.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

#include "core/files.hpp"

namespace bindgate {
namespace {

// The kernel's form of a mask, of any size.
struct Mask {
  explicit Mask(unsigned largest_id) : words(largest_id / (8 * sizeof(unsigned long)) + 1) {}
  [[nodiscard]] std::size_t bytes() const { return words.size() * sizeof(unsigned long); }
  [[nodiscard]] cpu_set_t* set() { return reinterpret_cast<cpu_set_t*>(words.data()); }
  std::vector<unsigned long> words;
};

std::optional<unsigned> number_of(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
  if (error != std::errc() || end != text.end()) return std::nullopt;
  return number;
}

// "1024K" in bytes; 0 for what is no size.
std::size_t bytes_of(std::string_view text) {
  unsigned shift = 0;
  if (text.ends_with('K')) shift = 10;
  if (text.ends_with('M')) shift = 20;
  if (shift > 0) text.remove_suffix(1);
  return std::size_t{number_of(text).value_or(0)} << shift;
}

std::optional<unsigned> node_of(const std::filesystem::path& cpu) {
  constexpr std::string_view prefix = "node";
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(cpu, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix)) continue;
    if (const auto node = number_of(std::string_view(name).substr(prefix.size()))) return node;
  }
  return std::nullopt;
}

}  // namespace

IndexSet allowed_cpus() {
  IndexSet cpus;
  // The kernel refuses a mask smaller than its own: grow until it fits.
  for (unsigned largest = 1023; largest <= IndexSet::largest_id; largest = 2 * largest + 1) {
    Mask mask(largest);
    if (sched_getaffinity(0, mask.bytes(), mask.set()) != 0) continue;
    for (unsigned id = 0; id <= largest; ++id)
      if (CPU_ISSET_S(id, mask.bytes(), mask.set())) cpus.insert(id);
    break;
  }
  return cpus;
}

void run_on(const IndexSet& cpus) {
  Mask mask(cpus.last().value_or(0));
  for (const unsigned id : cpus) CPU_SET_S(id, mask.bytes(), mask.set());
  if (sched_setaffinity(0, mask.bytes(), mask.set()) != 0)
    throw std::system_error(errno, std::generic_category(), "sched_setaffinity to CPUs " + cpus.list());
}

KeptMask::~KeptMask() {
  try {
    run_on(cpus_);
  } catch (const std::exception&) {  // the harness's proof then names the thread that stayed behind
  }
}

bool Cpu::shares(unsigned level, const Cpu& other) const {
  return std::any_of(caches.begin(), caches.end(), [&](const Cache& cache) {
    return cache.level == level && cache.cpus.contains(id) && cache.cpus.contains(other.id);
  });
}

std::vector<Cache> read_caches(const std::filesystem::path& cpu) {
  std::vector<Cache> caches;
  for (int index = 0; index < 8; ++index) {
    const auto folder = cpu / "cache" / ("index" + std::to_string(index));
    Cache cache;
    cache.level = number_of(read_line_of(folder / "level")).value_or(0);
    cache.bytes = bytes_of(read_line_of(folder / "size"));
    cache.cpus = IndexSet::parse(read_line_of(folder / "shared_cpu_list")).value_or(IndexSet());
    if (cache.bytes > 0 && read_line_of(folder / "type") != "Instruction") caches.push_back(std::move(cache));
  }
  return caches;
}

std::vector<Cpu> read_cpus(const IndexSet& cpus, const std::filesystem::path& root) {
  std::vector<Cpu> all;
  for (const unsigned id : cpus) {
    const auto folder = root / ("cpu" + std::to_string(id));
    all.push_back({id, node_of(folder), read_caches(folder)});
  }
  return all;
}

}  // namespace bindgate
