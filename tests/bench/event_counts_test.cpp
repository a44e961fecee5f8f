#include "support/event_counts.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "support/turn.hpp"

namespace bindgate {
namespace {

TEST(EventCounts, SayWhyTheyWereRefused) {
  EXPECT_EQ(why_refused(ENOENT, "2"), "no such hardware counter (virtual machine?)");
  EXPECT_EQ(why_refused(EACCES, "4"), "perf_event_paranoid is 4");
  EXPECT_EQ(why_refused(EPERM, ""), "perf_event_open is not permitted");
  EXPECT_EQ(why_refused(ENOSYS, "2"), "this kernel has no perf_event_open");
  EXPECT_EQ(why_refused(EMFILE, "2"), "perf_event_open (EMFILE): Too many open files");
}

TEST(EventCounts, AreTheDifferenceOfTwoReadings) {
  Indicators indicators;
  EventCounts::fill(indicators, {100, 200, std::nullopt, 5, 9}, {150, 260, 7, std::nullopt, 8});
  EXPECT_EQ(indicators.cycles, 50);
  EXPECT_EQ(indicators.instructions, 60);
  EXPECT_EQ(indicators.cache_misses, std::nullopt) << "not counted from the beginning";
  EXPECT_EQ(indicators.node_loads, std::nullopt) << "not counted to the end";
  EXPECT_EQ(indicators.node_load_misses, std::nullopt) << "a scaled count may fall";
}

TEST(EventCounts, OfABlockAreThereOrTheReasonIs) {
  const EventCounts events;
  EXPECT_NE(events.state(), "");
  References references(1);
  const Block block = take_turn({.turn = 0, .samples = 2, .batch = 1, .references = {}},
                                {[](std::int64_t) { return 0; }}, references, nullptr, &events);
  const bool refused = events.state().find("refused") != std::string::npos;
  EXPECT_TRUE(block.indicators.instructions.has_value() || refused) << events.state();
  EXPECT_TRUE(block.indicators.minor_faults);
}

}  // namespace
}  // namespace bindgate
