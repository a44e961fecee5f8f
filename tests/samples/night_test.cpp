#include "samples/night.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/example_night.hpp"

namespace bindgate {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string error_of(std::string_view text) {
  const auto history = parse_case_history(text, "f.json");
  return history ? "no error" : history.error().message;
}

std::string encoded() {
  CaseHistory history = example_history("matmul/f32/m=1", "run-1", 1);
  history.nights.push_back(example_night("run-2", 1));
  history.nights.back().level = 1;
  history.nights.back().forced = true;
  history.nights.back().note = "new \"libtorch\"\n2.1";
  return encode(history);
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = encoded();
  const auto place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return text.replace(place, from.size(), to);
}

TEST(CaseHistory, ReadsBackExactlyWhatWasWritten) {
  CaseHistory history = example_history("matmul/f32/m=1", "run-1");
  history.nights.push_back(example_night("run-2"));
  history.nights[1].variants["none"][0].references_ns.clear();
  history.nights[1].variants["none"][0].median_ns = 0.123456;
  history.nights[1].variants["none"][0].spread = 0;
  history.nights[1].variants["none"][0].mpki = 0;
  history.nights[1].variants["none"][1].mpki = 12.3;
  const auto read = parse_case_history(encode(history), "f.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, history);
  EXPECT_EQ(encode(*read), encode(history));
  EXPECT_EQ(encode(history).back(), '\n');
}

TEST(CaseHistory, PutsOneLaunchOnALineSoThatGitShowsTheDifference) {
  const std::string text = encode(example_history("c", "run-1"));
  EXPECT_THAT(text, HasSubstr("\n   {\"median_ns\":2512340,"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5 + 1 + 2 + 3 * 6 + 2);
}

// Measured values have six significant digits, cache misses three; these need the most characters.
TEST(CaseHistory, TakesAtMost200BytesALaunch) {
  NightLaunch longest{999, Role::other, 0.0123456, 1.23456e-05, {}, 0.0123};
  for (const ReferenceKernel kernel : reference_kernels) longest.references_ns[kernel] = 1234567.0;
  const auto size_with = [&](std::size_t launches) {
    CaseHistory history = example_history("c", "run-1");
    history.nights[0].variants["none"].assign(launches, longest);
    return encode(history).size();
  };
  EXPECT_LE(size_with(101) - size_with(1), 200u * 100u);
  CaseHistory usual = example_history("matmul/transformer/f32/m=16,k=4096,n=14336", "2026-01-31T23-59-59Z");
  const std::string placements = "\"placements\":{},";
  EXPECT_LE(encode(usual).size(), 200u * 18u + placements.size())
      << "a whole night of six rounds and three members, all else but the placements included";
}

TEST(CaseHistory, RefusesAnotherSchemaAndFilesOfAnotherKind) {
  EXPECT_EQ(error_of(changed("baseline/1", "baseline/2")),
            "f.json: $.schema: expected \"bindgate.baseline/1\", found \"bindgate.baseline/2\"; is it a baseline of "
            "this version?");
  EXPECT_EQ(error_of("{}"), "f.json: $: key \"schema\" is missing");
  EXPECT_EQ(error_of("[1]"), "f.json: $: expected an object, found [1]");
  EXPECT_THAT(error_of("\x7f"
                       "ELF"),
              StartsWith("f.json: is not JSON (column 1): "));
  EXPECT_EQ(error_of(""), "f.json: is empty; expected JSON");
}

TEST(CaseHistory, RefusesUnknownKeysWhereverTheyStand) {
  EXPECT_EQ(error_of(changed("\"clock\":", "\"clok\":")), "f.json: $: unknown key \"clok\"; did you mean 'clock'?");
  EXPECT_EQ(error_of(changed("\"forced\":", "\"forcd\":")),
            "f.json: $.nights[0]: unknown key \"forcd\"; did you mean 'forced'?");
  EXPECT_EQ(error_of(changed("\"spread\":", "\"spred\":")),
            "f.json: $.nights[0].variants.none[0]: unknown key \"spred\"; did you mean 'spread'?");
  EXPECT_EQ(error_of(changed("\"chase\":", "\"chas\":")),
            "f.json: $.nights[0].variants.none[0].references_ns: unknown key \"chas\"; did you mean 'chase'?");
}

TEST(CaseHistory, IsReadAsBeforeWhereNoCacheMissesWereKept) {
  EXPECT_THAT(encoded(), Not(HasSubstr("mpki")));
  const auto read = parse_case_history(encoded(), "f.json");
  ASSERT_TRUE(read) << read.error().message;
  for (const NightLaunch& launch : read->nights[0].variants.at("none")) EXPECT_EQ(launch.mpki, std::nullopt);
}

TEST(CaseHistory, RefusesNumbersThatCannotBe) {
  const std::string place = "f.json: $.nights[0].variants.none[0].";
  EXPECT_EQ(error_of(changed("\"median_ns\":2512340", "\"median_ns\":2512340,\"mpki\":-1")),
            place + "mpki: expected a number from 0.0 to 1000000.0, found -1");
  EXPECT_EQ(error_of(changed("\"median_ns\":2512340", "\"median_ns\":2512340,\"mpki\":\"many\"")),
            place + "mpki: expected a number, found \"many\"");
  EXPECT_EQ(error_of(changed("\"median_ns\":2512340", "\"median_ns\":-1")),
            place + "median_ns: expected a number from 1e-06 to 1e+15, found -1");
  EXPECT_EQ(error_of(changed("\"median_ns\":2512340", "\"median_ns\":0")),
            place + "median_ns: expected a number from 1e-06 to 1e+15, found 0");
  EXPECT_EQ(error_of(changed("\"median_ns\":2512340", "\"median_ns\":1e300")),
            place + "median_ns: expected a number from 1e-06 to 1e+15, found 1e+300");
  EXPECT_EQ(error_of(changed("\"median_ns\":2512340", "\"median_ns\":1e999")),
            "f.json: holds a number too large for a double; numbers must be finite");
  EXPECT_THAT(error_of(changed("\"median_ns\":2512340", "\"median_ns\":NaN")), HasSubstr("f.json: is not JSON"));
  EXPECT_EQ(error_of(changed("\"round\":0", "\"round\":-1")),
            place + "round: expected a whole number from 0 to 1000000, found -1");
  EXPECT_EQ(error_of(changed("\"role\":\"base\"", "\"role\":\"Base\"")),
            place + "role: unknown value \"Base\"; did you mean 'base'?");
}

TEST(CaseHistory, RefusesNightsOutOfOrderOrTwice) {
  EXPECT_EQ(error_of(changed("\"level\":0", "\"level\":2")),
            "f.json: $.nights[1].level: is below the level of the night before; nights stand in order of acceptance");
  EXPECT_EQ(error_of(changed("\"run\":\"run-2\"", "\"run\":\"run-1\"")),
            "f.json: $.nights[1].run: run \"run-1\" stands here twice; remove one");
}

TEST(CaseHistory, RefusesAVariantWithoutLaunches) {
  CaseHistory history = example_history("c", "run-1");
  history.nights[0].variants["empty"] = {};
  EXPECT_EQ(
      error_of(encode(history)),
      "f.json: $.nights[0].variants.empty: a variant needs at least one launch; remove it or accept the run again");
}

TEST(CaseHistory, EveryPrefixIsAnErrorAndNothingWorse) {
  const std::string text = encoded();
  for (std::size_t size = 0; size + 1 < text.size(); ++size)
    EXPECT_NE(error_of(text.substr(0, size)), "no error") << size;
}

}  // namespace
}  // namespace bindgate
