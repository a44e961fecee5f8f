// What the gate promises, by simulation with a fixed seed: unchanged suites do not alarm, and the change that it
// says it would have seen, it sees. Nights are drawn as what is stored of them, so that it takes seconds.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <random>

#include "verdict/regression.hpp"

namespace bindgate {
namespace {

constexpr unsigned families = 1000, series = 60, rounds = 6;

/// Nights and launches with normal logarithms. Values come from tables drawn once, since drawing costs most.
class Weather {
 public:
  Weather() {
    std::normal_distribution<double> normal;
    for (double& value : normals_) value = normal(engine_);
    std::chi_squared_distribution<double> chi(rounds - 1);
    for (double& value : variances_) value = chi(engine_) / (rounds - 1);
  }
  double normal() { return normals_[engine_() % table]; }
  NightMean night(double launch_sd, double night_effect) {
    return {night_effect + launch_sd / std::sqrt(rounds) * normal(),
            launch_sd * launch_sd * variances_[engine_() % table], rounds};
  }

 private:
  static constexpr std::size_t table = 1 << 16;
  std::mt19937 engine_{20260131};
  std::array<double, table> normals_{}, variances_{};
};

struct Setting {
  double launch_sd, night_sd;
  bool shared;  ///< one weather for all series of a night, or each its own
  unsigned nights;
};

std::vector<NightTrial> family(Weather& weather, const Setting& setting) {
  std::vector<double> shared(setting.nights + 1);
  for (double& effect : shared) effect = setting.night_sd * weather.normal();
  std::vector<NightTrial> trials;
  std::vector<NightMean> nights(setting.nights);
  const auto draw = [&](std::size_t night) {
    return weather.night(setting.launch_sd, setting.shared ? shared[night] : setting.night_sd * weather.normal());
  };
  for (unsigned i = 0; i < series; ++i) {
    for (std::size_t night = 0; night < nights.size(); ++night) nights[night] = draw(night);
    trials.push_back({*compare_nights(draw(setting.nights), nights), {}});
  }
  return trials;
}

bool any(const std::vector<RegressionJudgement>& judgements, Verdict verdict) {
  return std::any_of(judgements.begin(), judgements.end(), [&](const auto& own) { return own.verdict == verdict; });
}

class Nights : public testing::TestWithParam<unsigned> {};

TEST_P(Nights, UnchangedSuitesDoNotAlarmAndTheStatedChangeIsSeen) {
  Weather weather;
  for (const double night_sd : {0.02, 0.05, 0.10})
    for (const bool shared : {true, false}) {
      const Setting setting{0.01, night_sd, shared, GetParam()};
      unsigned regressed = 0, improved = 0, changed = 0, stated_seen = 0, third_more_seen = 0;
      double stated = 0;
      for (unsigned i = 0; i < families; ++i) {
        std::vector<NightTrial> trials = family(weather, setting);
        const auto judgements = judge_nights(trials);
        regressed += any(judgements, Verdict::regressed);
        improved += any(judgements, Verdict::improved);
        if (i % 5 != 0) continue;  // a fifth of the families shows detection just as well
        const double seen = judgements[0].smallest_seen, unchanged = trials[0].comparison.log_ratio;
        const auto sees = [&](double change) {
          trials[0].comparison.log_ratio = unchanged + std::log1p(change);
          return judge_nights(trials)[0].verdict == Verdict::regressed;
        };
        ++changed;
        stated += seen;
        stated_seen += sees(seen);
        third_more_seen += sees(seen * 4 / 3);
      }
      std::cout << "nights " << GetParam() << ", night sd " << night_sd * 100 << " %, "
                << (shared ? "shared" : "independent") << ": regressed " << regressed << ", improved " << improved
                << " of " << families << "; stated change " << 100 * stated / changed << " %, caught "
                << 100.0 * stated_seen / changed << " %, a third more " << 100.0 * third_more_seen / changed << " %\n";
      EXPECT_LE(regressed, families / 100);
      EXPECT_LE(improved, families / 100);
      EXPECT_GE(stated_seen, 0.92 * changed);  // 95 % less two standard errors of 200 families
      EXPECT_GE(third_more_seen, 0.95 * changed);
    }
}

INSTANTIATE_TEST_SUITE_P(Stored, Nights, testing::Values(1U, 2U, 3U, 5U, 20U),
                         [](const auto& stored) { return std::to_string(stored.param); });

// A bad hour: launches differ by 14 %.
TEST(RegressionSimulation, RestlessLaunchesDoNotAlarmEither) {
  Weather weather;
  for (const unsigned nights : {1U, 5U}) {
    unsigned alarms = 0;
    for (unsigned i = 0; i < families; ++i) {
      const auto judgements = judge_nights(family(weather, {0.14, 0.05, false, nights}));
      alarms += any(judgements, Verdict::regressed) || any(judgements, Verdict::improved);
    }
    EXPECT_LE(alarms, families / 100) << nights;
  }
}

// Base and twin share their round's fate. Taken as two launches they would halve a variance that does not halve.
TEST(RegressionSimulation, BaseAndTwinCountOnce) {
  std::mt19937 engine(20260131);
  std::normal_distribution<double> normal;
  constexpr double round_sd = 0.14, launch_sd = 0.01;
  double squared_error = 0, stated = 0, stated_if_two = 0;
  constexpr unsigned repetitions = 2000;
  for (unsigned i = 0; i < repetitions; ++i) {
    std::vector<NightLaunch> launches, apart;
    for (unsigned round = 0; round < rounds; ++round) {
      const double fate = round_sd * normal(engine);
      for (const Role role : {Role::base, Role::twin}) {
        launches.push_back({round, role, 100 * std::exp(fate + launch_sd * normal(engine)), 0, {}});
        apart.push_back(launches.back());
        apart.back().round = static_cast<unsigned>(apart.size());
      }
    }
    const NightMean own = mean_of(launches), two = mean_of(apart);
    squared_error += std::pow(own.log_ns - std::log(100), 2) / repetitions;
    stated += own.variance / own.rounds / repetitions;
    stated_if_two += two.variance / two.rounds / repetitions;
  }
  EXPECT_NEAR(stated / squared_error, 1, 0.1);
  EXPECT_LT(stated_if_two / squared_error, 0.6);
}

}  // namespace
}  // namespace bindgate
