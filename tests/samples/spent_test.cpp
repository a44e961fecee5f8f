#include "samples/spent.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace bindgate {
namespace {

Spent example() {
  Spent spent;
  spent.planning = 1;
  spent.start_up = 4;
  spent.set_up = 6;
  spent.warm_up = 9;
  spent.readings = 16;
  spent.blocks = 47;
  spent.protocol = 0.3;
  spent.wall = 100;
  return spent;
}

TEST(Spent, IsToldInPerCentWithTheRest) {
  EXPECT_EQ(describe(example()),
            "72 % measuring (warm-up 9, readings 16, blocks 47), planning 1, start-up 4, set-up 6, rest 17");
  EXPECT_EQ(describe(Spent{}), "");
}

TEST(Spent, AddsUp) {
  Spent sum = example();
  sum += example();
  EXPECT_EQ(sum.blocks, 94);
  EXPECT_EQ(sum.wall, 200);
  EXPECT_EQ(describe(sum), describe(example()));
}

TEST(Spent, IsReadAsItWasWritten) {
  JsonDocument document(to_json(example()).dump(), "FILE");
  const Spent read = read_spent(document.root());
  EXPECT_TRUE(document.finish(true));
  EXPECT_EQ(read, example());
}

TEST(Spent, OfAnotherVersionLacksWhatIsNotTold) {
  JsonDocument document(R"({"wall": 2, "naps": 1})", "FILE");
  EXPECT_EQ(read_spent(document.root()).wall, 2);
}

}  // namespace
}  // namespace bindgate
