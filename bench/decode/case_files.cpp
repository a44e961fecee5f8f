#include "decode/case_files.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

#include "decode/sample.hpp"
#include "samples/protocol.hpp"

namespace bindgate {
namespace {

// The decoder against the picture before encoding, where there is one; one file of each kind.
Result<void> check_picture(const JpegFile& file, const Picture& decoded) {
  const JpegKind& kind = *file.kind;
  const double found = peak_signal_to_noise(decoded, original_of(kind, file.index));
  if (found >= kind.least_psnr) return {};
  return fail(file.path.string() + ": decoded pixels: expected at least " + std::to_string(kind.least_psnr) +
              " dB against the original, found " + std::to_string(found) + "; remove the file to have it made anew");
}

}  // namespace

std::vector<JpegFile> files_for_case(const JpegSet& set, std::size_t count) {
  const auto cache = cache_folder();
  if (!cache) throw protocol::Failed{cache.error().message};
  auto files = open_jpeg_set(*cache, set, count);
  if (!files) throw protocol::Failed{files.error().message};
  const auto corrupt = replace_corrupt(*files);
  if (!corrupt) throw protocol::Failed{corrupt.error().message};
  for (const UnusableFile& file : *corrupt)
    std::fprintf(stderr, "decode: corrupt file %s: %s; another of its kind stands in\n", file.path.c_str(),
                 file.reason.c_str());
  if (!corrupt->empty()) std::fprintf(stderr, "decode: %zu of %zu files are corrupt\n", corrupt->size(), count);
  return *std::move(files);
}

std::vector<JpegFile> files_for_case(const Result<ImageFolder>& folder, std::size_t count) {
  if (!folder) throw protocol::Failed{folder.error().message};
  auto images = load_images(*folder, count);
  if (!images) throw protocol::Failed{images.error().message};
  for (const UnusableFile& file : images->unusable)
    std::fprintf(stderr, "decode: left out: %s: %s\n", file.path.c_str(), file.reason.c_str());
  if (!images->unusable.empty()) std::fprintf(stderr, "decode: %zu left out\n", images->unusable.size());
  if (images->rotated != 0)
    std::fprintf(stderr, "decode: %zu of %zu files ask to be rotated (EXIF); they are decoded as stored\n",
                 images->rotated, images->distinct);
  return std::move(images->files);
}

Result<void> check_batch(std::span<const JpegFile> files, std::uint64_t seed, std::span<const float> batch) {
  if (!std::ranges::all_of(batch, [](float value) { return std::isfinite(value); }))
    return fail("batch: holds values that are no numbers");
  JpegDecoder decoder;
  Picture picture;
  std::vector<const JpegKind*> seen{nullptr};
  for (std::size_t i = 0; i < files.size(); ++i) {
    const JpegFile& file = files[i];
    if (auto decoded = decoder.decode(file.bytes, picture); !decoded) return decoded;
    if (std::ranges::find(seen, file.kind) == seen.end()) {
      seen.push_back(file.kind);
      if (auto right = check_picture(file, picture); !right) return right;
    }
    const Augmentation augmentation = draw_augmentation(picture.width, picture.height, seed + i);
    for (const std::size_t position : sampled_positions(sample_values, 8, i)) {
      const int plane = static_cast<int>(position / sample_side / sample_side);
      const int y = static_cast<int>(position / sample_side % sample_side);
      const int x = static_cast<int>(position % sample_side);
      const std::string where = "batch[" + std::to_string(i) + ", " + std::to_string(plane) + ", " + std::to_string(y) +
                                ", " + std::to_string(x) + "]";
      if (auto right = compare(where, batch[i * sample_values + position],
                               expected_sample(picture, augmentation, plane, y, x), {});
          !right)
        return right;
    }
  }
  return {};
}

}  // namespace bindgate
