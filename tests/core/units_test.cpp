#include "core/units.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace bindgate {
namespace {

using namespace std::chrono_literals;

std::string error_of(std::string_view text) {
  const auto duration = parse_duration(text);
  return duration ? "read as " + format_duration(*duration) : duration.error().message;
}

TEST(ParseDuration, ReadsNumbersWithTheirUnit) {
  EXPECT_EQ(*parse_duration("90s"), 90s);
  EXPECT_EQ(*parse_duration("10m"), 10min);
  EXPECT_EQ(*parse_duration("10min"), 10min);
  EXPECT_EQ(*parse_duration("1.5h"), 90min);
  EXPECT_EQ(*parse_duration("250ms"), 250ms);
}

TEST(ParseDuration, RefusesWhatItMightGuessWrong) {
  EXPECT_EQ(error_of("90"), "duration '90' has no unit; write it like 90s, 10m or 1.5h");
  EXPECT_EQ(error_of("90 s"), "duration '90 s' has an unknown unit; write it like 90s, 10m or 1.5h");
  EXPECT_EQ(error_of("2d"), "duration '2d' has an unknown unit; write it like 90s, 10m or 1.5h");
  EXPECT_EQ(error_of(""), "duration '' does not start with a number; write it like 90s, 10m or 1.5h");
  EXPECT_EQ(error_of("s"), "duration 's' does not start with a number; write it like 90s, 10m or 1.5h");
  EXPECT_EQ(error_of("1e999s"), "duration '1e999s' does not start with a number; write it like 90s, 10m or 1.5h");
}

TEST(ParseDuration, RefusesWhatNoRunCanTake) {
  EXPECT_EQ(error_of("0s"), "duration '0s' is not positive; write it like 90s, 10m or 1.5h");
  EXPECT_EQ(error_of("-5m"), "duration '-5m' is not positive; write it like 90s, 10m or 1.5h");
  EXPECT_EQ(error_of("nans"), "duration 'nans' is not positive; write it like 90s, 10m or 1.5h");
  EXPECT_EQ(error_of("1e-9ms"), "duration '1e-9ms' is not positive; write it like 90s, 10m or 1.5h");
  EXPECT_EQ(error_of("9000h"), "duration '9000h' is longer than a year; write it like 90s, 10m or 1.5h");
  EXPECT_EQ(error_of("infs"), "duration 'infs' is longer than a year; write it like 90s, 10m or 1.5h");
}

TEST(FormatSeconds, KeepsThreeDigitsAndTheUnitThatFits) {
  EXPECT_EQ(format_seconds(0), "0 s");
  EXPECT_EQ(format_seconds(1.234e-3), "1.23 ms");
  EXPECT_EQ(format_seconds(456e-9), "456 ns");
  EXPECT_EQ(format_seconds(12), "12.0 s");
  EXPECT_EQ(format_seconds(-2.5e-6), "-2.50 us");
  EXPECT_EQ(format_seconds(123.4), "123 s");
}

TEST(FormatSeconds, NeverShowsAThousandOfAUnit) {
  EXPECT_EQ(format_seconds(999.4e-9), "999 ns");
  EXPECT_EQ(format_seconds(999.6e-9), "1.00 us");
  EXPECT_EQ(format_seconds(999.6e-6), "1.00 ms");
  EXPECT_EQ(format_seconds(0.9996), "1.00 s");
  EXPECT_EQ(format_seconds(9.996e-3), "10.0 ms");
  EXPECT_EQ(format_seconds(99.96e-3), "100 ms");
}

TEST(FormatDuration, ReadsLikeAClock) {
  EXPECT_EQ(format_duration(std::chrono::duration<double>(1e12)), "277777777 h 46 min");
  EXPECT_EQ(format_duration(std::chrono::duration<double>(1e300)), "277777777777 h 46 min");
  EXPECT_EQ(format_duration(45s), "45 s");
  EXPECT_EQ(format_duration(59600ms), "1 min 00 s");
  EXPECT_EQ(format_duration(200s), "3 min 20 s");
  EXPECT_EQ(format_duration(65min), "1 h 05 min");
  EXPECT_EQ(format_duration(50h), "50 h 00 min");
}

TEST(FormatBytes, CountsInBinaryMultiples) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(1.5 * (1 << 30)), "1.50 GiB");
  EXPECT_EQ(format_bytes(64.0 * 1024), "64.0 KiB");
  EXPECT_EQ(format_bytes(1023.0 * 1024), "1023 KiB");
}

TEST(FormatBytes, NeverShows1024OfAUnit) {
  EXPECT_EQ(format_bytes(1023.6 * 1024), "1.00 MiB");
  EXPECT_EQ(format_bytes(1048575), "1.00 MiB");
}

TEST(FormatRate, CountsInDecimalMultiples) {
  EXPECT_EQ(format_rate(2.5e9, "FLOP/s"), "2.50 GFLOP/s");
  EXPECT_EQ(format_rate(123.4, "images/s"), "123 images/s");
  EXPECT_EQ(format_rate(999.96e9, "B/s"), "1.00 TB/s");
  EXPECT_EQ(format_rate(999.7, "B/s"), "1.00 kB/s");
}

TEST(FormatChange, ShowsAShareInPerCentWithItsSign) {
  EXPECT_EQ(format_change(0.0125), "+1.2 %");
  EXPECT_EQ(format_change(-0.5), "-50.0 %");
  EXPECT_EQ(format_change(1.5, 0, 0), "+150 %");
}

TEST(FormatChange, ShowsOnWhichSideOfTheEdgeAValueLies) {
  EXPECT_EQ(format_change(0.0504, 0.05), "+5.04 %");
  EXPECT_EQ(format_change(0.0496, 0.05), "+4.96 %");
  EXPECT_EQ(format_change(0.05, 0.05), "+5.0 %");
  EXPECT_EQ(format_change(0.05000001, 0.05), "+5.000001 %");
}

TEST(FormatChange, ShowsASmallChangeOnEitherSideOfNothing) {
  EXPECT_EQ(format_change(0.0001), "+0.01 %");
  EXPECT_EQ(format_change(-0.0001), "-0.01 %");
  EXPECT_EQ(format_change(0.0), "+0.0 %");
  EXPECT_EQ(format_change(-0.0), "+0.0 %");
}

TEST(FormatChange, EndsWithTheUnitWhateverTheNumber) {
  EXPECT_TRUE(format_change(std::numeric_limits<double>::max()).ends_with(" %"));
  EXPECT_TRUE(format_change(std::numeric_limits<double>::infinity()).ends_with(" %"));
  EXPECT_TRUE(format_change(1 + 1e-15, 1.0).ends_with(" %"));
}

TEST(FormatUtc, WritesIsoTime) {
  EXPECT_EQ(format_utc(std::chrono::system_clock::time_point(0s)), "1970-01-01T00:00:00Z");
  EXPECT_EQ(format_utc(std::chrono::system_clock::time_point(1769903999s)), "2026-01-31T23:59:59Z");
}

}  // namespace
}  // namespace bindgate
