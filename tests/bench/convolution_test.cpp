#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "conv/expected_convolution.hpp"

namespace bindgate {

// Where GoogleTest looks for it: tests are listed as layers, not as bytes.
static void PrintTo(const Convolution& layer, std::ostream* out) {
  *out << layer.kernel << "x" << layer.kernel << ", " << layer.in_channels << " to " << layer.out_channels;
}

namespace {

using testing::HasSubstr;

using Index = std::int64_t;
using Values = std::vector<float>;

TensorView nchw(const Values& values, Index channels, Index side) {
  const std::vector<Index> strides{channels * side * side, side * side, side, 1};
  return {values.data(), ElementType::f32, strides};
}

// A kernel as a library might have it: in f32, scattering inputs to outputs. `tap` may spoil where a tap reads.
struct Tap {
  Index row, column, channel;
};
Values convolve(
    const Convolution& c, const Values& input, const Values& weight,
    const std::function<void(Tap&)>& spoil = [](Tap&) {}) {
  const Index out = c.out_side();
  Values output(static_cast<std::size_t>(c.outputs()));
  const TensorView in = nchw(input, c.in_channels, c.side), w = nchw(weight, c.in_channels, c.kernel);
  for (Index n = 0; n < c.batch; ++n)
    for (Index k = 0; k < c.out_channels; ++k)
      for (Index channel = 0; channel < c.in_channels; ++channel)
        for (Index r = 0; r < c.kernel; ++r)
          for (Index s = 0; s < c.kernel; ++s)
            for (Index y = 0; y < out; ++y)
              for (Index x = 0; x < out; ++x) {
                Tap tap{y * c.stride + r - c.kernel / 2, x * c.stride + s - c.kernel / 2, channel};
                spoil(tap);
                if (tap.row < 0 || tap.row >= c.side || tap.column < 0 || tap.column >= c.side || tap.channel < 0)
                  continue;
                output[static_cast<std::size_t>(((n * c.out_channels + k) * out + y) * out + x)] +=
                    static_cast<float>(in(n, tap.channel, tap.row, tap.column) * w(k, channel, r, s));
              }
  return output;
}

class ExpectedConvolution : public testing::TestWithParam<Convolution> {
 protected:
  ExpectedConvolution() {
    Generator generator(3);
    fill(input, generator);
    fill(weight, generator);
  }
  Result<void> check(const Values& output) const {
    return check_convolution(c, nchw(input, c.in_channels, c.side), nchw(weight, c.in_channels, c.kernel),
                             nchw(output, c.out_channels, c.out_side()));
  }

