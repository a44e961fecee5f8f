#include "verdict/variance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/names.hpp"
#include "statistics/summary.hpp"
#include "verdict/launch_figures.hpp"
#include "verdict/words.hpp"

namespace bindgate {
namespace {

constexpr std::size_t fewest_samples = 20, samples_for_a_tail = 50;
constexpr unsigned fewest_launches = 5;

/// Seven in ten, rounded up.
constexpr unsigned most_of(unsigned launches) { return (7 * launches + 9) / 10; }

/// One of the figures that can fire, and how to speak of it.
struct Statistic {
  double Spread::* figure;
  double (*limit)(const VariancePolicy& policy);  ///< on the figure's own scale
  double (*share)(double figure);                 ///< the figure as people read it
  const char *own, *after, *frozen;
};
constexpr std::size_t tail_statistic = 1;
constexpr std::array<Statistic, 3> statistics{
    {{&Spread::cv, [](const VariancePolicy& policy) { return policy.threshold; }, [](double cv) { return cv; },
      "CV ", "", "frozen code varied by "},
     {&Spread::tail, [](const VariancePolicy& policy) { return policy.tail - 1; }, [](double tail) { return tail; },
      "p95 ", " above the median", "the p95 of frozen code was above its median by "},
     {&Spread::halves, [](const VariancePolicy& policy) { return std::log1p(policy.halves); },
      [](double halves) { return std::expm1(halves); }, "halves of a launch ", " apart",
      "halves of frozen code differed by "}}};

/// A launch against the thresholds and against the frozen code of its own turns.
struct Weighed {
  const LaunchFigures& figures;
  Culprit unclean_by = Culprit::unknown;
  bool judged = false;
  std::array<bool, statistics.size()> fires{}, exceeds{};

