#include "support/turn.hpp"

#include <sched.h>

#include "support/clocks.hpp"

namespace bindgate {
namespace {

constexpr std::int64_t millisecond = 1'000'000;

struct Instant {
  std::int64_t wall = 0, thread = 0, process = 0, workers = 0;
};

// The wall clock is the innermost: it is the one that must not pay for reading the others.
Instant read_start(const Workers* workers) {
  Instant now;
  if (workers) now.workers = workers->cpu_ns();
  now.process = read_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  now.thread = read_clock_ns(CLOCK_THREAD_CPUTIME_ID);
  now.wall = wall_clock_ns();
  return now;
}

Instant read_stop(const Workers* workers) {
  Instant now;
  now.wall = wall_clock_ns();
  now.thread = read_clock_ns(CLOCK_THREAD_CPUTIME_ID);
  now.process = read_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  if (workers) now.workers = workers->cpu_ns();
  return now;
}

std::int64_t forced_switches(const Workers* workers) {
  return read_usage().ru_nivcsw + (workers ? workers->forced_switches() : 0);
}

}  // namespace

std::vector<std::int64_t> warm_up(const Iterate& iterate, std::int64_t first_ns) {
  static constexpr std::size_t most_recorded = 1000;
  std::vector<std::int64_t> series{first_ns};
  series.reserve(most_recorded);
  std::int64_t spent = first_ns;
  for (std::size_t done = 1;; ++done) {
    if (done >= 2 && spent >= 2000 * millisecond) return series;
    if (done >= 10 && spent >= 250 * millisecond) return series;
    const std::int64_t start = wall_clock_ns();
    iterate(1);
    const std::int64_t took = wall_clock_ns() - start;
    spent += took;
    if (series.size() < most_recorded) series.push_back(took);
  }
}

Block take_turn(const protocol::Turn& turn, const Driven& driven, References& references, const Workers* workers,
                const EventCounts* events) {
  Block block;
  block.turn = turn.turn;
  const auto series_of = [&](Clock clock) -> std::vector<std::int64_t>& {
    auto& series = block.nanoseconds[clock];
    series.resize(turn.samples);
    return series;
  };
  auto& wall = series_of(Clock::wall);
  auto& thread = series_of(Clock::thread);
  auto& process = series_of(Clock::process);
  auto* tree = workers ? &series_of(Clock::tree) : nullptr;
  auto* intervals = driven.times_itself ? &series_of(Clock::interval) : nullptr;
  block.forced.resize(turn.samples);

  for (const ReferenceKernel kernel : turn.references) block.references[kernel] = references.read(kernel);

  const std::int64_t lead_in = wall_clock_ns();
  do driven.iterate(1);
  while (wall_clock_ns() - lead_in < 3 * millisecond / 10);

  const auto counted = events ? events->read() : EventCounts::Reading{};
  const rusage before = read_usage();
  const std::int64_t forced_before = forced_switches(workers);
  std::int64_t forced = forced_before, migrations = 0;
  int cpu = sched_getcpu();
  for (std::size_t i = 0; i < turn.samples; ++i) {
    const Instant start = read_start(workers);
    const std::int64_t interval = driven.iterate(turn.batch);
    const Instant stop = read_stop(workers);
    wall[i] = stop.wall - start.wall;
    thread[i] = stop.thread - start.thread;
    process[i] = stop.process - start.process;
    if (tree) (*tree)[i] = process[i] + stop.workers - start.workers;
    if (intervals) (*intervals)[i] = interval;
    const std::int64_t forced_now = forced_switches(workers);
    block.forced[i] = forced_now - forced;
    forced = forced_now;
    const int cpu_now = sched_getcpu();
    migrations += cpu_now != cpu;
    cpu = cpu_now;
  }
  const rusage after = read_usage();
  block.indicators = {.minor_faults = after.ru_minflt - before.ru_minflt,
                      .major_faults = after.ru_majflt - before.ru_majflt,
                      .voluntary_switches = after.ru_nvcsw - before.ru_nvcsw,
                      .forced_switches = forced - forced_before,
                      .migrations = migrations};
  if (events) EventCounts::fill(block.indicators, counted, events->read());
  return block;
}

}  // namespace bindgate
