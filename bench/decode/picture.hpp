#pragma once
// Pixels in memory, and pictures that compress as photographs do: statistics of natural images (edges of
// things that hide each other, texture with as much contrast in every octave), from a seed alone.

#include <cstdint>
#include <vector>

namespace bindgate {

/// 8-bit RGB, interleaved, rows without padding.
struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
  bool operator==(const Picture&) const = default;
};

/// The same bytes for a seed on every machine. "Dead leaves" (Lee, Mumford, Huang: Occlusion models for natural
/// images, 2001) under texture whose variance is equal in every octave, which is an amplitude spectrum of 1/f
/// (Field: Relations between the statistics of natural images, 1987).
[[nodiscard]] Picture synthesise(int width, int height, std::uint64_t seed);

/// Every pixel's luma in all three channels, as a JPEG without colour decodes (ITU-R BT.601: 0.299, 0.587, 0.114).
void make_gray(Picture& picture);

/// Peak signal-to-noise ratio in dB; of pictures of different size 0, of equal ones 99.
[[nodiscard]] double peak_signal_to_noise(const Picture& a, const Picture& b);

}  // namespace bindgate
