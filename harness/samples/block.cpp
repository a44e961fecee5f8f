#include "samples/block.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace bindgate {
namespace {

constexpr std::array<std::string_view, 6> kernel_names{"compute", "l2", "l3", "dram", "chase", "faults"};

}  // namespace

std::vector<bool> clean_samples(const Block& block, Preemption preemption) {
  static constexpr std::int64_t smallest_gap_ns = 50'000;
  const auto wall = block.nanoseconds.find(Clock::wall), thread = block.nanoseconds.find(Clock::thread);
  const std::size_t samples = block.nanoseconds.empty() ? 0 : block.nanoseconds.begin()->second.size();
  std::vector<bool> clean(samples, block.steal_ticks == 0);
  if (preemption == Preemption::cpu_gap && wall != block.nanoseconds.end() && thread != block.nanoseconds.end())
    for (std::size_t i = 0; i < samples; ++i) {
      const std::int64_t gap = wall->second[i] - thread->second[i];
      clean[i] = gap <= std::max(wall->second[i] / 100, smallest_gap_ns);
    }
  else if (preemption != Preemption::own)
    for (std::size_t i = 0; i < block.forced.size(); ++i) clean[i] = clean[i] && block.forced[i] == 0;
  return clean;
}

std::string_view name_of(ReferenceKernel kernel) { return kernel_names[static_cast<std::size_t>(kernel)]; }

ReferenceKernel read_reference_kernel(const JsonCursor& cursor) {
  return static_cast<ReferenceKernel>(cursor.one_of(kernel_names));
}

nlohmann::json to_json(const Block& block) {
  nlohmann::json json{{"turn", block.turn}};
  if (block.attempt > 0) json["attempt"] = block.attempt;
  for (const auto& [clock, samples] : block.nanoseconds) json["nanoseconds"][std::string(name_of(clock))] = samples;
  if (!block.forced.empty()) json["forced"] = block.forced;
  for (const auto& [name, count] : indicator_names)
    if (block.indicators.*count) json["indicators"][std::string(name)] = *(block.indicators.*count);
  for (const auto& [kernel, samples] : block.references) json["references"][std::string(name_of(kernel))] = samples;
  if (block.spent_ns > 0) json["spent_ns"] = block.spent_ns;
  if (block.steal_ticks > 0) json["steal_ticks"] = block.steal_ticks;
  if (!block.disturbed.empty()) json["disturbed"] = block.disturbed;
  return json;
}

Block read_block(const JsonCursor& cursor) {
  Block block;
  block.turn = static_cast<unsigned>(cursor["turn"].integer(0, 1'000'000));
  if (const auto attempt = cursor.find("attempt")) block.attempt = static_cast<unsigned>(attempt->integer(0, 1));
  std::size_t samples = 0;
  for (const auto& [name, values] : cursor["nanoseconds"].members()) {
    const auto clock = std::find_if(std::begin(clocks), std::end(clocks),
                                    [&wanted = name](Clock candidate) { return name_of(candidate) == wanted; });
    if (clock == std::end(clocks)) {
      values.fault("unknown clock; known: wall, thread, process, tree, interval, device");
      break;
    }
    auto& series = block.nanoseconds[*clock] = values.integers(0, longest_sample_ns);
    if (series.empty()) values.fault("a block needs at least one sample");
    if (samples != 0 && series.size() != samples) values.fault("every clock needs as many samples as the others");
    samples = series.size();
  }
  if (samples == 0) cursor["nanoseconds"].fault("a block needs at least one clock");
  if (const auto forced = cursor.find("forced")) {
    block.forced = forced->integers(0);
    if (block.forced.size() != samples) forced->fault("needs one count for each sample");
  }
  if (const auto indicators = cursor.find("indicators"))
    for (const auto& [name, count] : indicator_names)
      if (const auto value = indicators->find(name)) block.indicators.*count = value->integer();
  if (const auto references = cursor.find("references"))
    for (const ReferenceKernel kernel : reference_kernels)
      if (const auto readings = references->find(name_of(kernel)))
        block.references[kernel] = readings->integers(1, longest_sample_ns);
  if (const auto spent = cursor.find("spent_ns")) block.spent_ns = spent->integer(0, longest_sample_ns);
  if (const auto ticks = cursor.find("steal_ticks")) block.steal_ticks = ticks->integer();
  if (const auto disturbed = cursor.find("disturbed")) block.disturbed = disturbed->string();
  return block;
}

}  // namespace bindgate
