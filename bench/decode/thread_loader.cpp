#include "decode/thread_loader.hpp"

#include <pthread.h>

#include <utility>

namespace bindgate {

ThreadLoader::ThreadLoader(std::vector<JpegFile> files, unsigned workers, std::uint64_t seed)
    : files_(std::move(files)),
      seed_(seed),
      samples_(std::make_unique_for_overwrite<float[]>(files_.size() * sample_values)) {
  for (unsigned i = 0; i < workers; ++i) workers_.emplace_back([this, i] { work(i); });
}

ThreadLoader::~ThreadLoader() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  batch_wanted_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadLoader::load_batch() {
  std::unique_lock lock(mutex_);
  next_ = 0;
  busy_ = static_cast<unsigned>(workers_.size());
  ++batches_;
  batch_wanted_.notify_all();
  batch_done_.wait(lock, [this] { return busy_ == 0; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

std::span<float, sample_values> ThreadLoader::sample(std::size_t index) const {
  return std::span<float, sample_values>(samples_.get() + index * sample_values, sample_values);
}

void ThreadLoader::work(unsigned number) {
  pthread_setname_np(pthread_self(), ("decode-" + std::to_string(number)).c_str());
  SampleMaker maker;
  std::uint64_t done = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    batch_wanted_.wait(lock, [&] { return stopping_ || batches_ != done; });
    if (stopping_) return;
    done = batches_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      make_samples(maker);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure) failure_ = failure;
    if (--busy_ == 0) batch_done_.notify_one();
  }
}

void ThreadLoader::make_samples(SampleMaker& maker) {
  for (std::size_t i = 0; (i = next_++) < files_.size();) maker.make(files_[i], seed_ + i, sample(i));
}

}  // namespace bindgate
