#include "decode/sample.hpp"

#include <algorithm>
#include <cmath>

#include "support/generator.hpp"

namespace bindgate {
namespace {

constexpr std::array<double, 3> mean{0.485, 0.456, 0.406}, deviation{0.229, 0.224, 0.225};

// The source indices that output `i` of an axis draws from, and their weights before normalisation.
struct Window {
  double centre, radius;
  int first, last;  // last is one past

  Window(int i, int source) {
    const double scale = static_cast<double>(source) / sample_side;
    radius = std::max(1.0, scale);
    centre = (i + 0.5) * scale;
    first = std::max(0, static_cast<int>(std::floor(centre - radius + 0.5)));
    last = std::min(source, static_cast<int>(std::floor(centre + radius + 0.5)));
  }
  [[nodiscard]] double weight(int index) const {
    return std::max(0.0, 1 - std::abs(index + 0.5 - centre) / radius);
  }
  [[nodiscard]] double sum() const {
    double total = 0;
    for (int index = first; index < last; ++index) total += weight(index);
    return total;
  }
};

const std::uint8_t* pixel(const Picture& picture, int y, int x) {
  return picture.rgb.data() + (static_cast<std::ptrdiff_t>(y) * picture.width + x) * 3;
}

}  // namespace

Augmentation draw_augmentation(int width, int height, std::uint64_t seed) {
  Generator generator(seed);
  Augmentation drawn{0, 0, width, height, false};
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double area = generator.uniform(0.08, 1) * width * height;
    const double narrow = generator.uniform(0.75, 1);
    const double ratio = generator.uniform() < 0.5 ? narrow : 1 / narrow;
    const int w = static_cast<int>(std::sqrt(area * ratio) + 0.5), h = static_cast<int>(std::sqrt(area / ratio) + 0.5);
    if (w < 1 || h < 1 || w > width || h > height) continue;
    drawn.width = w;
    drawn.height = h;
    drawn.left = static_cast<int>(generator.below(static_cast<std::uint32_t>(width - w + 1)));
    drawn.top = static_cast<int>(generator.below(static_cast<std::uint32_t>(height - h + 1)));
    break;
  }
  drawn.flip = generator.uniform() < 0.5;
  return drawn;
}

void Resampler::Axis::prepare(int source) {
  taps = 0;
  first.resize(sample_side);
  for (int i = 0; i < sample_side; ++i) taps = std::max(taps, Window(i, source).last - Window(i, source).first);
  weights.assign(static_cast<std::size_t>(taps) * sample_side, 0.0f);
  for (int i = 0; i < sample_side; ++i) {
    const Window window(i, source);
    // Every output gets the same number of taps; where the edge cuts the window they start earlier, with weight 0.
    const int start = std::max(0, std::min(window.first, source - taps));
    first[static_cast<std::size_t>(i)] = start;
    const double sum = window.sum();
    for (int index = window.first; index < window.last; ++index)
      weights[static_cast<std::size_t>(i * taps + index - start)] = static_cast<float>(window.weight(index) / sum);
  }
}

void Resampler::run(const Picture& picture, const Augmentation& crop, std::span<float, sample_values> into) {
  horizontal_.prepare(crop.width);
  vertical_.prepare(crop.height);
  const auto values = static_cast<std::size_t>(crop.width) * 3;
  row_.resize(values);
  std::array<float, 3> factor, offset;
  for (std::size_t plane = 0; plane < 3; ++plane) {
    factor[plane] = static_cast<float>(1 / (255 * deviation[plane]));
    offset[plane] = static_cast<float>(-mean[plane] / deviation[plane]);
  }
  for (int y = 0; y < sample_side; ++y) {
    // Rows first: their sums run along memory, so the compiler makes vectors of them.
    const float* weights = &vertical_.weights[static_cast<std::size_t>(y * vertical_.taps)];
    const int top = crop.top + vertical_.first[static_cast<std::size_t>(y)];
    std::fill(row_.begin(), row_.end(), 0.0f);
    for (int tap = 0; tap < vertical_.taps; ++tap) {
      const std::uint8_t* source = pixel(picture, top + tap, crop.left);
      const float weight = weights[tap];
      float* row = row_.data();
      for (std::size_t i = 0; i < values; ++i) row[i] += weight * static_cast<float>(source[i]);
    }
    float* out = into.data() + static_cast<std::ptrdiff_t>(y) * sample_side;
    for (int x = 0; x < sample_side; ++x) {
      const float* source = &row_[static_cast<std::size_t>(horizontal_.first[static_cast<std::size_t>(x)]) * 3];
      const float* taps = &horizontal_.weights[static_cast<std::size_t>(x * horizontal_.taps)];
      float red = 0, green = 0, blue = 0;
      for (int tap = 0; tap < horizontal_.taps; ++tap, source += 3) {
        red += taps[tap] * source[0];
        green += taps[tap] * source[1];
        blue += taps[tap] * source[2];
      }
      const int target = crop.flip ? sample_side - 1 - x : x;
      constexpr int plane = sample_side * sample_side;
      out[target] = red * factor[0] + offset[0];
      out[plane + target] = green * factor[1] + offset[1];
      out[2 * plane + target] = blue * factor[2] + offset[2];
    }
  }
}

DotProduct expected_sample(const Picture& picture, const Augmentation& crop, int plane, int y, int x) {
  const Window rows(y, crop.height), columns(crop.flip ? sample_side - 1 - x : x, crop.width);
  const auto colour = static_cast<std::size_t>(plane);
  const double total = rows.sum() * columns.sum() * 255 * deviation[colour];
  DotProduct expected;
  for (int row = rows.first; row < rows.last; ++row)
    for (int column = columns.first; column < columns.last; ++column)
      expected.add(rows.weight(row) * columns.weight(column) / total,
                   pixel(picture, crop.top + row, crop.left + column)[plane]);
  expected.add(-mean[colour] / deviation[colour], 1);
  return expected;
}

}  // namespace bindgate
