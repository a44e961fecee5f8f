#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "script/expected_functions.hpp"

namespace bindgate {
namespace {

MatrixView view(const std::vector<float>& values, std::size_t columns) {
  return {values.data(), values.size() / columns, columns};
}

TEST(ScriptFunctions, GeluIsNearTheExactOne) {
  for (const double y : {-3.0, -0.5, 0.0, 0.7, 2.0})
    EXPECT_NEAR(gelu(y), 0.5 * y * (1 + std::erf(y / std::sqrt(2.0))), 5e-4) << y;
}

TEST(ScriptFunctions, ChainAddsScalesActivatesAndAdds) {
  const std::vector<float> x{1, 2, 3, 4}, bias{0.5, -1}, scale{2, 0.25}, residual{10, 20, 30, 40};
  const DotProduct found = expected_chain(view(x, 2), view(bias, 2), view(scale, 2), view(residual, 2), 1, 0);
  EXPECT_DOUBLE_EQ(found.value, gelu(7) + 30);
  EXPECT_GE(found.magnitude, std::abs(found.value));
}

TEST(ScriptFunctions, MlpIsTwoProductsAndAResidual) {
  const std::vector<float> x{1, 2}, w1{1, 0, -1, 0.5, 1, 0}, b1{0, 0.25, 1}, w2{1, 2, 3, 4, 5, 6}, b2{0.125, 0.5};
  const DotProduct found = expected_mlp(view(x, 2), view(w1, 3), view(b1, 3), view(w2, 2), view(b2, 2), 0, 1);
  // x w1 + b1 = [2, 2.25, 0]
  EXPECT_DOUBLE_EQ(found.value, gelu(2) * 2 + gelu(2.25) * 4 + gelu(0) * 6 + 0.5 + 2);
  EXPECT_EQ(found.terms, 5u);
}

TEST(ScriptFunctions, LoopHalvesEverySecondStep) {
  const std::vector<float> x{1, -1}, w{0.5, 0, 0, 0.5}, bias{0.25, 0.25};
  const double once = 0.5 * std::tanh(0.75), twice = std::tanh(0.5 * once + 0.25);
  EXPECT_DOUBLE_EQ(expected_loop(view(x, 2), view(w, 2), view(bias, 2), 1, 0, 0).value, once);
  EXPECT_DOUBLE_EQ(expected_loop(view(x, 2), view(w, 2), view(bias, 2), 2, 0, 0).value, twice);
  EXPECT_NE(expected_loop(view(x, 2), view(w, 2), view(bias, 2), 2, 0, 1).value, twice);
}

TEST(ScriptFunctions, BlockConvolvesNormalisesAndCutsOff) {
  const Block2d block{1, 3, 3};
  const std::vector<float> x{1, 2, 3, 4, 5, 6, 7, 8, 9}, w{0, 0, 0, 0, 1, 0, 0, 0, 1};  // itself and its lower right
  const std::vector<float> gamma{2}, beta{1}, mean{3}, variance{4};
  const auto at = [&](std::size_t position) {
    return expected_block(block, x, w, view(gamma, 1), view(beta, 1), view(mean, 1), view(variance, 1), position).value;
  };
  const double scale = 2 / std::sqrt(4 + 1e-5);
  EXPECT_DOUBLE_EQ(at(0), (1 + 5 - 3) * scale + 1);
  EXPECT_DOUBLE_EQ(at(8), (9 - 3) * scale + 1) << "what lies beyond the border is 0";
  const std::vector<float> low{-100};
  EXPECT_EQ(expected_block(block, x, w, view(gamma, 1), view(low, 1), view(mean, 1), view(variance, 1), 4).value, 0);
}

}  // namespace
}  // namespace bindgate
