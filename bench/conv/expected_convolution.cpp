#include "conv/expected_convolution.hpp"

#include <string>
#include <vector>

namespace bindgate {

double Convolution::operations() const {
  return 2 * static_cast<double>(outputs()) * static_cast<double>(in_channels * kernel * kernel);
}

DotProduct expected_output(const Convolution& layer, const TensorView& input, const TensorView& weight,
                           std::int64_t picture, std::int64_t channel, std::int64_t row, std::int64_t column) {
  DotProduct sum;
  const std::int64_t top = row * layer.stride - layer.padding(), left = column * layer.stride - layer.padding();
  const auto inside = [&](std::int64_t position) { return 0 <= position && position < layer.side; };
  for (std::int64_t c = 0; c < layer.in_channels; ++c)
    for (std::int64_t r = 0; r < layer.kernel; ++r)
      for (std::int64_t s = 0; s < layer.kernel; ++s)
        if (inside(top + r) && inside(left + s))
          sum.add(input(picture, c, top + r, left + s), weight(channel, c, r, s));
  return sum;
}

Result<void> check_convolution(const Convolution& layer, const TensorView& input, const TensorView& weight,
                               const TensorView& output) {
  const std::int64_t side = layer.out_side(), plane = side * side;
  const std::int64_t last_plane = layer.outputs() - plane;
  std::vector<std::int64_t> positions;
  for (const std::int64_t corner : {std::int64_t{0}, side - 1, plane - side, plane - 1}) {
    positions.push_back(corner);
    positions.push_back(last_plane + corner);
  }
  for (const std::size_t position : sampled_positions(static_cast<std::size_t>(layer.outputs()), 64, 1))
    positions.push_back(static_cast<std::int64_t>(position));

  for (const std::int64_t position : positions) {
    const std::int64_t column = position % side, row = position / side % side;
    const std::int64_t channel = position / plane % layer.out_channels;
    const std::int64_t picture = position / plane / layer.out_channels;
    const std::string where = "output [" + std::to_string(picture) + ", " + std::to_string(channel) + ", " +
                              std::to_string(row) + ", " + std::to_string(column) + "]";
    const DotProduct expected = expected_output(layer, input, weight, picture, channel, row, column);
    if (auto right = compare(where, output(picture, channel, row, column), expected, rounding_of(output.type()));
        !right)
      return right;
  }
  return {};
}

}  // namespace bindgate
