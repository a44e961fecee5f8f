#pragma once
// From decoded pixels to what a network eats: random resized crop, flip, antialiased bilinear resize,
// normalisation to planes of floats. One expected value at a time there is the same by the definition.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "decode/picture.hpp"
#include "support/expected.hpp"

namespace bindgate {

inline constexpr int sample_side = 224;
inline constexpr std::size_t sample_values = 3u * sample_side * sample_side;  ///< planes R, G, B

/// A part of a picture, in pixels, and whether it is mirrored.
struct Augmentation {
  int left = 0, top = 0, width = 0, height = 0;
  bool flip = false;
  bool operator==(const Augmentation&) const = default;
};

/// A crop of 8 to 100 % of the area with sides 3:4 to 4:3, and a flip for every second one; the seed decides.
[[nodiscard]] Augmentation draw_augmentation(int width, int height, std::uint64_t seed);

/// One thread's resampler; it keeps its weights and rows from picture to picture.
class Resampler {
 public:
  /// Resizes the crop to 224 x 224 and normalises: (value / 255 - mean) / deviation by plane, ImageNet's figures.
  /// The triangle filter widens with the reduction, as Pillow's and torchvision's (antialias) do; no rounding to
  /// 8 bits between the passes.
  void run(const Picture& picture, const Augmentation& augmentation, std::span<float, sample_values> into);

 private:
  struct Axis {
    std::vector<int> first;        // first source index, by output
    std::vector<float> weights;    // `taps` for each output, 0 behind the last that counts
    int taps = 0;
    void prepare(int source);
  };
  Axis horizontal_, vertical_;
  std::vector<float> row_;
};

/// The value at plane, y, x in double, straight from the filter's definition.
[[nodiscard]] DotProduct expected_sample(const Picture& picture, const Augmentation& augmentation, int plane, int y,
                                         int x);

}  // namespace bindgate
