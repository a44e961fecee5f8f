#pragma once
// What the functions of `script` give, element by element, in double by plain loops: each with the magnitude that its
// error bound needs. It knows nothing of LibTorch.

#include <cstddef>
#include <span>

#include "support/expected.hpp"

namespace bindgate {

/// A matrix of f32 in rows, as LibTorch stores it.
struct MatrixView {
  const float* data = nullptr;
  std::size_t rows = 0, columns = 0;

  [[nodiscard]] double operator()(std::size_t row, std::size_t column) const { return data[row * columns + column]; }
};

/// 0.5 y (1 + tanh(0.7978845608 (y + 0.044715 y^3))): GELU as networks approximate it (Hendrycks and Gimpel 2016).
[[nodiscard]] double gelu(double y);

/// gelu((x + bias) scale) + residual; bias and scale are rows.
[[nodiscard]] DotProduct expected_chain(const MatrixView& x, const MatrixView& bias, const MatrixView& scale,
                                        const MatrixView& residual, std::size_t row, std::size_t column);

/// gelu(x w1 + b1) w2 + b2 + x, with the errors of the inner sums carried through.
[[nodiscard]] DotProduct expected_mlp(const MatrixView& x, const MatrixView& w1, const MatrixView& b1,
                                      const MatrixView& w2, const MatrixView& b2, std::size_t row, std::size_t column);

/// `steps` times x = tanh(x w + bias), halved at every even step, from 0; `w` must shrink what it multiplies, so that
/// errors do too.
[[nodiscard]] DotProduct expected_loop(const MatrixView& x, const MatrixView& w, const MatrixView& bias, unsigned steps,
                                       std::size_t row, std::size_t column);

/// One picture, channels first, square kernels of odd size with padding that keeps its size.
struct Block2d {
  std::size_t channels = 0, size = 0, kernel = 0;
};
/// max(0, normalised convolution): (conv(x, w) - mean) / sqrt(variance + 1e-5) gamma + beta.
[[nodiscard]] DotProduct expected_block(const Block2d& block, std::span<const float> x, std::span<const float> w,
                                        const MatrixView& gamma, const MatrixView& beta, const MatrixView& mean,
                                        const MatrixView& variance, std::size_t position);

}  // namespace bindgate
