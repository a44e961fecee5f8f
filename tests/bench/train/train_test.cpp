#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/generator.hpp"
#include "train/check.hpp"
#include "train/reference.hpp"

namespace bindgate {
namespace {

using testing::HasSubstr;

const ResNetShape small{.widths = {4, 8}, .blocks = 2, .classes = 5};
constexpr Descent fast{.rate = 0.1f, .momentum = 0.9f};

ResNet network_of(std::uint64_t seed, Descent descent = fast) {
  ResNet network(small, 2, 32, descent, seed);
  Generator generator(9);
  std::vector<float> images(network.images().size());
  fill(images, generator);
  network.copy_in(images);
  return network;
}

TEST(Layers, AreThoseOfResNet18) {
  const auto layers = layers_of(resnet18());
  EXPECT_EQ(layers.size(), 1u + 16 + 3 + 1);
  double weights = 0;
  for (const Layer& layer : layers) {
    const double taps = layer.kernel == 0 ? 1 : layer.kernel * layer.kernel;
    weights += static_cast<double>(layer.in) * layer.out * taps + layer.out * (layer.kernel == 0 ? 1 : 2);
  }
  EXPECT_EQ(weights, 11'689'512);  // as torchvision's
}

TEST(ForwardOperations, AreTwiceTheProductsOfResNet18) {
  EXPECT_NEAR(forward_operations(resnet18(), 224), 2 * 1.814e9, 2e6);
}

TEST(CrossEntropy, IsTheLogarithmOfTheShare) {
  EXPECT_NEAR(cross_entropy({0, 0, 0, 0}, 2), std::log(4), 1e-12);
  EXPECT_NEAR(cross_entropy({1000, 0}, 1), 1000, 1e-9);
}

TEST(TrainingStep, OfASmallNetworkAgreesWithTheReference) {
  for (const std::uint64_t seed : {1u, 2u}) {
    ResNet network = network_of(seed);
    const auto right = check_two_steps(network);
    EXPECT_TRUE(right) << right.error().message;
  }
  EXPECT_TRUE(check_small_network());
}

TEST(TrainingStep, LearnsItsBatch) {
  ResNet network = network_of(1);
  network.step();
  const float first = network.outputs().loss;
  for (int i = 0; i < 20; ++i) network.step();
  EXPECT_LT(network.outputs().loss, first / 2);
}

TEST(FirstStep, IsRightForTheWeightsThatItWasMadeFromAndForNoOthers) {
  ResNet network = network_of(1);
  network.step();
  const auto right = check_first_step(network, 1);
  EXPECT_TRUE(right) << right.error().message;
  EXPECT_THAT(check_first_step(network, 2).error().message, HasSubstr("first convolution"));
}

TEST(FirstStep, IsWrongAfterASecondOne) {
  ResNet network = network_of(1);
  network.step();
  network.step();
  EXPECT_FALSE(check_first_step(network, 1));
}

TEST(FirstStep, IsWrongForOtherImages) {
  ResNet network = network_of(1);
  network.step();
  network.copy_in(std::vector<float>(network.images().size(), 0.5f));
  EXPECT_THAT(check_first_step(network, 1).error().message, HasSubstr("first convolution"));
}

TEST(FirstStep, ThatMovesNothingIsWrong) {
  ResNet network = network_of(1, {.rate = 0, .momentum = 0.9f});
  network.step();
  EXPECT_THAT(check_first_step(network, 1).error().message, HasSubstr("moved none"));
}

}  // namespace
}  // namespace bindgate
