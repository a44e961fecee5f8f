#include "report/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/golden.hpp"

namespace bindgate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Wrapped, BreaksAtSpacesThenAtSeparatorsThenAnywhere) {
  EXPECT_THAT(wrapped("one two three", 8), ElementsAre("one two", "three"));
  EXPECT_THAT(wrapped("matmul/square/m=1", 10), ElementsAre("matmul/", "square/m=1"));
  EXPECT_THAT(wrapped("abcdefghij", 4), ElementsAre("abcd", "efgh", "ij"));
  EXPECT_THAT(wrapped("", 4), ElementsAre(""));
  EXPECT_THAT(wrapped("fits", 4), ElementsAre("fits"));
  EXPECT_THAT(wrapped("a\nb c", 4), ElementsAre("a b", "c"));
  EXPECT_THAT(wrapped("abc   def", 3), ElementsAre("abc", "def"));
  EXPECT_THAT(wrapped(" abcdef", 3), ElementsAre(" ab", "cde", "f"));
}

TEST(Wrapped, CountsCharactersNotBytesAndSplitsNone) {
  EXPECT_THAT(wrapped("\xc2\xb5\xc2\xb5\xc2\xb5", 2), ElementsAre("\xc2\xb5\xc2\xb5", "\xc2\xb5"));
}

TEST(Wrapped, LosesNothingButSpaces) {
  const std::string text = "matmul/transformer/f32/m=16,k=4096,n=14336 took longer than+expected";
  for (std::size_t width = 1; width < 80; ++width) {
    std::string whole;
    for (const std::string& line : wrapped(text, width)) {
      EXPECT_LE(line.size(), width);
      whole += line;
    }
    std::string expected = text;
    std::erase(expected, ' ');
    std::erase(whole, ' ');
    EXPECT_EQ(whole, expected) << width;
  }
}

Table example() {
  Table table({{"case", false, true}, {"time", true}}, 1);
  table.add({{"matmul/square/f32/m=512"}, {"2.51 ms", Colour::red}});
  table.add_line("a line of its own that is wrapped at words", "   ");
  table.add({{"short"}, {"12 s"}});
  return table;
}

TEST(Table, AlignsItsColumns) {
  EXPECT_EQ(example().text(Style{false, 60}),
            " case                        time\n"
            " matmul/square/f32/m=512  2.51 ms\n"
            "   a line of its own that is wrapped at words\n"
            " short                       12 s\n");
}

TEST(Table, WrapsWhatDoesNotFitAndCutsNothingOff) {
  EXPECT_EQ(example().text(Style{false, 26}),
            " case                 time\n"
            " matmul/square/    2.51 ms\n"
            " f32/m=512\n"
            "   a line of its own that\n"
            "   is wrapped at words\n"
            " short                12 s\n");
}

TEST(Table, HangsWhatWrapsUnderTheFirstWord) {
  Table table({{"case"}});
  table.add_line("a reason that is wrapped", "  - ");
  EXPECT_EQ(table.text(Style{false, 20}),
            "case\n"
            "  - a reason that is\n"
            "    wrapped\n");
}

TEST(Table, ColoursOnlyWhenAsked) {
  EXPECT_THAT(example().text(Style{false, 60}), Not(HasSubstr("\033")));
  EXPECT_THAT(example().text(Style{true, 60}), HasSubstr("  \033[31m2.51 ms\033[0m\n"));
}

TEST(Table, LetsNothingInItSpeakToTheTerminal) {
  const std::string clear = "\x1b[2J", title = "\x1b]0;b\x07\nverdict: pass";
  Table table({{"case" + clear}, {"time"}});
  table.add({{"a" + title, Colour::red}, {"1 s"}});
  table.add_line("b" + title);
  table.add_unbroken_line("c" + title);
  EXPECT_EQ(table.text(Style{false, 60}) + paragraph("d" + clear, "e" + title, Style{false, 60}),
            "case?[2J               time\n"
            "a?]0;b? verdict: pass  1 s\n"
            "b?]0;b? verdict: pass\n"
            "c?]0;b? verdict: pass\n"
            "d?[2Je?]0;b? verdict: pass\n");
}

TEST(Table, NeverGrowsWiderThanItMay) {
  for (int width = 40; width < 120; ++width)
    for (const std::string& line : testing::lines_of(example().text(Style{false, width})))
      EXPECT_LE(line.size(), static_cast<std::size_t>(width));
}

}  // namespace
}  // namespace bindgate
