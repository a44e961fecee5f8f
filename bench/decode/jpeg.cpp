#include "decode/jpeg.hpp"

#include <jconfig.h>
#include <turbojpeg.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

namespace bindgate {
namespace {

const unsigned char* bytes_of(std::span<const char> jpeg) {
  return reinterpret_cast<const unsigned char*>(jpeg.data());
}

tl::unexpected<Error> refuse(tjhandle handle) { return fail(std::string("libjpeg-turbo: ") + tjGetErrorStr2(handle)); }

// What the bytes are, for people who put other files among their pictures; "" for a JPEG.
std::string other_format(std::span<const char> bytes) {
  using namespace std::string_view_literals;
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 9> beginnings{
      {{"\x89PNG"sv, "a PNG"},
       {"GIF8"sv, "a GIF"},
       {"BM"sv, "a BMP"},
       {"II*\0"sv, "a TIFF"},
       {"MM\0*"sv, "a TIFF"},
       {"\0\0\0\fjP  "sv, "a JPEG 2000"},
       {"\xff\x0a"sv, "a JPEG XL"},
       {"%PDF"sv, "a PDF"},
       {"version https://git-lfs"sv, "a pointer of Git LFS; run git lfs pull"}}};
  const std::string_view text(bytes.data(), bytes.size());
  if (text.starts_with("\xff\xd8\xff"sv)) return "";
  if (text.empty()) return "empty";
  for (const auto& [beginning, name] : beginnings)
    if (text.starts_with(beginning)) return std::string(name);
  if (text.starts_with("RIFF"sv) && text.substr(0, 12).ends_with("WEBP"sv)) return "a WebP";
  if (text.substr(0, 8).ends_with("ftyp"sv)) return "an AVIF, HEIF or MP4";
  const auto printable = [](char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t'; };
  return std::ranges::all_of(text.substr(0, 256), printable) ? "text" : "of an unknown format";
}

// Both inks and paper attenuate: red is what cyan and black leave. 255 is no ink.
void mix_inks(std::span<const std::uint8_t> inks, std::vector<std::uint8_t>& rgb) {
  const auto times = [](unsigned a, unsigned b) { return static_cast<std::uint8_t>((a * b + 127) / 255); };
  for (std::size_t pixel = 0; pixel < inks.size() / 4; ++pixel) {
    const std::uint8_t* ink = &inks[pixel * 4];
    std::uint8_t* out = &rgb[pixel * 3];
    for (int colour = 0; colour < 3; ++colour) out[colour] = times(ink[colour], ink[3]);
  }
}

// As much black as the pixel allows; the inks then carry the hue alone.
std::vector<std::uint8_t> to_inks(const Picture& picture) {
  std::vector<std::uint8_t> inks;
  inks.reserve(picture.rgb.size() / 3 * 4);
  for (std::size_t i = 0; i < picture.rgb.size(); i += 3) {
    const std::array<unsigned, 3> colours{picture.rgb[i], picture.rgb[i + 1], picture.rgb[i + 2]};
    const unsigned black = std::max(1u, std::ranges::max(colours));
    for (const unsigned colour : colours) inks.push_back(static_cast<std::uint8_t>((255 * colour + black / 2) / black));
    inks.push_back(static_cast<std::uint8_t>(black));
  }
  return inks;
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
  if (const std::string other = other_format(jpeg); !other.empty()) return fail("is " + other + ", not a JPEG");
  int width = 0, height = 0, chroma = 0, colours = -1;
  const int status = tjDecompressHeader3(handle_, bytes_of(jpeg), jpeg.size(), &width, &height, &chroma, &colours);
  const std::int64_t pixels = std::int64_t{width} * height;
  // A failure with the size known is only an unusual subsampling, which decoding does not mind.
  if (status != 0 && (pixels <= 0 || colours < 0)) return refuse(handle_);
  if (pixels <= 0) return fail("libjpeg-turbo: tables without a picture");
  if (pixels > most_pixels)
    return fail("claims " + std::to_string(width) + "x" + std::to_string(height) + " pixels, more than " +
                std::to_string(most_pixels) + " in all");
  into.width = width;
  into.height = height;
  into.rgb.resize(static_cast<std::size_t>(pixels) * 3);
  const bool cmyk = colours == TJCS_CMYK || colours == TJCS_YCCK;
  if (cmyk) inks_.resize(static_cast<std::size_t>(pixels) * 4);
  if (tjDecompress2(handle_, bytes_of(jpeg), jpeg.size(), cmyk ? inks_.data() : into.rgb.data(), width, 0, height,
                    cmyk ? TJPF_CMYK : TJPF_RGB, TJFLAG_LIMITSCANS) != 0)
    return refuse(handle_);
  if (cmyk) mix_inks(inks_, into.rgb);
  return {};
}

Result<std::string> encode_jpeg(const Picture& picture, const JpegEncoding& encoding) {
  const std::unique_ptr<void, decltype(&tjDestroy)> encoder(tjInitCompress(), &tjDestroy);
  if (!encoder) return fail("libjpeg-turbo: no encoder; is there memory left?");
  const bool cmyk = encoding.colours == Colours::cmyk;
  const int sampling = encoding.colours == Colours::gray ? TJSAMP_GRAY
                       : encoding.chroma == Chroma::full ? TJSAMP_444
                                                         : TJSAMP_420;
  const std::vector<std::uint8_t> inks = cmyk ? to_inks(picture) : std::vector<std::uint8_t>();
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  const int status = tjCompress2(encoder.get(), cmyk ? inks.data() : picture.rgb.data(), picture.width, 0,
                                 picture.height, cmyk ? TJPF_CMYK : TJPF_RGB, &bytes, &size, sampling, encoding.quality,
                                 TJFLAG_ACCURATEDCT | (encoding.progressive ? TJFLAG_PROGRESSIVE : 0));
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
