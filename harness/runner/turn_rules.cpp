#include "runner/turn_rules.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "core/names.hpp"

namespace bindgate {
namespace {

constexpr std::size_t enough_shares = 3;
constexpr double waits_by_design = 0.5;

template <class T>
T median_of(std::vector<T> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::int64_t sum(const std::vector<std::int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

// SplitMix64 (Steele, Lea and Flood 2014): the standard library's shuffle differs between implementations.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  void mix(std::uint64_t value) { state_ = (*this)() ^ value; }
  void mix(std::string_view text) {
    for (const char c : text) mix(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
    mix(std::uint64_t{256} + text.size());
  }
  // Below `limit`; the bias of the remainder is below 2^-50 for any number of members.
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>((*this)() % limit); }

 private:
  std::uint64_t state_;
};

std::string two_digits(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", value);
  return text.data();
}

}  // namespace

std::int64_t iteration_ns(std::span<const std::int64_t> warmup_ns) {
  const auto last_half = warmup_ns.subspan(warmup_ns.size() / 2);
  return std::max<std::int64_t>(1, median_of(std::vector<std::int64_t>(last_half.begin(), last_half.end())));
}

TurnPlan plan_turns(std::span<const std::int64_t> warmup_ns, unsigned turns, unsigned minimum_turns) {
  const std::int64_t operation = iteration_ns(warmup_ns);
  TurnPlan plan;
  plan.batch = std::max<std::int64_t>(1, (shortest_sample_ns + operation - 1) / operation);
  const double sample = static_cast<double>(plan.batch) * static_cast<double>(operation);
  plan.samples = static_cast<unsigned>(std::max<long>(1, std::lround(static_cast<double>(block_ns) / sample)));
  plan.turns = turns;
  if (operation > block_ns) {
    const auto fitting = static_cast<unsigned>(std::min<std::int64_t>(turns, long_case_ns / operation));
    plan.turns = std::max(fitting, minimum_turns);
  }
  return plan;
}

std::vector<ReferenceKernel> references_of_turn(unsigned turn) {
  static constexpr unsigned others = std::size(reference_kernels) - 1;
  return {ReferenceKernel::compute, reference_kernels[1 + turn % others]};
}

std::vector<std::size_t> order_of_turn(std::uint64_t seed, unsigned round, std::string_view program,
                                       std::string_view moment, unsigned turn, std::size_t count) {
  SplitMix random(seed);
  random.mix(std::uint64_t{round});
  random.mix(program);
  random.mix(moment);
  random.mix(std::uint64_t{turn});
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

bool is_enough(const SampleCount& samples) {
  return samples.clean >= enough_samples || fewest_clean * static_cast<double>(samples.all) >= enough_samples;
}

std::optional<double> cpu_share(const Block& block) {
  const auto wall = block.nanoseconds.find(Clock::wall);
  if (wall == block.nanoseconds.end() || sum(wall->second) <= 0) return std::nullopt;
  for (const Clock clock : {Clock::tree, Clock::process, Clock::thread})
    if (const auto cpu = block.nanoseconds.find(clock); cpu != block.nanoseconds.end())
      return static_cast<double>(sum(cpu->second)) / static_cast<double>(sum(wall->second));
  return std::nullopt;
}

std::int64_t block_time_ns(const Block& block) {
  if (block.nanoseconds.empty()) return 0;
  const auto wall = block.nanoseconds.find(Clock::wall);
  return sum(wall != block.nanoseconds.end() ? wall->second : block.nanoseconds.begin()->second);
}

std::optional<double> undisturbed_share(std::span<const double> shares) {
  if (shares.size() < enough_shares) return std::nullopt;
  std::vector<double> sorted(shares.begin(), shares.end());
  const auto quartile = sorted.begin() + static_cast<std::ptrdiff_t>(3 * (sorted.size() - 1) / 4);
  std::nth_element(sorted.begin(), quartile, sorted.end());
  return *quartile;
}

std::string what_disturbed(const Block& block, Preemption preemption, unsigned threads, std::size_t cpus,
                           std::optional<double> undisturbed) {
  const bool no_reason_of_its_own =
      preemption == Preemption::cpu_gap || (preemption == Preemption::switches && threads < cpus);
  if (const auto forced = block.indicators.forced_switches.value_or(sum(block.forced));
      forced > 0 && no_reason_of_its_own)
    return counted(static_cast<std::size_t>(forced), "forced switch") + " by others";
  if (const auto share = cpu_share(block);
      share && undisturbed && *undisturbed >= waits_by_design && *share < disturbed_share * *undisturbed)
    return "CPU/wall " + two_digits(*share) + ", undisturbed " + two_digits(*undisturbed);
  return "";
}

}  // namespace bindgate
