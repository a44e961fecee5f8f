#pragma once
// JPEG bytes to pixels and back, by libjpeg-turbo's TurboJPEG interface, whose header stays in the .cpp.

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/error.hpp"
#include "decode/picture.hpp"

namespace bindgate {

enum class Chroma { full, quarter };  ///< 4:4:4, 4:2:0

/// One thread's decoder; it keeps its tables and buffers from picture to picture.
class JpegDecoder {
 public:
  JpegDecoder();
  ~JpegDecoder();
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  /// Error: the library's words; also for what it calls a warning, as a file that ends too early;
  /// and for more than 2^27 pixels.
  [[nodiscard]] Result<void> decode(std::span<const char> jpeg, Picture& into);

 private:
  Result<void> try_to_decode(std::span<const char> jpeg, Picture& into);

  void* handle_;
};

/// Error: the library's words.
[[nodiscard]] Result<std::string> encode_jpeg(const Picture& picture, int quality, Chroma chroma);

/// Version of the library that this was compiled with, as "2.1.5".
[[nodiscard]] std::string libjpeg_turbo_version();

}  // namespace bindgate
