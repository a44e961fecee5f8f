#include "core/error.hpp"

#include <gtest/gtest.h>

namespace bindgate {
namespace {

TEST(Error, IsOneLineThatNoTerminalObeysWhateverItQuotes) {
  const Result<int> refused = fail("file: 'a\nb\x1b[31m\x7f\0'; write a number");
  EXPECT_EQ(refused.error().message, "file: 'a b?[31m?");
  const Result<int> quoting_nul = fail(std::string("a\0b", 3));
  EXPECT_EQ(quoting_nul.error().message, "a?b");
  const Result<int> placed = fail("two\nlines", refused.error());
  EXPECT_EQ(placed.error().message, "two lines: file: 'a b?[31m?");
}

TEST(Error, KeepsTheLettersOfOtherLanguages) {
  const Result<int> refused = fail("Zürich: größer");
  EXPECT_EQ(refused.error().message, "Zürich: größer");
}

}  // namespace
}  // namespace bindgate
