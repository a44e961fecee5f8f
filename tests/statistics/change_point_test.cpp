#include "statistics/change_point.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace bindgate {
namespace {

using Random = std::mt19937_64;
using Times = std::vector<double>;

/// Nanoseconds around 0.1 ms, `sd` their spread as a share, some of them five times slower.
Times noise(Random& random, std::size_t n, double sd, double exceptions = 0) {
  std::normal_distribution<> normal(0, sd);
  std::bernoulli_distribution exception(exceptions);
  Times times;
  for (std::size_t i = 0; i < n; ++i) times.push_back(1e5 * std::exp(normal(random)) * (exception(random) ? 5 : 1));
  return times;
}

/// Iterations from `begin` to `end`, slower by `factor`.
Times slower(Times times, std::size_t begin, std::size_t end, double factor) {
  for (std::size_t i = begin; i < end; ++i) times[i] *= factor;
  return times;
}

/// In how large a share of series the answer lies within one iteration of `expected`.
double share_right(unsigned series, std::size_t expected, const std::function<Times()>& make) {
  unsigned right = 0;
  for (unsigned i = 0; i < series; ++i)
    if (const auto from = steady_from(make()))
      right += *from + 1 >= expected && *from <= expected + 1 && (expected > 0 || *from == 0);
  return right / static_cast<double>(series);
}

/// In how large a share of series nothing is steady.
double share_unsettled(unsigned series, const std::function<Times()>& make) {
  unsigned never = 0;
  for (unsigned i = 0; i < series; ++i) never += !steady_from(make());
  return never / static_cast<double>(series);
}

TEST(SteadyFrom, IsTheStartOfAConstantSeriesWhateverItsNoise) {
  Random random(1);
  for (const double sd : {0.01, 0.03, 0.05}) {
    EXPECT_GE(share_right(300, 0, [&] { return noise(random, 200, sd, 0.02); }), 0.98) << sd;
    EXPECT_GE(share_right(300, 0, [&] { return noise(random, 50, sd); }), 0.98) << sd;
    EXPECT_GE(share_right(300, 0, [&] { return noise(random, 10, sd); }), 0.94) << sd;
  }
  unsigned wrong = 0;
  for (unsigned i = 0; i < 1000; ++i) wrong += steady_from(noise(random, 200, 0.03, 0.02)) != 0u;
  EXPECT_LE(wrong, 10u);
}

TEST(SteadyFrom, IsRightBehindASlowStart) {
  Random random(2);
  for (const double factor : {3.0, 100.0})
    for (const std::size_t k : {1u, 2u, 3u, 7u, 30u})
      for (const std::size_t n : {10u, 100u, 200u}) {
        if (k > n / 2) continue;
        EXPECT_GE(share_right(40, k, [&] { return slower(noise(random, n, 0.03), 0, k, factor); }), 0.95)
            << n << ' ' << k << ' ' << factor;
      }
}

TEST(SteadyFrom, IsRightBehindASlowStartAmongExceptions) {
  Random random(3);
  for (const std::size_t k : {2u, 3u, 30u})
    EXPECT_GE(share_right(100, k, [&] { return slower(noise(random, 200, 0.05, 0.02), 0, k, 3); }), 0.95) << k;
  EXPECT_GE(share_right(100, 1, [&] { return slower(noise(random, 200, 0.05, 0.02), 0, 1, 100); }), 0.95);
}

TEST(SteadyFrom, IsTheLastOfSeveralSteps) {
  Random random(4);
  struct Steps {
    std::size_t slow, medium;
  };
  for (const auto& [slow, medium] : {Steps{1, 1}, Steps{1, 2}, Steps{2, 5}, Steps{5, 20}})
    for (const std::size_t n : {10u, 200u}) {
      if (slow + medium > n / 2) continue;
      const auto make = [&] { return slower(slower(noise(random, n, 0.02), 0, slow, 50), slow, slow + medium, 2); };
      EXPECT_GE(share_right(60, slow + medium, make), 0.95) << n << ' ' << slow << ' ' << medium;
    }
}

TEST(SteadyFrom, IsWhereADecayHasCloselyReachedItsEnd) {
  Random random(5);
  const auto decay = [&](std::size_t n, double constant) {
    Times times = noise(random, n, 0.02, 0.02);
    for (std::size_t i = 0; i < n; ++i) times[i] *= 1 + 10 * std::exp(-static_cast<double>(i) / constant);
    return times;
  };
  for (unsigned i = 0; i < 40; ++i) {
    const auto from = steady_from(decay(200, 10));
    ASSERT_TRUE(from);
    EXPECT_NEAR(static_cast<double>(*from), 10 * std::log(10 / 0.05), 12);
  }
  EXPECT_GE(share_unsettled(40, [&] { return decay(10, 2); }), 0.95) << "too few iterations to tell noise from slope";
  EXPECT_GE(share_unsettled(40, [&] { return decay(200, 50); }), 0.95);
  EXPECT_GE(share_unsettled(40, [&] { return decay(200, 400); }), 0.9);
}

TEST(SteadyFrom, IsNothingForASeriesThatMovesAtItsEnd) {
  Random random(6);
  EXPECT_GE(share_unsettled(40,
                            [&] {
                              Times times = noise(random, 200, 0.02, 0.02);
                              for (std::size_t i = 0; i < 200; ++i) times[i] *= 2 - static_cast<double>(i) / 200;
                              return times;
                            }),
            0.95);
  EXPECT_GE(share_unsettled(40, [&] { return slower(noise(random, 200, 0.02, 0.02), 180, 200, 2); }), 0.95)
      << "the last level has hardly been seen";
  EXPECT_FALSE(steady_from(Times{1e8, 1e5, 1e5})) << "two iterations may be steady, or may not";
}

TEST(SteadyFrom, IsNothingForLessThanThreeIterations) {
  EXPECT_FALSE(steady_from({}));
  EXPECT_FALSE(steady_from(Times{1e5}));
  EXPECT_FALSE(steady_from(Times{1e5, 1e5}));
  EXPECT_EQ(steady_from(Times{1e5, 1e5, 1e5}), 0u);
}

TEST(SteadyFrom, IsDefinedForEqualTimesAndForNone) {
  EXPECT_EQ(steady_from(Times(1000, 250.0)), 0u);
  EXPECT_EQ(steady_from(Times(20, 0.0)), 0u) << "below the clock's resolution";
  EXPECT_EQ(steady_from(slower(Times(1000, 250.0), 0, 4, 2)), 4u);
}

TEST(SteadyFrom, DoesNotMindWhatComesBack) {
  Random random(7);
  for (const std::size_t at : {5u, 50u, 100u, 199u})
    EXPECT_GE(share_right(40, 0, [&] { return slower(noise(random, 200, 0.03), at, at + 1, 30); }), 0.95) << at;
  EXPECT_GE(share_right(40, 0, [&] { return slower(noise(random, 200, 0.03), 100, 115, 2); }), 0.95);
  EXPECT_GE(share_right(40, 3, [&] { return slower(slower(noise(random, 200, 0.03), 0, 3, 20), 100, 101, 30); }), 0.95);
}

TEST(SteadyFrom, TakesNoUnitForGranted) {
  Random random(8);
  const Times times = slower(noise(random, 100, 0.03), 0, 5, 4);
  Times longer = times;
  for (double& time : longer) time *= 1000;
  EXPECT_EQ(steady_from(times), steady_from(longer));
}

}  // namespace
}  // namespace bindgate
