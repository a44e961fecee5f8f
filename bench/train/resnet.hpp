#pragma once
// A residual network in training, f32, from LibTorch's public operators and its autograd. LibTorch's headers stay in
// the .cpp; what a check needs comes out as plain numbers.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "train/shape.hpp"

namespace bindgate {

/// Stochastic gradient descent as torch.optim.SGD: v = momentum v + g, w = w - rate v.
struct Descent {
  float rate = 1e-4f;  ///< small: the same batch for ever must neither overflow nor end in denormal numbers
  float momentum = 0.9f;
};

class ResNet {
 public:
  /// Seeded weights (normal, variance 2 / fan-out; He et al.: Delving deep into rectifiers, 2015) and labels.
  ResNet(const ResNetShape& shape, int batch, int side, Descent descent, std::uint64_t seed);
  ~ResNet();
  ResNet(ResNet&&) noexcept;
  ResNet& operator=(ResNet&&) = delete;

  /// Copies a batch, planes of R, G, B by picture, to where the network reads it.
  void copy_in(std::span<const float> images);
  /// Forward, cross-entropy, backward, descent.
  void step();

  /// Of the last step, in the order of layers_of().
  enum class Of { parameters, gradients, velocities };
  [[nodiscard]] std::vector<std::vector<float>> values(Of what) const;
  struct Outputs {
    std::vector<float> stem, pooled, logits;  ///< the first convolution's, the last layer's inputs and outputs
    float loss = 0;
  };
  [[nodiscard]] Outputs outputs() const;
  [[nodiscard]] std::vector<int> labels() const;
  [[nodiscard]] std::span<const float> images() const;
  /// All memory that lives from step to step.
  [[nodiscard]] std::vector<std::span<const std::byte>> memory() const;

  [[nodiscard]] const ResNetShape& shape() const { return shape_; }
  [[nodiscard]] int batch() const { return batch_; }
  [[nodiscard]] int side() const { return side_; }
  [[nodiscard]] Descent descent() const { return descent_; }

 private:
  struct Tensors;
  ResNetShape shape_;
  int batch_, side_;
  Descent descent_;
  std::unique_ptr<Tensors> tensors_;
};

}  // namespace bindgate
