#include "decode/jpeg.hpp"

#include <jconfig.h>
#include <turbojpeg.h>

#include <memory>

namespace bindgate {
namespace {

constexpr long most_pixels = 1L << 27;  // a header of a few bytes may claim 65500 x 65500, twelve gigabytes

const unsigned char* bytes_of(std::span<const char> jpeg) {
  return reinterpret_cast<const unsigned char*>(jpeg.data());
}

tl::unexpected<Error> refuse(tjhandle handle) {
  return fail(std::string("libjpeg-turbo: ") + tjGetErrorStr2(handle));
}

}  // namespace

JpegDecoder::JpegDecoder() : handle_(tjInitDecompress()) {}
JpegDecoder::~JpegDecoder() {
  if (handle_) tjDestroy(handle_);
}

Result<void> JpegDecoder::decode(std::span<const char> jpeg, Picture& into) {
  auto decoded = try_to_decode(jpeg, into);
  if (decoded || !handle_) return decoded;
  // What a broken file leaves in the decoder must not reach the next one: after some, good files are refused.
  tjDestroy(handle_);
  handle_ = tjInitDecompress();
  return decoded;
}

Result<void> JpegDecoder::try_to_decode(std::span<const char> jpeg, Picture& into) {
  if (!handle_) return fail("libjpeg-turbo: no decoder; is there memory left?");
  int chroma = 0, colours = 0;
  if (tjDecompressHeader3(handle_, bytes_of(jpeg), jpeg.size(), &into.width, &into.height, &chroma, &colours) != 0)
    return refuse(handle_);
  const long pixels = long{into.width} * into.height;
  if (pixels == 0) return fail("libjpeg-turbo: tables without a picture");
  if (pixels > most_pixels)
    return fail("libjpeg-turbo: a picture of " + std::to_string(into.width) + "x" + std::to_string(into.height) +
                " pixels; the largest that is decoded has " + std::to_string(most_pixels));
  into.rgb.resize(static_cast<std::size_t>(pixels) * 3);
  if (tjDecompress2(handle_, bytes_of(jpeg), jpeg.size(), into.rgb.data(), into.width, 0, into.height, TJPF_RGB, 0) !=
      0)
    return refuse(handle_);
  return {};
}

Result<std::string> encode_jpeg(const Picture& picture, int quality, Chroma chroma) {
  const std::unique_ptr<void, decltype(&tjDestroy)> encoder(tjInitCompress(), &tjDestroy);
  if (!encoder) return fail("libjpeg-turbo: no encoder; is there memory left?");
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  const int sampling = chroma == Chroma::full ? TJSAMP_444 : TJSAMP_420;
  const int status = tjCompress2(encoder.get(), picture.rgb.data(), picture.width, 0, picture.height, TJPF_RGB, &bytes,
                                 &size, sampling, quality, TJFLAG_ACCURATEDCT);
  const std::unique_ptr<unsigned char, decltype(&tjFree)> owner(bytes, &tjFree);
  if (status != 0) return refuse(encoder.get());
  return std::string(reinterpret_cast<const char*>(bytes), size);
}

std::string libjpeg_turbo_version() {
  constexpr int number = LIBJPEG_TURBO_VERSION_NUMBER;
  return std::to_string(number / 1'000'000) + "." + std::to_string(number / 1000 % 1000) + "." +
         std::to_string(number % 1000);
}

}  // namespace bindgate
