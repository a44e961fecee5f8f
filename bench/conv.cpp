// The convolutions of ResNet-50 (He, Zhang, Ren, Sun: Deep residual learning for image recognition, 2016), one by one.

#include <ATen/core/Tensor.h>
#include <ATen/ops/conv2d.h>

#include <string>

#include "conv/expected_convolution.hpp"
#include "support/libtorch.hpp"
#include "support/measure.hpp"
#include "support/tensors.hpp"

namespace bindgate {
namespace {

struct Layer {
  Convolution convolution;
  ElementType type = ElementType::f32;
  bool channels_last = false;
};

void convolve(State& state, const Layer& layer) {
  require_kernels(layer.type);
  Generator generator(1);
  const Convolution& c = layer.convolution;
  const auto format = layer.channels_last ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
  const auto random = [&](const std::vector<std::int64_t>& sizes) {
    return random_tensor(sizes, layer.type, generator).contiguous(format);
  };
  const at::Tensor input = random({c.batch, c.in_channels, c.side, c.side});
  const at::Tensor weight = random({c.out_channels, c.in_channels, c.kernel, c.kernel});
  for (const at::Tensor& tensor : {input, weight}) state.working_set(tensor.data_ptr(), tensor.nbytes());
  at::Tensor output;
  measure(
      state,
      [&] {
        output.reset();  // first, so that every iteration's output may have the same memory
        output = at::conv2d(input, weight, {}, c.stride, c.padding());
      },
      [&] { return check_convolution(c, view_of(input), view_of(weight), view_of(output)); });
}

// Nightly keeps of every kind of layer f32 in the layout that models are written in and bf16 in the one that it is
// used with; the layer in the middle with a full batch, too.
Profile profile_of(const Layer& layer) {
  const Convolution& c = layer.convolution;
  const bool bf16 = layer.type == ElementType::bf16, middle = c.kernel == 3 && c.side == 28;
  if (layer.channels_last != bf16) return Profile::thorough;
  if (middle) return c.batch == 1 && !bf16 ? Profile::quick : Profile::nightly;
  return c.batch == 1 && (c.kernel != 1 || c.side == 28) ? Profile::nightly : Profile::thorough;
}

CaseInfo describe(const Layer& layer) {
  const Convolution& c = layer.convolution;
  const std::string kernel = std::to_string(c.kernel) + "x" + std::to_string(c.kernel);
  CaseInfo info;
  info.shape = {{"kernel", kernel},
                {"stride", std::to_string(c.stride)},
                {"in", std::to_string(c.in_channels)},
                {"out", std::to_string(c.out_channels)},
                {"side", std::to_string(c.side)},
                {"batch", std::to_string(c.batch)},
                {"layout", layer.channels_last ? "channels_last" : "nchw"}};
  info.name = "conv/" + name_of(layer.type) + "/" + kernel;
  if (c.stride != 1) info.name += "s" + info.shape["stride"];
  for (const char* dimension : {"in", "out", "side"}) info.name += "-" + info.shape[dimension];
  info.name += "/b" + info.shape["batch"] + "/" + info.shape["layout"];
  info.label = label_of(layer.type, "");
  info.operations = c.operations();
  info.bytes = static_cast<double>(c.inputs() + c.weights() + c.outputs()) * static_cast<double>(bytes_of(layer.type));
  info.profile = profile_of(layer);
  return info;
}

void add_layer(Program& program, Convolution convolution) {
  for (const ElementType type : {ElementType::f32, ElementType::bf16})
    for (const std::int64_t batch : {1, 16})
      for (const bool channels_last : {false, true}) {
        convolution.batch = batch;
        const Layer layer{convolution, type, channels_last};
        program.add(describe(layer), [layer](State& state) { convolve(state, layer); });
      }
}

}  // namespace
}  // namespace bindgate

int main(int argc, char** argv) {
  using namespace bindgate;
  return run_with_libtorch("conv", argc, argv, [](Program& program, unsigned) {
    add_layer(program, {.in_channels = 3, .out_channels = 64, .side = 224, .kernel = 7, .stride = 2});
    for (std::int64_t width = 64, side = 56; side >= 7; width *= 2, side /= 2) {
      add_layer(program, {.in_channels = 4 * width, .out_channels = width, .side = side, .kernel = 1});
      add_layer(program, {.in_channels = width, .out_channels = width, .side = side, .kernel = 3});
      add_layer(program, {.in_channels = width, .out_channels = 4 * width, .side = side, .kernel = 1});
    }
  });
}
