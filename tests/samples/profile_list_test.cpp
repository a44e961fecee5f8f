#include "samples/profile_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/example_list.hpp"

namespace bindgate {
namespace {

using testing::example_list;
using ::testing::HasSubstr;

std::string error_in(const std::string& text) {
  const auto list = parse_profile_list(text, "nightly.json");
  return list ? "no error" : list.error().message;
}

/// What is said of the example with `from` replaced.
std::string error_with(const std::string& from, const std::string& to) {
  std::string text = encode(example_list());
  const auto place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from << " in " << text;
  if (place != std::string::npos) text.replace(place, from.size(), to);
  return error_in(text);
}

TEST(ProfileListFile, GivesBackWhatWasWritten) {
  const auto list = parse_profile_list(encode(example_list()), "nightly.json");
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(*list, example_list());
  EXPECT_EQ(encode(*list), encode(example_list()));
}

TEST(ProfileListFile, HasSortedKeysAndOneCaseALine) {
  EXPECT_EQ(encode(example_list()),
            "{\n"
            " \"cases\":[\n"
            "  {\"case\":\"matmul/f32/m=1\",\"iteration_ns\":250000,\"seconds\":61.5,\"working_set_bytes\":67125248},\n"
            "  {\"case\":\"decode/w1\",\"iteration_ns\":41000000,\"seconds\":480.0,\"working_set_bytes\":9633792},\n"
            "  {\"case\":\"matmul/bf16/m=1\",\"note\":\"not run: no bf16 kernel\",\"seconds\":0.0}],\n"
            " \"left_out\":[\n"
            "  {\"case\":\"matmul/f32/m=4096\",\"reason\":\"an iteration takes 1.40 s, 1.00 s or more\"}],\n"
            " \"members\":4,\n"
            " \"planned\":\"2026-01-31T23:59:59Z\",\n"
            " \"profile\":\"nightly\",\n"
            " \"rounds\":6,\n"
            " \"schema\":\"bindgate.profile/1\"\n"
            "}\n");
  EXPECT_THAT(encode(ProfileList{}), HasSubstr(" \"cases\":[],\n"));
}

TEST(ProfileListFile, NamesTheKeyOfEveryFault) {
  EXPECT_EQ(error_in(""), "nightly.json: is empty; expected JSON");
  EXPECT_THAT(error_in(encode(example_list()).substr(0, 200)), HasSubstr("nightly.json: is not JSON (line "));
  EXPECT_EQ(error_in("[]"), "nightly.json: $: expected an object, found []");
  EXPECT_EQ(error_with("bindgate.profile/1", "bindgate.profile/2"),
            "nightly.json: $.schema: expected \"bindgate.profile/1\", found \"bindgate.profile/2\"; is it a list of this "
            "version?");
  EXPECT_EQ(error_with("\"left_out\"", "\"leftout\""),
            "nightly.json: $: unknown key \"leftout\"; did you mean 'left_out'?");
  EXPECT_EQ(error_with("\"seconds\":61.5", "\"second\":61.5"),
            "nightly.json: $.cases[0]: unknown key \"second\"; did you mean 'seconds'?");
  EXPECT_THAT(error_with("\"case\":\"decode/w1\",", ""), HasSubstr("$.cases[1]: key \"case\" is missing"));
  EXPECT_THAT(error_with("decode/w1", ""), HasSubstr("$.cases[1].case: a case needs a name"));
  EXPECT_THAT(error_with("61.5", "-1"), HasSubstr("$.cases[0].seconds: expected a number from 0.0 to"));
  EXPECT_THAT(error_with("61.5", "\"61.5\""), HasSubstr("$.cases[0].seconds: expected a number, found \"61.5\""));
  EXPECT_THAT(error_with("250000", "0"), HasSubstr("$.cases[0].iteration_ns: expected a whole number from 1 to"));
  EXPECT_THAT(error_with("67125248", "1.5"), HasSubstr("$.cases[0].working_set_bytes: expected a whole number"));
  EXPECT_THAT(error_with("\"rounds\":6", "\"rounds\":0"), HasSubstr("$.rounds: expected a whole number from 1"));
  EXPECT_THAT(error_with("\"members\":4", "\"members\":0"), HasSubstr("$.members: expected a whole number from 1"));
  EXPECT_THAT(error_with("\"profile\":\"nightly\"", "\"profile\":\"nigthly\""), HasSubstr("did you mean 'nightly'?"));
}

TEST(ProfileListFile, RefusesACaseThatStandsThereTwice) {
  EXPECT_EQ(error_with("decode/w1", "matmul/f32/m=1"),
            "nightly.json: $.cases[1].case: case \"matmul/f32/m=1\" stands here twice; remove one");
  EXPECT_EQ(error_with("matmul/f32/m=4096", "decode/w1"),
            "nightly.json: $.left_out[0].case: case \"decode/w1\" stands here twice; remove one");
}

TEST(ProfileListTotal, IsOfAllCases) { EXPECT_DOUBLE_EQ(total_seconds(example_list()), 541.5); }

}  // namespace
}  // namespace bindgate
