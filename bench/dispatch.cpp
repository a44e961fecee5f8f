// What it costs to hand work over: to threads, between threads, and from one CPU to another.

#include <ATen/Parallel.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <string>

#include "dispatch/pairs.hpp"
#include "dispatch/ping_pong.hpp"
#include "dispatch/sleeper.hpp"
#include "dispatch/spin_barrier.hpp"
#include "dispatch/steps.hpp"
#include "support/libtorch.hpp"
#include "support/measure.hpp"

namespace bindgate {
namespace {

using Milliseconds = std::chrono::milliseconds;

CaseInfo describe(const std::string& name, double items, const char* item) {
  CaseInfo info;
  info.name = "dispatch/" + name;
  info.items = items;
  info.item = item;
  return info;
}

void require_threads(const State& state, unsigned threads) {
  if (threads > state.threads) not_run("the placement has " + std::to_string(state.threads) + " threads");
}

Result<void> require_equal(const std::string& what, std::uint64_t expected, std::uint64_t found) {
  if (expected == found) return {};
  return fail(what + ": expected " + std::to_string(expected) + ", found " + std::to_string(found));
}

constexpr std::int64_t indices = 4096;

void parallel_for(State& state, unsigned threads, std::int64_t grain) {
  require_threads(state, threads);
  state.threads = threads;
  const TorchThreads torch_threads(threads);
  std::vector<std::uint32_t> visits(indices);
  std::atomic<std::uint64_t> pieces = 0;
  measure(
      state,
      [&] {
        at::parallel_for(0, indices, grain, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
          pieces.fetch_add(1, std::memory_order_relaxed);
        });
      },
      [&]() -> Result<void> {
        for (std::size_t i = 0; i < visits.size(); ++i)
          if (auto once = require_equal("visits of index " + std::to_string(i), 1, visits[i]); !once) return once;
        const auto most = static_cast<std::uint64_t>((indices + grain - 1) / grain);
        return require_equal("pieces of the range", std::min<std::uint64_t>(threads, most), pieces);
      });
}

struct alignas(64) Count {
  std::atomic<std::uint64_t> value = 0;
};

// Every thread crosses `crossings` times; after each crossing of the check nobody may be behind.
template <class Barrier>
void cross(State& state, unsigned threads, unsigned crossings, Barrier& barrier) {
  state.threads = threads;
  Team team(threads, "barrier");
  std::vector<Count> crossed(threads);
  const std::function<void(unsigned)> work = [&](unsigned member) {
    for (unsigned i = 0; i < crossings; ++i) {
      crossed[member].value.fetch_add(1, std::memory_order_relaxed);
      barrier.arrive_and_wait();
    }
  };
  measure(
      state, [&] { team.run(work); },
      [&]() -> Result<void> {
        for (const Count& count : crossed)
          if (auto right = require_equal("crossings of a thread", crossings, count.value); !right) return right;
        std::atomic<std::uint64_t> behind = 0;
        team.run([&](unsigned member) {
          for (unsigned i = 1; i <= crossings; ++i) {
            crossed[member].value.fetch_add(1, std::memory_order_relaxed);
            barrier.arrive_and_wait();
            for (const Count& count : crossed) behind += count.value.load(std::memory_order_relaxed) < crossings + i;
          }
        });
        return require_equal("threads behind the barrier", 0, behind);
      });
}

constexpr unsigned sleeping_crossings = 100, spinning_crossings = 1'000;

void sleeping_barrier(State& state, unsigned threads) {
  require_threads(state, threads);
  std::barrier<> barrier(threads);
  cross(state, threads, sleeping_crossings, barrier);
}

void spinning_barrier(State& state, unsigned threads) {
  require_threads(state, threads);
  if (threads > allowed_cpus().size()) not_run("spinning threads need a CPU each");
  SpinBarrier barrier(threads);
  cross(state, threads, spinning_crossings, barrier);
}

void wake(State& state, Milliseconds idle) {
  state.threads = 1;  // one works while the other sleeps
  Sleeper sleeper;
  measure(
      state, [&] { return sleeper.wake(idle); }, [&] { return require_equal("wake-ups", 1, sleeper.wakes()); });
}

constexpr std::uint64_t rounds_per_step = 256 * 1024;  // for each CPU

void oversubscribe(State& state, unsigned factor) {
  Team team(factor * state.threads, "shared");
  SharedSteps steps(team, rounds_per_step * state.threads);
  measure(
      state, [&] { steps.run(); }, [&] { return steps.check(); });
}

constexpr std::uint64_t round_trips = 100;

void switch_by_pipe(State& state, bool bound) {
  state.threads = 1;  // one runs while the other waits
  const KeptMask kept;
  std::optional<unsigned> cpu;
  if (bound) {
    state.moves();
    cpu = kept.cpus().first();
    if (!cpu) not_run("the kernel does not tell the allowed CPUs");
    run_on(IndexSet{*cpu});
  }
  PingPong players(cpu);
  measure(
      state, [&] { players.play(round_trips); },
      [&]() -> Result<void> {
        if (auto right = require_equal("echoes", round_trips, players.seen().echoes); !right) return right;
        if (!cpu) return {};
        if (auto right = require_equal("this thread's CPU", *cpu, static_cast<unsigned>(sched_getcpu())); !right)
          return right;
        return require_equal("echoes from another CPU", 0, players.seen().elsewhere);
      });
}

// Moves to a CPU and, where there are data, works on all of them.
class Mover {
 public:
  explicit Mover(std::size_t data_bytes) : data_(data_bytes / sizeof(std::uint64_t)) {}

