#pragma once
// JPEG bytes to pixels and back, by libjpeg-turbo's TurboJPEG interface, whose header stays in the .cpp.
// What the EXIF part says about orientation is not applied: see decode/orientation.hpp.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "decode/picture.hpp"

namespace bindgate {

enum class Chroma { full, quarter };     ///< 4:4:4, 4:2:0
enum class Colours { rgb, gray, cmyk };  ///< what a file stores: YCbCr, luma alone, YCCK with inverted inks

/// How a picture becomes a file.
struct JpegEncoding {
  int quality = 90;
  Chroma chroma = Chroma::full;
  Colours colours = Colours::rgb;
  bool progressive = false;
};

/// One thread's decoder; it keeps its tables and buffers from picture to picture.
class JpegDecoder {
 public:
  /// A file that claims more is refused, as Pillow refuses it: a few bytes must not cost gigabytes.
  static constexpr std::int64_t most_pixels = 178'956'970;

  JpegDecoder();
  ~JpegDecoder();
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  /// Any JPEG to RGB, in the order in which its pixels are stored. The inks of CMYK and YCCK are taken as inverted,
  /// as Adobe's programs write and Pillow reads them. Error: what the bytes are if no JPEG ("is a PNG, not a JPEG"),
  /// or the library's words; also for what it calls a warning, as a file that ends too early.
  [[nodiscard]] Result<void> decode(std::span<const char> jpeg, Picture& into);

 private:
  [[nodiscard]] Result<void> try_to_decode(std::span<const char> jpeg, Picture& into);

  void* handle_;
  std::vector<std::uint8_t> inks_;
};

/// Error: the library's words.
[[nodiscard]] Result<std::string> encode_jpeg(const Picture& picture, const JpegEncoding& encoding);

/// Version of the library that this was compiled with, as "2.1.5".
[[nodiscard]] std::string libjpeg_turbo_version();

}  // namespace bindgate
