#pragma once
// What a two-dimensional convolution must give: plain loops over strided memory, for whatever layout the library
// under test was handed. Without LibTorch; no dilation, no groups, no bias.

#include <cstdint>

#include "core/error.hpp"
#include "support/tensor_view.hpp"

namespace bindgate {

/// A layer with square pictures and square filters, padded with zeros so that stride 1 keeps the side.
struct Convolution {
  std::int64_t batch = 1, in_channels = 1, out_channels = 1;
  std::int64_t side = 1;    ///< of the input
  std::int64_t kernel = 1;  ///< odd
  std::int64_t stride = 1;

  [[nodiscard]] std::int64_t padding() const { return kernel / 2; }
  [[nodiscard]] std::int64_t out_side() const { return (side + 2 * padding() - kernel) / stride + 1; }
  [[nodiscard]] std::int64_t inputs() const { return batch * in_channels * side * side; }
  [[nodiscard]] std::int64_t weights() const { return out_channels * in_channels * kernel * kernel; }
  [[nodiscard]] std::int64_t outputs() const { return batch * out_channels * out_side() * out_side(); }
  /// A multiplication and an addition for each term, those of the padding included, as they are usually counted.
  [[nodiscard]] double operations() const;
  bool operator==(const Convolution&) const = default;
};

/// One output, by the definition that networks use (a cross-correlation). The views' dimensions are
/// [batch, channel, row, column] and [out channel, in channel, row, column].
[[nodiscard]] DotProduct expected_output(const Convolution& layer, const TensorView& input, const TensorView& weight,
                                         std::int64_t picture, std::int64_t channel, std::int64_t row,
                                         std::int64_t column);

/// Compares 64 sampled outputs and the corners of the first and the last plane, where padding goes wrong. Error: the
/// first that is outside its bound.
[[nodiscard]] Result<void> check_convolution(const Convolution& layer, const TensorView& input,
                                             const TensorView& weight, const TensorView& output);

}  // namespace bindgate
