#include "core/printable.hpp"

#include <gtest/gtest.h>

namespace bindgate {
namespace {

TEST(Printable, LeavesTextAsItIs) {
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable("numactl --membind=0 \"x\\y\""), "numactl --membind=0 \"x\\y\"");
  const std::string letters = "Z\xc3\xbcrich \xc2\xa0 \xe2\x82\xac \xf0\x9f\x98\x80";
  EXPECT_EQ(printable(letters), letters);
}

TEST(Printable, MarksEveryControlCharacter) {
  EXPECT_EQ(printable(std::string("\0\b\x0e\x1b\x1f\x7f", 6)), "??????");
  EXPECT_EQ(printable("\xc2\x80 \xc2\x9b\xc2\x9f"), "? ??") << "those of eight bits";
}

TEST(Printable, MakesOneLineOfMany) {
  EXPECT_EQ(printable("expected 1\n\tfound 2\r\v\f."), "expected 1  found 2   .");
}

TEST(Printable, MarksWhatIsNoUtf8) {
  const std::string mark = "\xef\xbf\xbd";
  EXPECT_EQ(printable("a\xff"), "a" + mark);
  EXPECT_EQ(printable("cut \xe2\x82"), "cut " + mark);
  EXPECT_EQ(printable("\xc2"), mark);
  EXPECT_EQ(printable("\x9b" "31m"), mark + "31m") << "a terminal of eight bits takes it for a command";
}

}  // namespace
}  // namespace bindgate