  /// Others took the CPU, or may have: whatever its samples do, they do not speak of the code.
  [[nodiscard]] bool interrupted() const { return figures.few_clean && unclean_by != Culprit::nobody_else; }
  [[nodiscard]] bool fired() const { return std::any_of(fires.begin(), fires.end(), std::identity()); }
  [[nodiscard]] bool beyond_machine() const { return std::any_of(exceeds.begin(), exceeds.end(), std::identity()); }
  [[nodiscard]] bool uncompared() const { return fired() && !interrupted() && !figures.reference; }
  [[nodiscard]] bool explained() const { return fired() && !beyond_machine() && !uncompared(); }
};

Weighed weigh(const SeriesLaunch& series, const VariancePolicy& policy) {
  const LaunchFigures& figures = series.digest->figures;
  Weighed launch{.figures = figures, .unclean_by = culprit_of(*series.launch, *series.run, figures.losses)};
  launch.judged = figures.spread && figures.judged() >= fewest_samples;
  if (!launch.judged) return launch;
  for (std::size_t i = 0; i < statistics.size(); ++i) {
    if (i == tail_statistic && figures.judged() < samples_for_a_tail) continue;
    const double value = (*figures.spread).*statistics[i].figure;
    launch.fires[i] = value > statistics[i].limit(policy);
    launch.exceeds[i] = launch.fires[i] && !launch.interrupted() && figures.reference &&
                        value > 2 * (*figures.reference).*statistics[i].figure;
  }
  return launch;
}

using Launches = std::vector<Weighed>;
using Refs = std::vector<const Weighed*>;

template <typename Condition>
Refs those(const Launches& launches, Condition condition) {
  Refs chosen;
  for (const Weighed& launch : launches)
    if (launch.judged && condition(launch)) chosen.push_back(&launch);
  return chosen;
}

unsigned count(const Refs& launches) { return static_cast<unsigned>(launches.size()); }

/// The median of what `figure` finds; nothing where it finds nothing.
template <typename Range, typename Figure>
std::optional<double> median_of(const Range& launches, Figure figure) {
  std::vector<double> values;
  for (const auto& launch : launches)
    if (const std::optional<double> value = figure(launch)) values.push_back(*value);
  if (values.empty()) return std::nullopt;
  return median(values);
}

Variance medians(const Launches& launches) {
  using Figure = std::optional<double> LaunchFigures::*;
  const auto own = [&](Figure figure) {
    return median_of(launches, [=](const Weighed& launch) { return launch.figures.*figure; });
  };
  const auto spread = [&](double Spread::* figure, std::optional<Spread> LaunchFigures::* of, double plus = 0) {
    return median_of(launches, [=](const Weighed& launch) -> std::optional<double> {
      if (!(launch.figures.*of)) return std::nullopt;
      return *(launch.figures.*of).*figure + plus;
    });
  };
  Variance variance;
  variance.clean_cv = spread(&Spread::cv, &LaunchFigures::spread);
  variance.plain_cv = own(&LaunchFigures::plain_cv);
  variance.mad_cv = own(&LaunchFigures::mad_cv);
  variance.within_turn_cv = own(&LaunchFigures::within_turn_cv);
  variance.p95_over_p50 = spread(&Spread::tail, &LaunchFigures::spread, 1);
  variance.max_over_p50 = own(&LaunchFigures::max_over_p50);
  variance.halves = spread(&Spread::halves, &LaunchFigures::spread);
  variance.clean_fraction = median_of(launches, [](const Weighed& launch) -> std::optional<double> {
    if (launch.figures.samples == 0) return std::nullopt;
    return launch.figures.clean_fraction();
  });
  variance.reference_cv = spread(&Spread::cv, &LaunchFigures::reference);
  return variance;
}

std::string of_launches(unsigned some, unsigned all) {
  return std::to_string(some) + " of " + std::to_string(all) + " launches";
}

/// The statistic that holds for most of the launches, and for how many.
template <typename Holds>
std::pair<std::size_t, unsigned> leading(const Refs& launches, Holds holds) {
  std::pair<std::size_t, unsigned> best{0, 0};
  for (std::size_t i = 0; i < statistics.size(); ++i) {
    unsigned holding = 0;
    for (const Weighed* launch : launches) holding += holds(*launch, i) ? 1U : 0U;
    if (holding > best.second) best = {i, holding};
  }
  return best;
}

std::string clean_share(const Refs& launches) {
  const auto fraction = [](const Weighed* launch) { return std::optional(launch->figures.clean_fraction()); };
  return percent(*median_of(launches, fraction));
}

std::string why_unstable(const Launches& launches, const Variance& variance, const VariancePolicy& policy) {
  const auto [index, holding] = leading(those(launches, [](const Weighed& launch) { return launch.beyond_machine(); }),
                                        [](const Weighed& launch, std::size_t i) { return launch.exceeds[i]; });
  const Refs beyond = those(launches, [i = index](const Weighed& launch) { return launch.exceeds[i]; });
  const Refs waiting =
      those(launches, [i = index](const Weighed& launch) { return launch.exceeds[i] && launch.figures.few_clean; });
  const Statistic& statistic = statistics[index];
  const auto middle = [&](std::optional<Spread> LaunchFigures::* of) {
    const auto figure = [&](const Weighed* launch) { return std::optional(*(launch->figures.*of).*statistic.figure); };
    return statistic.share(*median_of(beyond, figure));
  };
  const double limit = statistic.share(statistic.limit(policy));
  std::string why = statistic.own + percent(middle(&LaunchFigures::spread), limit) + statistic.after + " (limit " +
                    percent(limit) + ") in " + of_launches(holding, variance.launches) +
                    "; frozen code: " + percent(middle(&LaunchFigures::reference));
  if (2 * waiting.size() >= beyond.size())
    why += "; only " + clean_share(waiting) +
           " of samples are clean, and others' CPU time does not account for it: the code waits by itself";
  return why;
}

/// For series of which the machine explains one launch at least.
std::string why_disturbed(const Launches& launches, const Variance& variance, const VariancePolicy& policy) {
  const Refs interrupted =
      those(launches, [](const Weighed& launch) { return launch.explained() && launch.interrupted(); });
  const Refs explained =
      those(launches, [](const Weighed& launch) { return launch.explained() && !launch.interrupted(); });
  const auto [index, holding] =
      leading(explained, [](const Weighed& launch, std::size_t i) { return launch.fires[i]; });
  if (interrupted.size() >= holding) {
    const bool seen = std::any_of(interrupted.begin(), interrupted.end(), [](const Weighed* launch) {
      return launch->unclean_by == Culprit::others;
    });
    return "disturbed: " + of_launches(count(interrupted), variance.launches) + " vary with only " +
           clean_share(interrupted) + " of samples clean" +
           (seen ? ": others took the CPU; use a quieter machine" : ", and others' CPU time could not be read");
  }
  const Statistic& statistic = statistics[index];
  const double frozen = *median_of(explained, [&, i = index](const Weighed* launch) -> std::optional<double> {
    if (!launch->fires[i]) return std::nullopt;
    return (*launch->figures.reference).*statistic.figure;
  });
  const double called = std::max(2 * frozen, statistic.limit(policy));
  return "disturbed: " + (statistic.frozen + percent(statistic.share(frozen))) + " here; an instability beyond " +
         percent(statistic.share(called)) + " would have been called";
}

std::string why_not_judged(std::size_t launches, unsigned judged) {
  if (launches < fewest_launches)
    return "variance not judged: " + counted(launches, "launch") + " of at least " +
           std::to_string(fewest_launches) + "; run more rounds";
  return "variance not judged: " + of_launches(judged, static_cast<unsigned>(launches)) + " have " +
         std::to_string(fewest_samples) + " samples to judge by, at least " + std::to_string(fewest_launches) +
         " must; take more turns, or set the case's variance to \"off\"";
}

std::string why_twins_disagree(const Variance& own, const Variance& twin, unsigned Variance::* count) {
  return "disturbed: " + of_launches(own.*count, own.launches) + " vary" +
         (count == &Variance::beyond_machine ? " beyond the machine" : "") + ", and " + std::to_string(twin.*count) +
         " of " + std::to_string(twin.launches) + " of the twin, the same code in the same turns";
}

}  // namespace

VarianceJudgement judge_variance(std::span<const SeriesLaunch> series, const VariancePolicy& policy,
                                 const VarianceJudgement* twin) {
  using Finding = VarianceJudgement::Finding;
  Launches launches;
  for (const SeriesLaunch& launch : series) launches.push_back(weigh(launch, policy));

  VarianceJudgement judgement;
  judgement.figures = medians(launches);
  Variance& own = judgement.figures;
  own.launches = count(those(launches, [](const Weighed&) { return true; }));
  own.fired = count(those(launches, [](const Weighed& launch) { return launch.fired(); }));
  own.beyond_machine = count(those(launches, [](const Weighed& launch) { return launch.beyond_machine(); }));
  const unsigned uncompared = count(those(launches, [](const Weighed& launch) { return launch.uncompared(); }));
  const auto conclude = [&](Finding finding, std::string reason) {
    own.judged = finding != Finding::not_judged;
    judgement.finding = finding;
    judgement.reason = std::move(reason);
    return judgement;
  };
  if (policy.statistic == VariancePolicy::Statistic::off) return conclude(Finding::not_judged, "");
  if (own.launches < fewest_launches)
    return conclude(Finding::not_judged, why_not_judged(launches.size(), own.launches));

  // Nothing tells base and twin apart, so their launches are launches of one thing.
  const Variance other = twin && twin->figures.judged ? twin->figures : Variance{};
  const unsigned needed = most_of(own.launches + other.launches);
  if (own.fired + other.fired < needed) {
    const bool alone = own.fired >= most_of(own.launches);
    const bool twin_alone = other.launches > 0 && other.fired >= most_of(other.launches);
    if (!alone && !twin_alone) return conclude(Finding::quiet, "");
    return conclude(Finding::disturbed, why_twins_disagree(own, other, &Variance::fired));
  }
  const unsigned beyond = own.beyond_machine + other.beyond_machine;
  if (own.beyond_machine > 0 && beyond >= needed)
    return conclude(Finding::unstable, why_unstable(launches, own, policy));
  if (uncompared > 0 && beyond + uncompared >= needed)
    return conclude(Finding::not_judged,
                    "variance not judged: " + of_launches(own.fired, own.launches) +
                        " vary, and too few reference readings tell code from machine: a program without reference "
                        "kernels needs some, or \"variance\": \"off\" for the case");
  if (own.fired > own.beyond_machine + uncompared)
    return conclude(Finding::disturbed, why_disturbed(launches, own, policy));
  return conclude(Finding::disturbed, why_twins_disagree(own, other, &Variance::beyond_machine));
}

}  // namespace bindgate
