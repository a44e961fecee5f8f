#include "decode/picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "support/generator.hpp"

namespace bindgate {
namespace {

// One plane of numbers, as large as the picture.
struct Plane {
  int width, height;
  std::vector<double> values = std::vector<double>(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  double* row(int y) { return values.data() + static_cast<std::ptrdiff_t>(y) * width; }
};

// Adds noise of one octave: random values on a grid of `cell` pixels, interpolated smoothly between.
void add_octave(Plane& plane, int cell, double amplitude, Generator& generator) {
  const int columns = plane.width / cell + 2, rows = plane.height / cell + 2;
  Plane grid{columns, rows};
  // Interpolation takes variance away from all octaves but the finest.
  const double scale = amplitude * (cell == 1 ? 1.0 : 1.6);
  for (double& value : grid.values) value = scale * generator.normal();
  const auto ease = [](double t) { return t * t * (3 - 2 * t); };
  for (int y = 0; y < plane.height; ++y) {
    const double v = ease(static_cast<double>(y % cell) / cell);
    const double *above = grid.row(y / cell), *below = grid.row(y / cell + 1);
    double* out = plane.row(y);
    for (int x = 0; x < plane.width; ++x) {
      const double u = ease(static_cast<double>(x % cell) / cell);
      const int i = x / cell;
      out[x] += (1 - v) * ((1 - u) * above[i] + u * above[i + 1]) + v * ((1 - u) * below[i] + u * below[i + 1]);
    }
  }
}

// Paints discs from the back to the front; radii follow r^-3, which makes the statistics free of scale.
void paint_leaves(std::array<Plane, 3>& planes, Generator& generator) {
  const int width = planes[0].width, height = planes[0].height;
  const double smallest = 6, largest = 0.4 * width;
  for (int leaf = 0; leaf < 400; ++leaf) {
    const double a = 1 / (smallest * smallest), b = 1 / (largest * largest);
    const double radius = 1 / std::sqrt(a + (b - a) * generator.uniform());
    const double x0 = generator.uniform(0, width), y0 = generator.uniform(0, height);
    const std::array<double, 3> colour{generator.uniform(-75, 75), generator.uniform(-18, 18),
                                       generator.uniform(-18, 18)};
    const int top = std::max(0, static_cast<int>(y0 - radius) - 1);
    const int bottom = std::min(height - 1, static_cast<int>(y0 + radius) + 1);
    const int left = std::max(0, static_cast<int>(x0 - radius) - 1);
    const int right = std::min(width - 1, static_cast<int>(x0 + radius) + 1);
    for (int y = top; y <= bottom; ++y)
      for (int x = left; x <= right; ++x) {
        const double dx = x - x0, dy = y - y0;
        const double cover = std::clamp(radius - std::sqrt(dx * dx + dy * dy) + 0.5, 0.0, 1.0);  // a lens softens edges
        if (cover == 0) continue;
        for (std::size_t plane = 0; plane < 3; ++plane) {
          double& value = planes[plane].row(y)[x];
          value += cover * (colour[plane] - value);
        }
      }
  }
}

std::uint8_t to_byte(double value) { return static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0) + 0.5); }

}  // namespace

Picture synthesise(int width, int height, std::uint64_t seed) {
  Generator generator(seed);
  std::array<Plane, 3> scene{Plane{width, height}, Plane{width, height}, Plane{width, height}};  // Y, Cb, Cr about 0
  paint_leaves(scene, generator);
  Plane texture{width, height}, focus{width, height};
  for (int cell = 2; cell <= 64; cell *= 2) add_octave(texture, cell, 2.2, generator);
  add_octave(texture, 1, 0.9, generator);  // lens and demosaicing damp the finest octave of a photograph
  add_octave(focus, 64, 0.3, generator);  // some regions are smooth, some rough
  for (const std::size_t plane : {1u, 2u})
    for (int cell = 4; cell <= 32; cell *= 2) add_octave(scene[plane], cell, 1.0, generator);

  Picture picture{width, height, {}};
  picture.rgb.reserve(texture.values.size() * 3);
  for (std::size_t i = 0; i < texture.values.size(); ++i) {
    const double y = 128 + scene[0].values[i] + texture.values[i] * std::clamp(1 + focus.values[i], 0.2, 1.8);
    const double cb = scene[1].values[i], cr = scene[2].values[i];
    picture.rgb.push_back(to_byte(y + 1.402 * cr));
    picture.rgb.push_back(to_byte(y - 0.344136 * cb - 0.714136 * cr));
    picture.rgb.push_back(to_byte(y + 1.772 * cb));
  }
  return picture;
}

void make_gray(Picture& picture) {
  for (std::size_t i = 0; i < picture.rgb.size(); i += 3) {
    std::uint8_t* pixel = &picture.rgb[i];
    pixel[0] = pixel[1] = pixel[2] = to_byte(0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2]);
  }
}

double peak_signal_to_noise(const Picture& a, const Picture& b) {
  if (a.rgb.size() != b.rgb.size() || a.width != b.width || a.rgb.empty()) return 0;
  double squares = 0;
  for (std::size_t i = 0; i < a.rgb.size(); ++i) {
    const double difference = static_cast<double>(a.rgb[i]) - b.rgb[i];
    squares += difference * difference;
  }
  if (squares == 0) return 99;
  return 10 * std::log10(255.0 * 255.0 * static_cast<double>(a.rgb.size()) / squares);
}

}  // namespace bindgate
