#pragma once
// What a camera says about how it was held. Loaders for training leave it alone: PIL.Image.open, torchvision's
// ImageFolder and decode_image give the pixels as stored, so bench_decode does too, and tells which files it concerns.

#include <optional>
#include <span>

namespace bindgate {

/// The EXIF orientation of a JPEG, 1 (as stored) to 8 (tag 0x0112 of the first directory; CIPA DC-008). Nothing where
/// there is none, or where the part that should hold it is damaged.
[[nodiscard]] std::optional<int> exif_orientation(std::span<const char> jpeg);

}  // namespace bindgate
