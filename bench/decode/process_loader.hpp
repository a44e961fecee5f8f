#pragma once
// A data loader as PyTorch's with num_workers above 0: worker processes that decode and augment the pictures of a
// batch straight into shared memory, where the trainer finds the whole batch. Nothing is fetched ahead unasked.

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "decode/jpeg_set.hpp"
#include "decode/sample_maker.hpp"
#include "support/shared_memory.hpp"
#include "support/worker_process.hpp"

namespace bindgate {

class ProcessLoader {
 public:
  /// One sample per file, `slots` batches in shared memory. The seed decides the augmentation, and every batch repeats
  /// it. Forks: to be made before the case has threads or much memory. Throws std::runtime_error.
  ProcessLoader(std::vector<JpegFile> files, unsigned workers, std::uint64_t seed, std::size_t slots = 1);

  /// Has all workers make the batch of `slot`. One batch at a time.
  void start(std::size_t slot);
  /// Sleeps until it is made and all workers are idle again. Throws std::runtime_error when a file cannot be decoded
  /// or a worker has ended.
  void wait();
  void load_batch() {
    start(0);
    wait();
  }

  [[nodiscard]] std::span<float> batch(std::size_t slot = 0) const;
  [[nodiscard]] const std::vector<JpegFile>& files() const { return files_; }
  [[nodiscard]] std::vector<pid_t> process_ids() const;

 private:
  struct Order {
    std::atomic<std::size_t> next, slot;
  };
  static_assert(std::atomic<std::size_t>::is_always_lock_free, "a lock would not be shared between processes");
  void make_samples(SampleMaker& maker);

  std::vector<JpegFile> files_;
  std::uint64_t seed_;
  SharedMemory batches_, order_memory_;
  Order* order_;
  std::vector<WorkerProcess> workers_;
};

}  // namespace bindgate
