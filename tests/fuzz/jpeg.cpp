// JPEG files of unknown origin: a broken one is refused in one line, leaves no trace in the decoder, and is
// replaced in a set by the next good one of its kind. Large pictures are left out here, for they take long.

#include "decode/jpeg.hpp"

#include <turbojpeg.h>

#include <memory>
#include <vector>

#include "decode/jpeg_set.hpp"
#include "decode/orientation.hpp"
#include "target.hpp"

namespace {

using namespace bindgate;
using fuzz::check;

constexpr long most_pixels = 1L << 18;

Picture small_picture() {
  Picture picture{16, 16, std::vector<std::uint8_t>(std::size_t{16} * 16 * 3)};
  for (std::size_t i = 0; i < picture.rgb.size(); ++i) picture.rgb[i] = static_cast<std::uint8_t>(5 * i);
  return picture;
}

bool is_large(std::string_view bytes) {
  static const std::unique_ptr<void, decltype(&tjDestroy)> handle(tjInitDecompress(), &tjDestroy);
  int width = 0, height = 0, chroma = 0, colours = 0;
  return tjDecompressHeader3(handle.get(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), &width,
                             &height, &chroma, &colours) == 0 &&
         long{width} * height > most_pixels;
}

void check_decoder(std::string_view bytes, std::string_view good) {
  static JpegDecoder decoder;
  Picture picture, again;
  check(decoder.decode(good, picture).has_value(), "a good file decodes");
  const auto decoded = decoder.decode(bytes, again);
  if (!decoded) fuzz::check_error(decoded.error(), "");
  if (decoded)
    check(again.width > 0 && again.height > 0 &&
              again.rgb.size() == std::size_t{3} * static_cast<unsigned>(again.width) * static_cast<unsigned>(again.height),
          "a decoded picture has as many bytes as it says");
  const auto decoded_again = decoder.decode(good, again);
  check(decoded_again.has_value(), "a good file decodes after a broken one",
        decoded_again ? "" : decoded_again.error().message);
  check(again == picture, "a broken file leaves no trace in the next picture");
}

void check_set(std::string_view bytes, const std::string& good) {
  const std::span<const JpegKind> kinds = photographs.kinds;
  std::vector<JpegFile> files;
  for (std::size_t i = 0; i <= kinds.size(); ++i) files.push_back({"file", good, &kinds[i % kinds.size()], i});
  files[0].bytes = bytes;
  const auto corrupt = replace_corrupt(files);
  check(corrupt && corrupt->size() <= 1 && files.size() == kinds.size() + 1, "a broken file is replaced");
  check(corrupt->empty() || (files[0].bytes == good && files[0].index == kinds.size()), "the next of its kind stands in");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string good = *encode_jpeg(small_picture(), {.quality = 90, .chroma = Chroma::quarter});
  const std::string_view bytes = fuzz::text_of(data, size);
  if (is_large(bytes)) return 0;
  check_decoder(bytes, good);
  check(exif_orientation(bytes).value_or(1) >= 1 && exif_orientation(bytes).value_or(1) <= 8, "an orientation is 1 to 8");
  check_set(bytes, good);
  return 0;
}
