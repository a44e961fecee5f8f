#pragma once
// Memory that a program and the workers it forks afterwards have in common. It has no name and no descriptor, so that
// nothing is left of it when the last of them ends, however that comes.

#include <cstddef>

namespace bindgate {

class SharedMemory {
 public:
  /// Zeroes, not yet touched. Throws std::runtime_error where memory is refused.
  explicit SharedMemory(std::size_t bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace bindgate
