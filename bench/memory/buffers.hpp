#pragma once
// How much memory the memory cases work on, and that memory: huge pages where the kernel gives them. The size
// depends on the machine only, so that tonight's is last night's.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "support/cpus.hpp"

namespace bindgate {

inline constexpr std::size_t kibibyte = 1024, mebibyte = 1024 * kibibyte, gibibyte = 1024 * mebibyte;

/// All buffers of a case together.
struct BufferPlan {
  std::size_t bytes = 0;                  ///< a power of two
  std::optional<std::size_t> last_level;  ///< all last-level caches that the CPUs reach; nothing: not told
  /// Whether the buffers are so small that caches hold a part of them.
  [[nodiscard]] bool is_cache_figure() const { return !last_level || bytes < 4 * *last_level; }
  /// What to know when reading the figures: "cache figure: 1.00 GiB of buffers, last-level cache 300 MiB"; or "".
  [[nodiscard]] std::string label() const;
  bool operator==(const BufferPlan&) const = default;
};

/// The last-level caches of the CPUs, each counted once and whole, whoever else shares it.
[[nodiscard]] std::optional<std::size_t> last_level_bytes(std::span<const Cpu> cpus);

/// Four times the last-level caches (256 MiB where they are unknown), at least 128 MiB, at most 1 GiB and a sixteenth
/// of the machine's memory.
[[nodiscard]] BufferPlan plan_buffers(std::optional<std::size_t> last_level, std::size_t total_memory);

struct Memory {
  std::size_t total = 0;
  std::size_t available = 0;  ///< what may be taken without swapping, within the control group's limit
};
/// From meminfo(5) in `proc` and the control group (v2) in `group`. Zeros where the system does not tell.
[[nodiscard]] Memory read_memory(const std::filesystem::path& proc = "/proc",
                                 const std::filesystem::path& group = "/sys/fs/cgroup");

/// Why the plan may not be carried out now, as "needs 1.00 GiB, a quarter of the free 2.00 GiB is less"; or "".
[[nodiscard]] std::string why_not_now(const BufferPlan& plan, const Memory& memory);

/// Zeroed memory at a huge page's boundary; its pages come with the first touch.
class HugeBuffer {
 public:
  static constexpr std::size_t alignment = 2 * mebibyte;

  /// Throws std::runtime_error where memory is refused.
  explicit HugeBuffer(std::size_t bytes);
  ~HugeBuffer();
  HugeBuffer(const HugeBuffer&) = delete;
  HugeBuffer& operator=(const HugeBuffer&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  /// The part that lies in huge pages, in [0, 1], by /proc/self/smaps; nothing where that cannot be read.
  [[nodiscard]] std::optional<double> huge_page_share() const;

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  void* mapping_ = nullptr;
  std::size_t mapping_bytes_ = 0;
};

}  // namespace bindgate
