#include "decode/process_loader.hpp"

#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>

namespace bindgate {

ProcessLoader::ProcessLoader(std::vector<JpegFile> files, unsigned workers, std::uint64_t seed, std::size_t slots)
    : files_(std::move(files)),
      seed_(seed),
      batches_(slots * files_.size() * sample_values * sizeof(float)),
      order_memory_(sizeof(Order)),
      order_(new (order_memory_.data()) Order) {
  for (unsigned i = 0; i < workers; ++i)
    workers_.emplace_back("decode-" + std::to_string(i),
                          [this, maker = std::make_shared<SampleMaker>()] { make_samples(*maker); });
}

void ProcessLoader::start(std::size_t slot) {
  order_->slot = slot;
  order_->next = 0;
  for (WorkerProcess& worker : workers_) worker.start();
}

void ProcessLoader::wait() {
  std::exception_ptr failure;
  for (WorkerProcess& worker : workers_) try {
      worker.wait();
    } catch (...) {
      failure = std::current_exception();  // the others still have to come to rest
    }
  if (failure) std::rethrow_exception(failure);
}

std::span<float> ProcessLoader::batch(std::size_t slot) const {
  const std::size_t values = files_.size() * sample_values;
  return std::span(reinterpret_cast<float*>(batches_.data()) + slot * values, values);
}

std::vector<pid_t> ProcessLoader::process_ids() const {
  std::vector<pid_t> ids;
  for (const WorkerProcess& worker : workers_) ids.push_back(worker.id());
  return ids;
}

void ProcessLoader::make_samples(SampleMaker& maker) {
  const std::span<float> batch = this->batch(order_->slot);
  for (std::size_t i = 0; (i = order_->next++) < files_.size();)
    maker.make(files_[i], seed_ + i, batch.subspan(i * sample_values).first<sample_values>());
}

}  // namespace bindgate
