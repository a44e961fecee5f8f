#pragma once
// Whether a training step computed what it should, by sampled outputs in double: no part of it by LibTorch.

#include "core/error.hpp"
#include "train/resnet.hpp"

namespace bindgate {

/// The network's first step, made from `seed` and its images: first convolution, last layer, loss, gradient of the last
/// layer, and every parameter after the descent. Error: the first value that lies outside its bound.
[[nodiscard]] Result<void> check_first_step(const ResNet& network, std::uint64_t seed);

/// Two steps of a network of a few thousand weights, by the same code: the losses against the reference's, sampled
/// gradients of every parameter against its central differences, momentum and weights against their definition.
[[nodiscard]] Result<void> check_small_network();

/// As the small network's check, for a network that has not made a step yet and is small enough for the reference.
[[nodiscard]] Result<void> check_two_steps(ResNet& network);

}  // namespace bindgate
