#include "core/names.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace bindgate {
namespace {

const std::vector<std::string> variants{"none", "taskset", "numactl", "remote", "interleave", "one-per-core"};

TEST(Glob, StarMatchesAnyRunOfCharactersSlashesIncluded) {
  EXPECT_TRUE(matches_glob("matmul/*", "matmul/square/f32/m=256"));
  EXPECT_TRUE(matches_glob("*f32*", "matmul/square/f32/m=256"));
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_TRUE(matches_glob("a*b*c", "a/b/b/c"));
  EXPECT_FALSE(matches_glob("a*b*c", "a/b/b"));
  EXPECT_TRUE(matches_glob("**", "x"));
}

TEST(Glob, MatchesTheWholeNameOnly) {
  EXPECT_TRUE(matches_glob("decode", "decode"));
  EXPECT_FALSE(matches_glob("decode", "decode/jpeg"));
  EXPECT_FALSE(matches_glob("code", "decode"));
  EXPECT_FALSE(matches_glob("", "decode"));
  EXPECT_TRUE(matches_glob("", ""));
}

TEST(Glob, QuestionMarkMatchesExactlyOneCharacter) {
  EXPECT_TRUE(matches_glob("f??", "f32"));
  EXPECT_FALSE(matches_glob("f??", "bf16"));
}

TEST(Glob, TakesNoExponentialTimeForManyStars) {
  EXPECT_FALSE(matches_glob("*a*a*a*a*a*a*a*a*a*a*a*a*b", std::string(5000, 'a')));
}

TEST(NearestName, FindsTheMistypedVariant) {
  EXPECT_EQ(nearest_name("numctl", variants), "numactl");
  EXPECT_EQ(nearest_name("tasket", variants), "taskset");
  EXPECT_EQ(nearest_name("one-per-cores", variants), "one-per-core");
}

TEST(NearestName, FindsTheAbbreviatedVariantBeforeAnotherOfAFewLetters) {
  EXPECT_EQ(nearest_name("inter", variants), "interleave");
  EXPECT_EQ(nearest_name("all", std::vector<std::string>{"l3", "allowed"}), "allowed");
  EXPECT_FALSE(nearest_name("in", variants)) << "what so little begins";
}

TEST(NearestName, FindsNothingWhereNothingIsNear) { EXPECT_FALSE(nearest_name("membind", variants)); }

TEST(Suggest, NamesTheNearestOrListsWhatIsKnown) {
  EXPECT_EQ(suggest("numctl", variants), "; did you mean 'numactl'?");
  EXPECT_EQ(suggest("membind", variants), "; known: none, taskset, numactl, remote, interleave, one-per-core");
  EXPECT_EQ(suggest("x", std::vector<std::string>{}), "");
}

TEST(Suggest, ListsAtMostEight) {
  const std::vector<std::string> many{"a1234", "b1234", "c1234", "d1234", "e1234", "f1234", "g1234", "h1234", "i1234"};
  EXPECT_EQ(suggest("qqqqqqq", many), "; known: a1234, b1234, c1234, d1234, e1234, f1234, g1234, h1234, ...");
}

TEST(Joined, PutsTheSeparatorBetweenPartsOnly) {
  EXPECT_EQ(joined({}), "");
  const std::vector<std::string> same{"a", "a", ""};
  EXPECT_EQ(joined(same), "a, a, ");
  EXPECT_EQ(joined(same, "; "), "a; a; ");
}

TEST(Counted, KnowsOneFromMany) {
  EXPECT_EQ(counted(0, "case"), "0 cases");
  EXPECT_EQ(counted(1, "case"), "1 case");
  EXPECT_EQ(counted(2, "case"), "2 cases");
  EXPECT_EQ(counted(1, "launch"), "1 launch");
  EXPECT_EQ(counted(2, "forced switch"), "2 forced switches");
}

TEST(FileNameOfCase, WritesSlashesAsPlus) {
  EXPECT_EQ(file_name_of_case("matmul/square/m=256"), "matmul+square+m=256");
  EXPECT_EQ(file_name_of_case("../etc/passwd"), "..+etc+passwd");
}

}  // namespace
}  // namespace bindgate
