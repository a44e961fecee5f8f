#include "support/shared_memory.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <stdexcept>
#include <string>

#include "core/error.hpp"

namespace bindgate {

SharedMemory::SharedMemory(std::size_t bytes) : size_(bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    throw std::runtime_error("shared memory of " + std::to_string(bytes) + " bytes: " + describe_errno("mmap", errno));
  data_ = static_cast<std::byte*>(memory);
}

SharedMemory::~SharedMemory() { munmap(data_, size_); }

}  // namespace bindgate