  const Convolution c = GetParam();
  Values input = Values(static_cast<std::size_t>(c.inputs()));
  Values weight = Values(static_cast<std::size_t>(c.weights()));
};

TEST_P(ExpectedConvolution, AcceptsARightResult) { EXPECT_TRUE(check(convolve(c, input, weight))); }

TEST_P(ExpectedConvolution, RefusesALostChannel) {
  EXPECT_FALSE(check(convolve(c, input, weight, [&](Tap& tap) {
    if (tap.channel == c.in_channels / 2) tap.channel = -1;
  })));
}

TEST_P(ExpectedConvolution, RefusesChannelsThatAreMixedUp) {
  EXPECT_FALSE(check(convolve(c, input, weight, [&](Tap& tap) { tap.channel = c.in_channels - 1 - tap.channel; })));
}

TEST_P(ExpectedConvolution, RefusesAPictureThatIsShiftedByOne) {
  EXPECT_FALSE(check(convolve(c, input, weight, [](Tap& tap) { ++tap.row; })));
  EXPECT_FALSE(check(convolve(c, input, weight, [](Tap& tap) { --tap.column; })));
}

TEST_P(ExpectedConvolution, RefusesRowsAndColumnsThatAreMixedUp) {
  EXPECT_FALSE(check(convolve(c, input, weight, [](Tap& tap) { std::swap(tap.row, tap.column); })));
}

class ExpectedConvolutionWithPadding : public ExpectedConvolution {};

TEST_P(ExpectedConvolutionWithPadding, RefusesPaddingThatRepeatsTheEdge) {
  EXPECT_FALSE(check(convolve(c, input, weight, [&](Tap& tap) {
    tap.row = std::clamp<Index>(tap.row, 0, c.side - 1);
    tap.column = std::clamp<Index>(tap.column, 0, c.side - 1);
  })));
}

TEST_P(ExpectedConvolutionWithPadding, RefusesAFilterThatIsTurnedRound) {
  Values turned(weight.rbegin(), weight.rend());
  EXPECT_FALSE(check(convolve(c, input, turned)));
}

TEST_P(ExpectedConvolution, RefusesAResultLeftFromAnotherPicture) {
  Values other = input;
  std::reverse(other.begin(), other.end());
  const auto refused = check(convolve(c, other, weight));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("output [0, 0, 0, 0]: expected "));
}

constexpr Convolution stem{2, 3, 8, 28, 7, 2}, middle{1, 16, 8, 14, 3, 1}, reduction{1, 64, 16, 7, 1, 1};

std::string name_of_layer(const testing::TestParamInfo<Convolution>& layer) {
  return std::to_string(layer.param.kernel) + "x" + std::to_string(layer.param.kernel);
}

INSTANTIATE_TEST_SUITE_P(Layers, ExpectedConvolution, testing::Values(stem, middle, reduction), name_of_layer);
INSTANTIATE_TEST_SUITE_P(Layers, ExpectedConvolutionWithPadding, testing::Values(stem, middle), name_of_layer);

TEST(ExpectedConvolution, IsTheDefinitionOnSmallNumbers) {
  const Convolution c{.in_channels = 1, .out_channels = 1, .side = 3, .kernel = 3};
  const Values input{1, 2, 3, 4, 5, 6, 7, 8, 9}, weight{0, 1, 0, 10, 100, 1000, 0, 0, 0};
  const auto at = [&](Index row, Index column) {
    return expected_output(c, nchw(input, 1, 3), nchw(weight, 1, 3), 0, 0, row, column);
  };
  EXPECT_EQ(at(1, 1).value, 2 + 40 + 500 + 6000);
  EXPECT_EQ(at(1, 1).terms, 9u);
  EXPECT_EQ(at(0, 0).value, 100 + 2000);
  EXPECT_EQ(at(0, 0).terms, 4u) << "zeros of the padding are no terms";
  EXPECT_EQ(at(2, 2).value, 6 + 80 + 900);
}

TEST(ExpectedConvolution, ReadsChannelsLastByItsStrides) {
  const Convolution c{.in_channels = 2, .out_channels = 1, .side = 2, .kernel = 1};
  const Values input{1, 10, 2, 20, 3, 30, 4, 40}, weight{1, 1};  // two channels of each pixel side by side
  const std::vector<Index> channels_last{8, 1, 4, 2};
  const TensorView view(input.data(), ElementType::f32, channels_last);
  EXPECT_EQ(expected_output(c, view, nchw(weight, 2, 1), 0, 0, 1, 0).value, 33);
}

TEST(Convolution, CountsItsWork) {
  const Convolution c{.batch = 16, .in_channels = 3, .out_channels = 64, .side = 224, .kernel = 7, .stride = 2};
  EXPECT_EQ(c.out_side(), 112);
  EXPECT_EQ(c.operations(), 2.0 * 16 * 64 * 3 * 7 * 7 * 112 * 112);
  EXPECT_EQ(c.inputs(), 16 * 3 * 224 * 224);
  EXPECT_EQ(c.weights(), 64 * 3 * 7 * 7);
  EXPECT_EQ(c.outputs(), 16 * 64 * 112 * 112);
}

}  // namespace
}  // namespace bindgate
