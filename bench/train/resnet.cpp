#include "train/resnet.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>

#include "support/generator.hpp"

namespace bindgate {
namespace {

std::span<float> values_in(const at::Tensor& tensor) {
  return {tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())};
}

std::vector<float> copy_of(const at::Tensor& tensor) {
  const at::Tensor packed = tensor.detach().contiguous();
  const auto values = values_in(packed);
  return {values.begin(), values.end()};
}

std::vector<std::vector<float>> copies_of(const std::vector<at::Tensor>& tensors) {
  std::vector<std::vector<float>> copies;
  for (const at::Tensor& tensor : tensors) copies.push_back(copy_of(tensor));
  return copies;
}

at::Tensor filled(at::IntArrayRef sizes, float value) { return at::empty(sizes).fill_(value); }

}  // namespace

struct ResNet::Tensors {
  std::vector<Layer> layers;
  std::vector<at::Tensor> parameters, velocities, running;  // running: mean and variance of each normalisation
  at::Tensor images, labels, stem, pooled, logits, loss;
  std::size_t next = 0;  // layer, while the forward pass goes through them

  // A convolution and its normalisation.
  at::Tensor convolve(const at::Tensor& input, at::Tensor* raw = nullptr) {
    const Layer& layer = layers[next];
    at::Tensor output = at::conv2d(input, parameters[3 * next], {}, layer.stride, layer.kernel / 2);
    if (raw) *raw = output.detach();
    output = at::batch_norm(output, parameters[3 * next + 1], parameters[3 * next + 2], running[2 * next],
                            running[2 * next + 1], true, 0.1, 1e-5, false);
    ++next;
    return output;
  }

  at::Tensor block(const at::Tensor& input) {
    const bool changes = layers[next].stride != 1 || layers[next].in != layers[next].out;
    at::Tensor output = convolve(convolve(input).relu_());
    const at::Tensor shortcut = changes ? convolve(input) : input;
    return output.add_(shortcut).relu_();
  }

  void forward() {
    next = 0;
    at::Tensor x = convolve(images, &stem).relu_();
    x = at::max_pool2d(x, 3, 2, 1);
    while (layers[next].kernel != 0) x = block(x);
    const at::Tensor features = at::adaptive_avg_pool2d(x, {1, 1}).flatten(1);
    const at::Tensor scores = at::linear(features, parameters[3 * next], parameters[3 * next + 1]);
    loss = at::cross_entropy_loss(scores, labels);
    pooled = features.detach();
    logits = scores.detach();
  }

  void descend(Descent descent) {
    const at::NoGradGuard no_gradients;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      velocities[i].mul_(descent.momentum).add_(parameters[i].grad());
      parameters[i].add_(velocities[i], -descent.rate);
    }
  }
};

ResNet::ResNet(const ResNetShape& shape, int batch, int side, Descent descent, std::uint64_t seed)
    : shape_(shape), batch_(batch), side_(side), descent_(descent), tensors_(std::make_unique<Tensors>()) {
  Generator generator(seed);
  Tensors& t = *tensors_;
  t.layers = layers_of(shape);
  for (const Layer& layer : t.layers) {
    const bool linear = layer.kernel == 0;
    const int taps = std::max(1, layer.kernel * layer.kernel);
    at::Tensor weights =
        linear ? at::empty({layer.out, layer.in}) : at::empty({layer.out, layer.in, layer.kernel, layer.kernel});
    const double scale = std::sqrt(linear ? 1.0 / layer.in : 2.0 / (layer.out * taps));
    for (float& value : values_in(weights)) value = static_cast<float>(scale * generator.normal());
    t.parameters.push_back(weights);
    if (linear) {
      t.parameters.push_back(filled({layer.out}, 0));
      continue;
    }
    t.parameters.push_back(filled({layer.out}, 1));
    t.parameters.push_back(filled({layer.out}, 0));
    t.running.push_back(filled({layer.out}, 0));
    t.running.push_back(filled({layer.out}, 1));
  }
  for (at::Tensor& parameter : t.parameters) {
    t.velocities.push_back(at::zeros_like(parameter));
    parameter.set_requires_grad(true);
  }
  t.images = at::empty({batch, 3, side, side});
  t.labels = at::empty({batch}, at::kLong);
  for (int i = 0; i < batch; ++i)
    t.labels.data_ptr<std::int64_t>()[i] = generator.below(static_cast<std::uint32_t>(shape.classes));
}

ResNet::~ResNet() = default;
ResNet::ResNet(ResNet&&) noexcept = default;

void ResNet::copy_in(std::span<const float> images) { std::ranges::copy(images, values_in(tensors_->images).begin()); }

void ResNet::step() {
  for (const at::Tensor& parameter : tensors_->parameters) parameter.mutable_grad().reset();
  tensors_->forward();
  tensors_->loss.backward();
  tensors_->loss = tensors_->loss.detach();
  tensors_->descend(descent_);
}

std::vector<std::vector<float>> ResNet::values(Of what) const {
  if (what == Of::parameters) return copies_of(tensors_->parameters);
  if (what == Of::velocities) return copies_of(tensors_->velocities);
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& parameter : tensors_->parameters) gradients.push_back(parameter.grad());
  return copies_of(gradients);
}

ResNet::Outputs ResNet::outputs() const {
  return {copy_of(tensors_->stem), copy_of(tensors_->pooled), copy_of(tensors_->logits), copy_of(tensors_->loss)[0]};
}

std::vector<int> ResNet::labels() const {
  std::vector<int> labels;
  for (int i = 0; i < batch_; ++i) labels.push_back(static_cast<int>(tensors_->labels.data_ptr<std::int64_t>()[i]));
  return labels;
}

std::span<const float> ResNet::images() const { return values_in(tensors_->images); }

std::vector<std::span<const std::byte>> ResNet::memory() const {
  std::vector<std::span<const std::byte>> memory{std::as_bytes(images())};
  for (const auto* tensors : {&tensors_->parameters, &tensors_->velocities})
    for (const at::Tensor& tensor : *tensors)
      memory.push_back(std::as_bytes(std::span<const float>(values_in(tensor))));
  return memory;
}

}  // namespace bindgate
