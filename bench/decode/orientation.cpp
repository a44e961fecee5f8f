#include "decode/orientation.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bindgate {
namespace {

// Numbers from bytes that nobody has checked: what lies behind the end is nothing.
class Bytes {
 public:
  explicit Bytes(std::string_view text, bool big_endian = true) : text_(text), big_endian_(big_endian) {}

  [[nodiscard]] std::optional<std::uint32_t> number(std::size_t at, std::size_t size) const {
    if (at > text_.size() || text_.size() - at < size) return std::nullopt;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
      value = value << 8 | static_cast<unsigned char>(text_[at + (big_endian_ ? i : size - 1 - i)]);
    return value;
  }

 private:
  std::string_view text_;
  bool big_endian_;
};

std::optional<int> orientation_in(std::string_view tiff) {
  const Bytes bytes(tiff, tiff.starts_with("MM"));
  if (!tiff.starts_with("MM") && !tiff.starts_with("II")) return std::nullopt;
  const auto directory = bytes.number(4, 4);
  if (bytes.number(2, 2) != 42u || !directory) return std::nullopt;
  const auto entries = bytes.number(*directory, 2);
  for (std::size_t entry = 0; entry < entries.value_or(0); ++entry) {
    const std::size_t at = std::size_t{*directory} + 2 + entry * 12;
    const auto tag = bytes.number(at, 2);
    if (!tag) return std::nullopt;
    if (*tag != 0x0112) continue;
    const auto value = bytes.number(at + 8, 2);
    const bool is_one_short = bytes.number(at + 2, 2) == 3u && bytes.number(at + 4, 4) == 1u;
    if (!is_one_short || !value || *value < 1 || *value > 8) return std::nullopt;
    return static_cast<int>(*value);
  }
  return std::nullopt;
}

}  // namespace

std::optional<int> exif_orientation(std::span<const char> jpeg) {
  using namespace std::string_view_literals;
  const std::string_view text(jpeg.data(), jpeg.size());
  const Bytes bytes(text);
  if (bytes.number(0, 2) != 0xffd8u) return std::nullopt;
  for (std::size_t at = 2;;) {
    const auto marker = bytes.number(at, 2), length = bytes.number(at + 2, 2);
    // Tables and application parts alone precede the picture.
    if (!marker || !length || *marker < 0xff01 || *marker == 0xffda || *length < 2) return std::nullopt;
    if (*marker == 0xffe1) {
      const std::string_view part = text.substr(at + 4, *length - 2);
      if (part.starts_with("Exif\0\0"sv)) return orientation_in(part.substr(6));
    }
    at += 2 + *length;
  }
}

}  // namespace bindgate
