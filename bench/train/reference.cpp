#include "train/reference.hpp"

#include <algorithm>
#include <cmath>

namespace bindgate {
namespace {

struct Activations {
  int count = 0, channels = 0, side = 0;
  std::vector<double> values;

  Activations(int n, int c, int s)
      : count(n), channels(c), side(s), values(static_cast<std::size_t>(n * c) * static_cast<std::size_t>(s * s)) {}
  double& at(int n, int c, int y, int x) {
    return values[static_cast<std::size_t>(((n * channels + c) * side + y) * side + x)];
  }
  [[nodiscard]] double at(int n, int c, int y, int x) const {
    return values[static_cast<std::size_t>(((n * channels + c) * side + y) * side + x)];
  }
  [[nodiscard]] bool inside(int y, int x) const { return y >= 0 && x >= 0 && y < side && x < side; }

  template <class Visit>
  void for_each(Visit visit) const {
    for (int n = 0; n < count; ++n)
      for (int c = 0; c < channels; ++c)
        for (int y = 0; y < side; ++y)
          for (int x = 0; x < side; ++x) visit(n, c, y, x);
  }
};

// Where a window of `kernel` that is centred on output (y, x) lies within the input.
template <class Visit>
void for_window(const Activations& input, int kernel, int stride, int y, int x, Visit visit) {
  for (int i = 0; i < kernel; ++i)
    for (int j = 0; j < kernel; ++j) {
      const int row = y * stride + i - kernel / 2, column = x * stride + j - kernel / 2;
      if (input.inside(row, column)) visit(row, column, i * kernel + j);
    }
}

Activations convolve(const Activations& input, const Layer& layer, const std::vector<double>& weights) {
  Activations output(input.count, layer.out, (input.side + layer.stride - 1) / layer.stride);
  const int taps = layer.kernel * layer.kernel;
  output.for_each([&](int n, int c, int y, int x) {
    double sum = 0;
    for_window(input, layer.kernel, layer.stride, y, x, [&](int row, int column, int tap) {
      for (int channel = 0; channel < layer.in; ++channel)
        sum += input.at(n, channel, row, column) *
               weights[static_cast<std::size_t>((c * layer.in + channel) * taps + tap)];
    });
    output.at(n, c, y, x) = sum;
  });
  return output;
}

void normalise(Activations& x, const std::vector<double>& scale, const std::vector<double>& shift) {
  std::vector<double> mean(scale.size()), variance(scale.size());
  const double size = static_cast<double>(x.count) * x.side * x.side;
  x.for_each(
      [&](int n, int c, int row, int column) { mean[static_cast<std::size_t>(c)] += x.at(n, c, row, column) / size; });
  x.for_each([&](int n, int c, int row, int column) {
    const double difference = x.at(n, c, row, column) - mean[static_cast<std::size_t>(c)];
    variance[static_cast<std::size_t>(c)] += difference * difference / size;
  });
  x.for_each([&](int n, int c, int row, int column) {
    const auto i = static_cast<std::size_t>(c);
    double& value = x.at(n, c, row, column);
    value = (value - mean[i]) / std::sqrt(variance[i] + 1e-5) * scale[i] + shift[i];
  });
}

void rectify(Activations& x) {
  for (double& value : x.values) value = std::max(0.0, value);
}

Activations pool(const Activations& input) {
  Activations output(input.count, input.channels, (input.side + 1) / 2);
  output.for_each([&](int n, int c, int y, int x) {
    double most = -HUGE_VAL;
    for_window(input, 3, 2, y, x,
               [&](int row, int column, int) { most = std::max(most, input.at(n, c, row, column)); });
    output.at(n, c, y, x) = most;
  });
  return output;
}

}  // namespace

double cross_entropy(const std::vector<double>& logits, int label) {
  const double most = *std::ranges::max_element(logits);
  double sum = 0;
  for (const double logit : logits) sum += std::exp(logit - most);
  return std::log(sum) + most - logits[static_cast<std::size_t>(label)];
}

double reference_loss(const ResNetShape& shape, const std::vector<std::vector<double>>& parameters,
                      const ReferenceBatch& batch) {
  const std::vector<Layer> layers = layers_of(shape);
  std::size_t next = 0;
  const auto layer = [&](const Activations& input) {
    Activations output = convolve(input, layers[next], parameters[3 * next]);
    normalise(output, parameters[3 * next + 1], parameters[3 * next + 2]);
    ++next;
    return output;
  };
  Activations x(batch.count, 3, batch.side);
  x.values = batch.images;
  x = layer(x);
  rectify(x);
  x = pool(x);
  while (layers[next].kernel != 0) {
    const bool changes = layers[next].stride != 1 || layers[next].in != layers[next].out;
    Activations y = layer(x);
    rectify(y);
    y = layer(y);
    const Activations shortcut = changes ? layer(x) : x;
    for (std::size_t i = 0; i < y.values.size(); ++i) y.values[i] += shortcut.values[i];
    rectify(y);
    x = std::move(y);
  }
  const std::vector<double>&weights = parameters[3 * next], &bias = parameters[3 * next + 1];
  double loss = 0;
  for (int n = 0; n < batch.count; ++n) {
    std::vector<double> logits = bias;
    for (std::size_t k = 0; k < logits.size(); ++k)
      for (int c = 0; c < x.channels; ++c) {
        double mean = 0;
        for (int i = 0; i < x.side * x.side; ++i) mean += x.at(n, c, i / x.side, i % x.side) / (x.side * x.side);
        logits[k] += weights[k * static_cast<std::size_t>(x.channels) + static_cast<std::size_t>(c)] * mean;
      }
    loss += cross_entropy(logits, batch.labels[static_cast<std::size_t>(n)]) / batch.count;
  }
  return loss;
}

}  // namespace bindgate
