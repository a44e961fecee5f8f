#include "train/check.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "support/expected.hpp"
#include "support/generator.hpp"
#include "train/reference.hpp"

namespace bindgate {
namespace {

using Of = ResNet::Of;
using Values = std::vector<std::vector<float>>;

std::string place(const char* what, std::size_t a, std::size_t b) {
  return std::string(what) + "[" + std::to_string(a) + ", " + std::to_string(b) + "]";
}

std::vector<std::vector<double>> in_double(const Values& values) {
  std::vector<std::vector<double>> result;
  for (const auto& one : values) result.emplace_back(one.begin(), one.end());
  return result;
}

Result<void> near(const std::string& where, double found, double expected, double bound) {
  if (std::abs(found - expected) <= bound) return {};
  return fail(where + ": expected " + std::to_string(expected) + ", found " + std::to_string(found) + ", bound " +
              std::to_string(bound));
}

Result<void> check_stem(const ResNet& network, const std::vector<float>& weights, const std::vector<float>& stem) {
  const Layer layer = layers_of(network.shape()).front();
  const int side = network.side(), out_side = (side + 1) / 2;
  for (const std::size_t position : sampled_positions(stem.size(), 64, 1)) {
    const auto index = static_cast<int>(position);
    const int x = index % out_side, y = index / out_side % out_side, channel = index / out_side / out_side % layer.out;
    const int picture = index / out_side / out_side / layer.out;
    DotProduct expected;
    for (int c = 0; c < 3; ++c)
      for (int i = 0; i < 7; ++i)
        for (int j = 0; j < 7; ++j) {
          const int row = 2 * y + i - 3, column = 2 * x + j - 3;
          if (row < 0 || column < 0 || row >= side || column >= side) continue;
          expected.add(network.images()[static_cast<std::size_t>(((picture * 3 + c) * side + row) * side + column)],
                       weights[static_cast<std::size_t>(((channel * 3 + c) * 7 + i) * 7 + j)]);
        }
    if (auto right = compare("first convolution, output " + std::to_string(position), stem[position], expected, {});
        !right)
      return right;
  }
  return {};
}

// The last layer: what it gives, the loss, and its gradient (share in the softmax less one for the label, times the
// input, over the batch).
Result<void> check_last_layer(const ResNet& network, const Values& before, const ResNet::Outputs& outputs) {
  const auto classes = static_cast<std::size_t>(network.shape().classes);
  const auto batch = static_cast<std::size_t>(network.batch());
  const std::size_t features = outputs.pooled.size() / batch;
  const std::vector<float>&weights = before[before.size() - 2], &bias = before.back();
  for (const std::size_t position : sampled_positions(outputs.logits.size(), 64, 2)) {
    const std::size_t picture = position / classes, label = position % classes;
    DotProduct expected;
    for (std::size_t i = 0; i < features; ++i)
      expected.add(outputs.pooled[picture * features + i], weights[label * features + i]);
    expected.add(bias[label], 1);
    if (auto right = compare(place("logits", picture, label), outputs.logits[position], expected, {}); !right)
      return right;
  }
  const std::vector<int> labels = network.labels();
  std::vector<std::vector<double>> logits;
  double loss = 0;
  for (std::size_t i = 0; i < batch; ++i) {
    const auto first = outputs.logits.begin() + static_cast<std::ptrdiff_t>(i * classes);
    logits.emplace_back(first, first + static_cast<std::ptrdiff_t>(classes));
    loss += cross_entropy(logits[i], labels[i]) / static_cast<double>(batch);
  }
  if (auto right = near("loss", outputs.loss, loss, 1e-5 * (1 + std::abs(loss))); !right) return right;

  const std::vector<float> gradient = network.values(Of::gradients)[before.size() - 2];
  for (const std::size_t position : sampled_positions(gradient.size(), 64, 3)) {
    const std::size_t label = position / features, feature = position % features;
    DotProduct expected;
    for (std::size_t i = 0; i < batch; ++i) {
      const bool own = static_cast<std::size_t>(labels[i]) == label;
      const double share = std::exp(-cross_entropy(logits[i], static_cast<int>(label)));
      expected.add((share - own) / static_cast<double>(batch), outputs.pooled[i * features + feature]);
    }
    // The softmax is exact to some roundings of its own, not to one.
    if (auto right = compare(place("last layer's gradient", label, feature), gradient[position], expected,
                             {16 * unit_f32, unit_f32});
        !right)
      return right;
  }
  return {};
}

// v' = momentum v + g and w' = w - rate v', for 16 of each parameter.
Result<void> check_descent(const ResNet& network, const Values& weights_before, const Values& velocities_before) {
  const Values gradients = network.values(Of::gradients), velocities = network.values(Of::velocities);
  const Values weights = network.values(Of::parameters);
  const auto [rate, momentum] = network.descent();
  bool moved = false;
  for (std::size_t i = 0; i < weights.size(); ++i)
    for (const std::size_t position : sampled_positions(weights[i].size(), 16, i)) {
      DotProduct velocity, weight;
      velocity.add(velocities_before[i][position], momentum);
      velocity.add(gradients[i][position], 1);
      weight.add(weights_before[i][position], 1);
      weight.add(velocities[i][position], -rate);
      moved = moved || weights[i][position] != weights_before[i][position];
      if (auto right = compare(place("velocity", i, position), velocities[i][position], velocity, {}); !right)
        return right;
      if (auto right = compare(place("weight", i, position), weights[i][position], weight, {}); !right) return right;
    }
  return moved ? Result<void>() : fail("the step moved none of the sampled weights");
}

// Six of each parameter by central differences of the reference's loss.
Result<void> check_gradients(const ResNetShape& shape, const Values& weights, const Values& gradients,
                             const ReferenceBatch& batch) {
  constexpr double step = 1e-6;  // larger ones cross the kinks of rectifiers and maxima
  std::vector<std::vector<double>> parameters = in_double(weights);
  for (std::size_t i = 0; i < parameters.size(); ++i)
    for (const std::size_t position : sampled_positions(parameters[i].size(), 6, i)) {
      double& weight = parameters[i][position];
      const double middle = weight;
      const auto loss_at = [&](double value) {
        weight = value;
        return reference_loss(shape, parameters, batch);
      };
      const double difference = (loss_at(middle + step) - loss_at(middle - step)) / (2 * step);
      weight = middle;
      if (auto right = near(place("gradient", i, position), gradients[i][position], difference,
                            1e-3 * std::abs(difference) + 1e-5);
          !right)
        return right;
    }
  return {};
}

}  // namespace

Result<void> check_first_step(const ResNet& network, std::uint64_t seed) {
  const ResNet before(network.shape(), network.batch(), network.side(), network.descent(), seed);
  const ResNet::Outputs outputs = network.outputs();
  const Values weights = before.values(Of::parameters);
  if (auto right = check_stem(network, weights.front(), outputs.stem); !right) return right;
  if (auto right = check_last_layer(network, weights, outputs); !right) return right;
  return check_descent(network, weights, before.values(Of::velocities));
}

Result<void> check_two_steps(ResNet& network) {
  const std::span<const float> images = network.images();
  const ReferenceBatch batch{network.batch(), network.side(), {images.begin(), images.end()}, network.labels()};
  for (int step = 0; step < 2; ++step) {
    const Values weights = network.values(Of::parameters), velocities = network.values(Of::velocities);
    network.step();
    const double expected = reference_loss(network.shape(), in_double(weights), batch);
    if (auto right = near("small network's loss", network.outputs().loss, expected, 1e-5 * (1 + expected)); !right)
      return right;
    if (step == 0)
      if (auto right = check_gradients(network.shape(), weights, network.values(Of::gradients), batch); !right)
        return fail("small network", right.error());
    if (auto right = check_descent(network, weights, velocities); !right) return fail("small network", right.error());
  }
  return {};
}

Result<void> check_small_network() {
  ResNet network({.widths = {4, 8}, .blocks = 2, .classes = 5}, 2, 32, {.rate = 0.1f, .momentum = 0.9f}, 1);
  Generator generator(2);
  std::vector<float> images(network.images().size());
  fill(images, generator);
  network.copy_in(images);
  return check_two_steps(network);
}

}  // namespace bindgate
