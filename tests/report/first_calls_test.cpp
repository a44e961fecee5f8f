#include "report/first_calls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bindgate {
namespace {

using ::testing::ElementsAre;

CaseRanking ranking_of(std::initializer_list<const char*> variants) {
  CaseRanking ranking;
  for (const char* variant : variants) ranking.variants.emplace_back().variant = variant;
  return ranking;
}

CaseRanking ranking_with(const WarmUp& warm_up) {
  CaseRanking ranking = ranking_of({"numactl", "none"});
  ranking.variants[0].warm_up = WarmUp{1, 1, 0, 0, 0, "", {}};
  ranking.variants[1].warm_up = warm_up;
  return ranking;
}

WarmUp example_warm_up() { return {12, 12, 3, 0.118, 0.052, "", {}}; }

std::string line(const WarmUp& warm_up) { return warm_up_line(ranking_with(warm_up), "none"); }

std::string line(const BreakEven& even) {
  WarmUp warm_up = example_warm_up();
  warm_up.against = "script/eager/mlp";
  warm_up.break_even = even;
  return line(warm_up);
}

TEST(WarmUpLine, SaysCostAndShareOfTheBase) {
  EXPECT_EQ(line(example_warm_up()),
            "warm-up: steady from iteration 4; the first calls cost 118 ms, 5.2 % of 1,000 iterations");
}

TEST(WarmUpLine, IsLeftOutWhereItWouldSayLittle) {
  WarmUp cheap = example_warm_up();
  cheap.share = 0.01;
  EXPECT_EQ(line(cheap), "");
  EXPECT_EQ(line(WarmUp{4, 1, {}, {}, {}, "", {}}), "");
  EXPECT_EQ(warm_up_line(CaseRanking{}, "none"), "");
}

TEST(WarmUpLine, IsThereForACaseThatStandsAgainstAnother) {
  EXPECT_EQ(line(WarmUp{4, 4, 0, 0, 0, "script/eager/mlp", {}}), "warm-up: steady from the first iteration");
  EXPECT_EQ(line(WarmUp{4, 1, {}, {}, {}, "script/eager/mlp", {}}),
            "warm-up: not settled in 3 of 4 launches, so what the first calls cost is not known");
}

TEST(WarmUpLine, SaysWhenItPaysOff) {
  const std::string start =
      "warm-up: steady from iteration 4; the first calls cost 118 ms, 5.2 % of 1,000 iterations; ";
  EXPECT_EQ(line(BreakEven{6, false, 2314.2, 1903.9, 2849.1}),
            start + "pays off against script/eager/mlp after 2,310 iterations (1,900 to 2,850)");
  EXPECT_EQ(line(BreakEven{6, false, 12'345'678, 0, 987'654'321}),
            start + "pays off against script/eager/mlp after 12,300,000 iterations (0 to 988,000,000)");
  EXPECT_EQ(line(BreakEven{6, false, 0, 0, 0}), start + "pays off against script/eager/mlp from the first call");
  EXPECT_EQ(line(BreakEven{6, true, {}, {}, {}}),
            start + "never pays off against script/eager/mlp, which takes no longer");
  EXPECT_EQ(
      line(BreakEven{2, false, 700, 250, {}}),
      start +
          "whether it pays off against script/eager/mlp cannot be told from 2 rounds: not before 250, perhaps never");
  EXPECT_EQ(line(BreakEven{2, false, {}, 0, {}}),
            start + "whether it pays off against script/eager/mlp cannot be told from 2 rounds: perhaps never");
}

TEST(WarmUpLine, IsOfAnotherVariantWhereTheBaseHasNone) {
  EXPECT_EQ(warm_up_line(ranking_with(example_warm_up()), "taskset"), "") << "numactl's, which costs nothing";
}

TEST(FigureLines, NameTheVariantsWhereThereAreSeveral) {
  CaseRanking ranking = ranking_of({"cpus:0", "none"});
  EXPECT_TRUE(figure_lines(ranking).empty());
  ranking.variants[0].figures = {{"share_waiting", 0.05}};
  EXPECT_THAT(figure_lines(ranking), ElementsAre("share_waiting 0.05"));
  ranking.variants[1].figures = {{"share_waiting", 0.3129}, {"lost", 2}};
  EXPECT_THAT(figure_lines(ranking), ElementsAre("lost 2", "share_waiting: cpus:0 0.05, none 0.313"));
}

}  // namespace
}  // namespace bindgate
