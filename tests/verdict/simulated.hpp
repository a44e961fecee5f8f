#pragma once
// Launches and runs made of numbers that a test chooses. One random stream, so that a test's seed is its result.

#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "samples/run.hpp"
#include "verdict/variance.hpp"

namespace bindgate::simulated {

using Random = std::mt19937_64;
/// A sample's time as a factor; `place` runs from 0 to 1 over the launch.
using Shape = std::function<double(Random&, double place)>;

inline double normal(Random& random, double sd) { return std::exp(std::normal_distribution<>(0, sd)(random)); }
inline bool happens(Random& random, double probability) { return std::bernoulli_distribution(probability)(random); }
inline std::int64_t nanoseconds(double milliseconds) { return std::llround(milliseconds * 1e6); }

inline Shape steady(double sd) {
  return [=](Random& random, double) { return normal(random, sd); };
}
inline Shape tail(double slower, double probability) {
  return [=](Random& random, double) { return normal(random, 0.01) * (happens(random, probability) ? 1 + slower : 1); };
}
inline Shape modes_mixed(double apart) { return tail(apart, 0.5); }
/// Stays in a mode for a fifth of the launch.
inline Shape modes_dwelling(double apart) {
  return [=](Random& random, double place) {
    return normal(random, 0.01) * (static_cast<int>(place * 5) % 2 == 0 ? 1 : 1 + apart);
  };
}
inline Shape drift(double by) {
  return [=](Random& random, double place) { return normal(random, 0.01) * (1 + by * place); };
}

/// A machine that varies as well.
inline Shape both(const Shape& code, const Shape& machine) {
  return [=](Random& random, double place) { return code(random, place) * machine(random, place); };
}

struct Settings {
  unsigned launches = 6, turns = 60, samples = 4, readings = 2;  ///< the last two per turn
  Shape reference = steady(0.005);
};

/// The launches of one series and what they point to.
struct Series {
  CaseInfo info{.name = "matmul/f32/m=512",
                .label = "",
                .shape = {},
                .item = "",
                .primary = Clock::thread,
                .preemption = Preemption::cpu_gap};
  std::vector<std::unique_ptr<Launch>> launches;

  [[nodiscard]] VarianceJudgement judged(const VariancePolicy& policy = {},
                                         const VarianceJudgement* twin = nullptr) const {
    std::vector<CaseDigest> digests;
    for (const auto& launch : launches) digests.push_back(digest_of(launch->cases.front(), info));
    std::vector<SeriesLaunch> all;
    for (std::size_t i = 0; i < digests.size(); ++i)
      all.push_back({launches[i].get(), &launches[i]->cases.front(), &digests[i]});
    return judge_variance(all, policy, twin);
  }
  /// Every block of every launch.
  void each(const std::function<void(Block&)>& change) {
    for (const auto& launch : launches)
      for (Block& block : launch->cases.front().blocks) change(block);
  }
};

inline Series series(Random& random, const Shape& shape, const Settings& settings = {}) {
  Series made;
  for (unsigned id = 0; id < settings.launches; ++id) {
    auto& launch = made.launches.emplace_back(std::make_unique<Launch>());
    launch->id = launch->round = id;
    launch->wall_seconds = 10;
    launch->others_cpu_seconds = launch->steal_seconds = 0;
    CaseRun& run = launch->cases.emplace_back();
    run.name = made.info.name;
    run.outcome = CaseOutcome::ok;
    run.batch = 4;
    for (unsigned turn = 0; turn < settings.turns; ++turn) {
      const double place = static_cast<double>(turn) / settings.turns;
      Block& block = run.blocks.emplace_back();
      block.turn = turn;
      for (unsigned i = 0; i < settings.samples; ++i) {
        const std::int64_t time = nanoseconds(2 * shape(random, place));
        block.nanoseconds[Clock::thread].push_back(time);
        block.nanoseconds[Clock::wall].push_back(time + 1'000);
      }
      for (unsigned i = 0; i < settings.readings; ++i)
        block.references[ReferenceKernel::compute].push_back(nanoseconds(settings.reference(random, place)));
    }
  }
  return made;
}

struct Contestant {
  std::string variant;
  double factor = 1;  ///< of time
  std::string group = {};
};

struct Conditions {
  unsigned rounds = 6, turns = 12;
  double twin = 1;            ///< its factor of time
  double turn_sd = 0.10;      ///< of what all launches of a turn share
  double round_sd = 0.005;    ///< of each launch of each round
  double sample_sd = 0.02;
};

/// A finished run of one case; the first contestant is the base, and has a twin.
inline Run run(Random& random, const std::vector<Contestant>& contestants, const Conditions& conditions = {}) {
  Run made;
  made.plan.base = contestants.front().variant;
  made.finished = true;
  CaseInfo info;
  info.name = "matmul/f32/m=512";
  PlannedProgram program;
  program.name = "bench_matmul";
  program.cases = {info};
  made.plan.programs = {program};
  for (const Contestant& contestant : contestants) {
    PlannedVariant variant;
    variant.name = contestant.variant;
    variant.group = contestant.group;
    made.plan.variants.push_back(variant);
  }
  for (unsigned round = 0; round < conditions.rounds; ++round) {
    made.rounds.insert(round);
    std::vector<double> shared;
    for (unsigned turn = 0; turn < conditions.turns; ++turn) shared.push_back(normal(random, conditions.turn_sd));
    for (std::size_t seat = 0; seat <= contestants.size(); ++seat) {
      const bool twin = seat == contestants.size();
      const Contestant& contestant = contestants[twin ? 0 : seat];
      const double factor = contestant.factor * (twin ? conditions.twin : 1) * normal(random, conditions.round_sd);
      Launch& launch = made.launches.emplace_back();
      launch.id = static_cast<unsigned>(made.launches.size());
      launch.round = round;
      launch.program = program.name;
      launch.member.variant = contestant.variant;
      launch.member.role = twin ? Role::twin : seat == 0 ? Role::base : Role::other;
      CaseRun& one = launch.cases.emplace_back();
      one.name = info.name;
      one.outcome = CaseOutcome::ok;
      one.proof.emplace().status = ProofStatus::held;
      for (unsigned turn = 0; turn < conditions.turns; ++turn) {
        Block& block = one.blocks.emplace_back();
        block.turn = turn;
        block.nanoseconds[Clock::wall] = {nanoseconds(factor * shared[turn] * normal(random, conditions.sample_sd))};
      }
    }
  }
  return made;
}

}  // namespace bindgate::simulated
