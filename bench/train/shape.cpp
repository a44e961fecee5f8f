#include "train/shape.hpp"

namespace bindgate {

std::vector<Layer> layers_of(const ResNetShape& shape) {
  std::vector<Layer> layers{{3, shape.widths[0], 7, 2}};
  int in = shape.widths[0];
  for (std::size_t stage = 0; stage < shape.widths.size(); ++stage) {
    const int out = shape.widths[stage];
    for (int block = 0; block < shape.blocks; ++block, in = out) {
      const int stride = stage > 0 && block == 0 ? 2 : 1;
      layers.push_back({in, out, 3, stride});
      layers.push_back({out, out, 3, 1});
      if (stride != 1 || in != out) layers.push_back({in, out, 1, stride});
    }
  }
  layers.push_back({in, shape.classes, 0, 1});
  return layers;
}

double forward_operations(const ResNetShape& shape, int side) {
  double products = 0;
  int rows = side;  // of the input of the next layer on the main path
  for (const Layer& layer : layers_of(shape)) {
    const auto halved = [&layer](int size) { return (size + layer.stride - 1) / layer.stride; };
    const double weights = static_cast<double>(layer.in) * layer.out;
    if (layer.kernel == 0) {
      products += weights;
    } else if (layer.kernel == 1) {  // the shortcut: its output is as large as the one just made
      products += weights * rows * rows;
    } else {
      rows = halved(rows);
      products += weights * layer.kernel * layer.kernel * rows * rows;
      if (layer.kernel == 7) rows = (rows + 1) / 2;  // pooled
    }
  }
  return 2 * products;
}

}  // namespace bindgate
