#include "statistics/change_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "statistics/summary.hpp"

namespace bindgate {
namespace {

constexpr std::size_t fewest_steady = 3;
constexpr double equal_levels = 0.05;             // of the logarithm
constexpr double usual_noise = 0.05, worth = 10;  // what is assumed before anything was seen, and for how many values
constexpr double bound = 3;                       // in units of noise: farther away counts no more
constexpr std::size_t first_ones = 4;  // iterations that are expected to differ, so that none of them is an exception
constexpr double chance = 0.01;

struct Stretch {
  std::size_t begin = 0, end = 0;
  double level = 0;
};

double noise_of(const std::vector<double>& logs) {
  std::vector<double> bends;
  for (std::size_t i = 2; i < logs.size(); ++i) bends.push_back(std::abs(logs[i] - 2 * logs[i - 1] + logs[i - 2]));
  // The lower median: steps bend a short series in half of its places.
  const auto middle = bends.begin() + static_cast<std::ptrdiff_t>((bends.size() - 1) / 2);
  std::nth_element(bends.begin(), middle, bends.end());
  const double seen = 1.4826 * *middle / std::sqrt(6), n = static_cast<double>(bends.size());
  return std::sqrt((n * seen * seen + worth * usual_noise * usual_noise) / (n + worth));
}

std::vector<Stretch> stretches_of(const std::vector<double>& logs, double noise) {
  struct Ending {  // the best partition that ends at an iteration, by its last stretch
    std::size_t begin = 0, level = 0;
  };
  const std::size_t n = logs.size();
  // Above the bound's square, or a slow last iteration would be a stretch of its own.
  const double penalty = std::max(2 * std::log(static_cast<double>(n)), bound * bound + 1);
  std::vector<double> cost(n, 0);  // of the best partition so far whose last stretch has the level of iteration j
  std::vector<std::size_t> begin(n, 0);
  std::vector<Ending> endings(n);
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < n; ++i) {
    const double limit = i < first_ones ? std::numeric_limits<double>::infinity() : bound * bound;
    const double cut = best + penalty;
    std::size_t cheapest = 0;
    for (std::size_t j = 0; j < n; ++j) {
      if (cut < cost[j]) {
        cost[j] = cut;
        begin[j] = i;
      }
      const double distance = (logs[i] - logs[j]) / noise;
      cost[j] += std::min(distance * distance, limit);
      if (cost[j] < cost[cheapest]) cheapest = j;
    }
    best = cost[cheapest];
    endings[i] = {begin[cheapest], cheapest};
  }
  std::vector<Stretch> stretches;
  for (std::size_t end = n; end > 0; end = stretches.back().begin)
    stretches.push_back({endings[end - 1].begin, end, logs[endings[end - 1].level]});
  std::reverse(stretches.begin(), stretches.end());
  return stretches;
}

/// Where the last run of steady stretches begins, excursions passed over.
std::size_t back_from_the_end(const std::vector<Stretch>& stretches, double tolerance) {
  const double last = stretches.back().level;
  std::size_t from = stretches.back().begin;
  for (std::size_t s = stretches.size() - 1; s > 0;) {
    const auto steady = [&](std::size_t index) { return std::abs(stretches[index].level - last) <= tolerance; };
    std::size_t after = s;  // first of the stretches behind the steady ones that come next on the way back
    while (s > 0 && !steady(s - 1)) --s;
    const std::size_t away = stretches[after].begin - stretches[s].begin;
    after = s;
    while (s > 0 && steady(s - 1)) --s;
    const std::size_t before = stretches[after].begin - stretches[s].begin;
    if (away > 0 && before < std::max(away, fewest_steady)) break;
    from = stretches[s].begin;
  }
  return from;
}

/// Whether the steady state, too, has as many iterations as far from its level as those before `from`: then these are
/// exceptions like others.
bool is_nothing_special(const std::vector<double>& logs, std::size_t from, double level, double tolerance) {
  const auto as_far = [&](std::size_t begin, std::size_t end, double distance) {
    double count = 0;
    for (std::size_t i = begin; i < end; ++i) count += std::abs(logs[i] - level) >= distance;
    return count;
  };
  const double k = static_cast<double>(from), steady = static_cast<double>(logs.size() - from);
  for (std::size_t i = 0; i < from; ++i) {
    const double far = std::abs(logs[i] - level) / 2;  // half, since exceptions differ among themselves
    if (2 * far <= tolerance) continue;
    const double slow = as_far(0, from, far), share = as_far(from, logs.size(), far) / steady;
    const double ways = std::lgamma(k + 1) - std::lgamma(slow + 1) - std::lgamma(k - slow + 1);
    if (ways + slow * std::log(share) < std::log(chance)) return false;
  }
  return true;
}

/// The logarithms from `from` on still move: their later half lies elsewhere.
bool drifts(const std::vector<double>& logs, std::size_t from, double tolerance) {
  const std::span<const double> steady = std::span(logs).subspan(from);
  const std::size_t half = steady.size() / 2;
  return std::abs(median(steady.first(half)) - median(steady.last(half))) > tolerance;
}

}  // namespace

std::optional<std::size_t> steady_from(std::span<const double> times) {
  if (times.size() < fewest_steady) return std::nullopt;
  std::vector<double> logs;
  logs.reserve(times.size());
  for (const double time : times) logs.push_back(std::log(std::max(time, 1.0)));
  const double noise = noise_of(logs), tolerance = std::max(equal_levels, 2 * noise);
  const std::vector<Stretch> stretches = stretches_of(logs, noise);
  const double level = stretches.back().level;
  std::size_t from = back_from_the_end(stretches, tolerance);
  // A steep descent, where no two iterations are alike, is no stretch: it sticks to the next one.
  while (from < logs.size() && std::abs(logs[from] - level) > std::max(tolerance, bound * noise)) ++from;
  if (logs.size() - from < std::max(fewest_steady, logs.size() / 4)) return std::nullopt;
  if (is_nothing_special(logs, from, level, tolerance)) from = 0;
  if (drifts(logs, from, tolerance)) return std::nullopt;
  return from;
}

}  // namespace bindgate
