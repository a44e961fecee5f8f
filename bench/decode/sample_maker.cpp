#include "decode/sample_maker.hpp"

#include <stdexcept>

namespace bindgate {

void SampleMaker::make(const JpegFile& file, std::uint64_t seed, std::span<float, sample_values> into) {
  const auto decoded = decoder_.decode(file.bytes, picture_);
  if (!decoded) throw std::runtime_error(file.path.string() + ": " + decoded.error().message);
  resampler_.run(picture_, draw_augmentation(picture_.width, picture_.height, seed), into);
}

}  // namespace bindgate