  void go_to(unsigned cpu) {
    run_on(IndexSet{cpu});
    if (const int now = sched_getcpu(); now != static_cast<int>(cpu))
      throw std::runtime_error("moved to CPU " + std::to_string(cpu) + ", runs on CPU " + std::to_string(now));
    // Written too: lines that were only read would stay in both CPUs' caches, and no move would ever pay for them.
    for (std::uint64_t& value : data_) ++value;
    ++moves_;
  }
  [[nodiscard]] std::uint64_t moves() const { return moves_; }
  [[nodiscard]] const std::vector<std::uint64_t>& data() const { return data_; }

 private:
  std::vector<std::uint64_t> data_;
  std::uint64_t moves_ = 0;
};

constexpr std::size_t warm_bytes = std::size_t{256} << 10;

// To and fro between two CPUs, or, without a distance, from a CPU to itself.
void migrate(State& state, std::optional<Distance> distance, bool with_data) {
  state.threads = 1;
  state.moves();
  const KeptMask kept;
  CpuPair pair{kept.cpus().first().value_or(0), kept.cpus().first().value_or(0)};
  if (distance) {
    const auto found = find_pair(read_cpus(kept.cpus()), *distance);
    if (!found) not_run(std::string(why_no_pair(*distance)));
    pair = *found;
  }
  Mover mover(with_data ? warm_bytes : 0);
  state.working_set(mover.data().data(), mover.data().size() * sizeof(std::uint64_t));
  run_on(IndexSet{pair.from});
  unsigned next = pair.to, last = pair.from;
  measure(
      state,
      [&] {
        mover.go_to(next);
        std::swap(next, last);
      },
      [&]() -> Result<void> {
        if (auto right = require_equal("the CPU", last, static_cast<unsigned>(sched_getcpu())); !right) return right;
        for (const std::uint64_t value : mover.data())
          if (auto right = require_equal("passes over the data", mover.moves(), value); !right) return right;
        return require_equal("moves", 1, mover.moves());
      });
}

void add_forks(Program& program, unsigned threads, const std::string& word) {
  for (const std::int64_t grain : {std::int64_t{1}, indices / 2, indices}) {
    if (word == "1" && grain > 1) continue;  // one thread never forks
    CaseInfo info = describe("parallel_for/threads/" + word + "/grain/" + std::to_string(grain), 1, "fork-join");
    info.shape = {{"threads", word}, {"grain", std::to_string(grain)}, {"indices", std::to_string(indices)}};
    if (grain >= indices) info.label = "no fork: the range is one grain";
    program.add(info, [threads, grain](State& state) { parallel_for(state, threads, grain); });
  }
}

void add_barriers(Program& program, unsigned threads, const std::string& word) {
  program.add(describe("barrier/sleeping/threads/" + word, sleeping_crossings, "crossing"),
              [threads](State& state) { sleeping_barrier(state, threads); });
  program.add(describe("barrier/spinning/threads/" + word, spinning_crossings, "crossing"),
              [threads](State& state) { spinning_barrier(state, threads); });
}

void add_migrations(Program& program) {
  for (const bool with_data : {false, true}) {
    const std::string form = with_data ? "/with-data" : "/bare";
    const auto add = [&](const std::string& name, std::optional<Distance> distance) {
      CaseInfo info = describe("migrate/" + name + form, 1, "move");
      info.label = with_data ? "then one pass over 256 KiB that the old CPU wrote" : "";
      program.add(info, [distance, with_data](State& state) { migrate(state, distance, with_data); });
    };
    add("stay", std::nullopt);
    for (const Distance distance : distances) add(std::string(name_of(distance)), distance);
  }
}

// The same cases under every placement: powers of two up to the machine's CPUs, and all of the placement's.
void add_cases(Program& program, unsigned threads) {
  const auto online = static_cast<unsigned>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  for (unsigned count = 1; count == 1 || count < online; count *= 2) add_forks(program, count, std::to_string(count));
  add_forks(program, threads, "all");
  for (unsigned count = 2; count < online; count *= 2) add_barriers(program, count, std::to_string(count));
  add_barriers(program, threads, "all");
  for (const int idle : {0, 1, 10}) {
    CaseInfo info = describe("wake/idle-" + std::to_string(idle) + "ms", 1, "wake-up");
    info.primary = Clock::interval;
    info.preemption = Preemption::own;
    program.add(info, [idle](State& state) { wake(state, Milliseconds(idle)); });
  }
  for (const unsigned factor : {1u, 2u, 4u}) {
    CaseInfo info = describe("oversubscribed/" + std::to_string(factor) + "x", SharedSteps::steps, "step");
    if (factor > 1) info.preemption = Preemption::own;
    program.add(info, [factor](State& state) { oversubscribe(state, factor); });
  }
  for (const bool bound : {true, false}) {
    CaseInfo info = describe(bound ? "switch/pipe" : "switch/pipe-unbound", 2 * round_trips, "hand-over");
    info.preemption = Preemption::own;
    program.add(info, [bound](State& state) { switch_by_pipe(state, bound); });
  }
  add_migrations(program);
}

}  // namespace
}  // namespace bindgate

int main(int argc, char** argv) { return bindgate::run_with_libtorch("dispatch", argc, argv, bindgate::add_cases); }
