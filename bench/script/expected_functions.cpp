#include "script/expected_functions.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace bindgate {

double gelu(double y) { return 0.5 * y * (1 + std::tanh(0.7978845608 * (y + 0.044715 * y * y * y))); }

DotProduct expected_chain(const MatrixView& x, const MatrixView& bias, const MatrixView& scale,
                          const MatrixView& residual, std::size_t row, std::size_t column) {
  const double y = (x(row, column) + bias(0, column)) * scale(0, column);
  DotProduct expected;
  expected.value = gelu(y) + residual(row, column);
  // The slope of GELU is at most 1.13, and its inner terms are small where y is.
  expected.magnitude = 2 * (std::abs(x(row, column)) + std::abs(bias(0, column))) * std::abs(scale(0, column)) +
                       std::abs(residual(row, column));
  expected.terms = 12;
  return expected;
}

DotProduct expected_mlp(const MatrixView& x, const MatrixView& w1, const MatrixView& b1, const MatrixView& w2,
                        const MatrixView& b2, std::size_t row, std::size_t column) {
  DotProduct expected;
  for (std::size_t j = 0; j < w1.columns; ++j) {
    DotProduct inner;
    for (std::size_t i = 0; i < w1.rows; ++i) inner.add(x(row, i), w1(i, j));
    inner.add(b1(0, j), 1);
    const double activated = gelu(inner.value);
    expected.value += activated * w2(j, column);
    expected.magnitude += std::abs(w2(j, column)) * (std::abs(activated) + 2 * inner.magnitude);
  }
  expected.value += b2(0, column) + x(row, column);
  expected.magnitude += std::abs(b2(0, column)) + std::abs(x(row, column));
  expected.terms = w1.columns + w1.rows;
  return expected;
}

DotProduct expected_loop(const MatrixView& x, const MatrixView& w, const MatrixView& bias, unsigned steps,
                         std::size_t row, std::size_t column) {
  std::vector<double> state(w.rows), next(w.columns);
  for (std::size_t i = 0; i < state.size(); ++i) state[i] = x(row, i);
  DotProduct expected;
  for (unsigned step = 0; step < steps; ++step) {
    for (std::size_t j = 0; j < next.size(); ++j) {
      DotProduct sum;
      for (std::size_t i = 0; i < state.size(); ++i) sum.add(state[i], w(i, j));
      sum.add(bias(0, j), 1);
      next[j] = std::tanh(sum.value) * (step % 2 == 0 ? 0.5 : 1);
      // Those of the steps before come to less than as much again, and tanh has a few roundings of its own.
      if (j == column) expected.magnitude = 2 * sum.magnitude + 1;
    }
    std::swap(state, next);
  }
  expected.value = state[column];
  expected.terms = w.rows + 1;
  return expected;
}

DotProduct expected_block(const Block2d& block, std::span<const float> x, std::span<const float> w,
                          const MatrixView& gamma, const MatrixView& beta, const MatrixView& mean,
                          const MatrixView& variance, std::size_t position) {
  const auto [channels, size, kernel] = block;
  const std::size_t column = position % size, row = position / size % size, channel = position / size / size;
  DotProduct sum;
  for (std::size_t from = 0; from < channels; ++from)
    for (std::size_t i = 0; i < kernel; ++i)
      for (std::size_t j = 0; j < kernel; ++j) {
        const std::size_t r = row + i, c = column + j, border = kernel / 2;  // of the padded picture
        if (r < border || c < border || r >= size + border || c >= size + border) continue;
        sum.add(x[(from * size + r - border) * size + c - border],
                w[((channel * channels + from) * kernel + i) * kernel + j]);
      }
  const double scale = gamma(0, channel) / std::sqrt(variance(0, channel) + 1e-5);
  sum.value = std::max(0.0, (sum.value - mean(0, channel)) * scale + beta(0, channel));
  sum.magnitude = (sum.magnitude + std::abs(mean(0, channel))) * std::abs(scale) + std::abs(beta(0, channel));
  sum.terms += 4;
  return sum;
}

}  // namespace bindgate
