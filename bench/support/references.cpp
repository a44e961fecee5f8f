#include "support/references.hpp"

#include <omp.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <stdexcept>
#include <string>

#include "support/clocks.hpp"
#include "support/cpus.hpp"
#include "support/reference_kernels.hpp"

namespace bindgate {
namespace {

// Fixed work per reading and thread, about 0.35 ms on a common machine. Part of the frozen code.
constexpr std::size_t compute_values = 1024, compute_rounds = 1280;
constexpr std::size_t l2_lines = 600'000, l3_lines = 360'000, dram_lines = 128'000;
constexpr std::size_t chase_links = 2'000;
constexpr std::size_t fault_pages = 256;

// Memory without huge pages: whether the kernel grants or later collapses them would show as the machine's mood.
class LineBuffer {
 public:
  explicit LineBuffer(std::size_t bytes) : size_(bytes / sizeof(frozen::Line)) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      throw std::runtime_error("reference kernels: no memory for " + std::to_string(bytes) + " bytes");
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    lines_ = static_cast<frozen::Line*>(memory);
  }
  ~LineBuffer() { munmap(lines_, size_ * sizeof(frozen::Line)); }
  LineBuffer(const LineBuffer&) = delete;
  LineBuffer& operator=(const LineBuffer&) = delete;

  void touch() {
    for (std::size_t i = 0; i < size_; ++i) lines_[i].payload = 1;
  }
  void link() { frozen::link(lines_, size_); }

  // On from where the last reading stopped: beginning anew would find its lines in a nearer cache.
  void stream(std::size_t count) { position_ = frozen::stream(lines_, size_, position_, count, &sum_); }
  void chase(std::size_t count) { link_ = frozen::chase(lines_, link_, count); }

 private:
  frozen::Line* lines_;
  std::size_t size_, position_ = 0, link_ = 0;
  std::uint64_t sum_ = 0;
};

std::filesystem::path first_allowed_cpu() {
  const int cpu = std::max(sched_getcpu(), 0);
  return "/sys/devices/system/cpu/cpu" + std::to_string(cpu);
}

}  // namespace

CacheShare read_cache_share(const std::filesystem::path& cpu) {
  CacheShare share;
  for (const Cache& cache : read_caches(cpu)) {
    const std::size_t mine = cache.bytes / std::max<std::size_t>(1, cache.cpus.size());
    if (cache.level == 2) share.l2 = mine;
    if (cache.level == 3) share.l3 = mine;
  }
  return share;
}

BufferSizes choose_buffer_sizes(const CacheShare& share, unsigned threads) {
  constexpr std::size_t page = 4096, mebibyte = std::size_t{1} << 20;
  BufferSizes sizes;
  sizes.l2 = std::max(page, share.l2 / 2 / page * page);
  sizes.l3 = std::min(std::max(share.l3 / 2, 2 * share.l2), 32 * mebibyte) / page * page;
  sizes.dram = std::bit_floor(std::max(128 * mebibyte / std::max(threads, 1u), 4 * mebibyte));
  return sizes;
}

struct References::Workspace {
  explicit Workspace(const BufferSizes& sizes) : l2(sizes.l2), l3(sizes.l3), dram(sizes.dram) {
    l2.touch();
    l3.touch();
    dram.link();
  }
  alignas(64) double values[compute_values] = {};
  LineBuffer l2, l3, dram;
  bool refused = false;
};

References::References(unsigned threads) : workspaces_(threads) {
  const BufferSizes sizes = choose_buffer_sizes(read_cache_share(first_allowed_cpu()), threads);
  std::atomic<unsigned> failures = 0;
#pragma omp parallel num_threads(static_cast<int>(threads))
  {
    try {
      workspaces_[static_cast<std::size_t>(omp_get_thread_num())] = std::make_unique<Workspace>(sizes);
    } catch (const std::exception&) {
      ++failures;
    }
  }
  const auto missing = static_cast<unsigned>(std::count(workspaces_.begin(), workspaces_.end(), nullptr));
  if (missing > 0)
    throw std::runtime_error("reference kernels: " + std::to_string(missing) + " of " + std::to_string(threads) +
                             " threads got no " + (failures > 0 ? "memory" : "start; is OMP_THREAD_LIMIT set?"));
  for (const ReferenceKernel kernel : reference_kernels) run(kernel);
}

References::~References() = default;

std::vector<std::int64_t> References::read(ReferenceKernel kernel, unsigned samples) {
  std::vector<std::int64_t> readings(samples);
  run(kernel);  // what the case left in caches and page tables is the case's doing, not the machine's
  for (std::int64_t& reading : readings) {
    const std::int64_t start = wall_clock_ns();
    run(kernel);
    reading = wall_clock_ns() - start;
  }
  for (const auto& workspace : workspaces_)
    if (workspace->refused)
      throw std::runtime_error("reference kernels: mmap was refused; is the memory limit reached?");
  return readings;
}

void References::run(ReferenceKernel kernel) {
  static const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
#pragma omp parallel num_threads(static_cast<int>(workspaces_.size()))
  {
    Workspace& own = *workspaces_[static_cast<std::size_t>(omp_get_thread_num())];
    switch (kernel) {
      case ReferenceKernel::compute: frozen::compute(own.values, compute_values, compute_rounds); break;
      case ReferenceKernel::l2: own.l2.stream(l2_lines); break;
      case ReferenceKernel::l3: own.l3.stream(l3_lines); break;
      case ReferenceKernel::dram: own.dram.stream(dram_lines); break;
      case ReferenceKernel::chase: own.dram.chase(chase_links); break;
      case ReferenceKernel::faults: own.refused |= !frozen::fault(fault_pages, page_bytes); break;
    }
  }
}

}  // namespace bindgate
