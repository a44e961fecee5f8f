#pragma once
// A residual network by its numbers (He, Zhang, Ren, Sun: Deep residual learning for image recognition, 2016), and the
// order of its parameters, which the network on LibTorch and the reference in plain loops agree on.

#include <cstdint>
#include <vector>

namespace bindgate {

/// Two 3x3 convolutions a block; from the second stage on the first block halves the picture.
struct ResNetShape {
  std::vector<int> widths{64, 128, 256, 512};  ///< channels of each stage; the first also those of the 7x7 stem
  int blocks = 2;                              ///< of each stage
  int classes = 1000;
};
inline ResNetShape resnet18() { return {}; }

/// One convolution, or the linear layer at the end (`kernel` 0); all are followed by a batch normalisation, but the
/// linear layer, which has a bias.
struct Layer {
  int in = 0, out = 0, kernel = 0, stride = 1;
};

/// In the order of the parameters: a layer's weights, then scale and shift of its normalisation (or the bias). Of a
/// block: first and second convolution, then, where stride or width change, the 1x1 one of the shortcut.
[[nodiscard]] std::vector<Layer> layers_of(const ResNetShape& shape);

/// Multiplications and additions of the forward pass over one square picture of `side` pixels: 2 for each product.
[[nodiscard]] double forward_operations(const ResNetShape& shape, int side);

}  // namespace bindgate
