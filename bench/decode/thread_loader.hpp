#pragma once
// A data loader with worker threads that decode and augment the pictures of a batch, each into its own sample.
// Stacking the samples into one tensor is the caller's part.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "decode/jpeg_set.hpp"
#include "decode/sample_maker.hpp"

namespace bindgate {

class ThreadLoader {
 public:
  /// One sample per file. The seed decides the augmentation; every batch repeats it, so that every iteration
  /// does the same work on the same bytes and the data add nothing to the variance.
  ThreadLoader(std::vector<JpegFile> files, unsigned workers, std::uint64_t seed);
  ~ThreadLoader();
  ThreadLoader(const ThreadLoader&) = delete;
  ThreadLoader& operator=(const ThreadLoader&) = delete;

  /// Makes all samples anew; waiting and woken threads sleep on condition variables and never spin.
  /// Throws std::runtime_error when a file cannot be decoded.
  void load_batch();

  [[nodiscard]] std::span<float, sample_values> sample(std::size_t index) const;
  [[nodiscard]] const std::vector<JpegFile>& files() const { return files_; }

 private:
  void work(unsigned number);
  void make_samples(SampleMaker& maker);

  std::vector<JpegFile> files_;
  std::uint64_t seed_;
  std::unique_ptr<float[]> samples_;  // first touched by the workers
  std::atomic<std::size_t> next_ = 0;

  std::mutex mutex_;
  std::condition_variable batch_wanted_, batch_done_;
  std::uint64_t batches_ = 0;  // wanted so far
  unsigned busy_ = 0;          // workers that have not finished the current one
  bool stopping_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> workers_;  // last: they use all of the above
};

}  // namespace bindgate
