#pragma once
// What one worker does with one file: decode, draw the augmentation, resample. Threads and processes do the same.

#include <cstdint>
#include <span>

#include "decode/jpeg_set.hpp"
#include "decode/sample.hpp"

namespace bindgate {

/// One worker's; it keeps its buffers from file to file.
class SampleMaker {
 public:
  /// Throws std::runtime_error when the file cannot be decoded.
  void make(const JpegFile& file, std::uint64_t seed, std::span<float, sample_values> into);

 private:
  JpegDecoder decoder_;
  Resampler resampler_;
  Picture picture_;
};

}  // namespace bindgate
