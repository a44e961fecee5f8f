#pragma once
// What the author of a case works with: set up, then hand operation and check to measure(). Whether a person
// or the harness started the program decides how the operation is driven; the author's code is the same.

#include <benchmark/benchmark.h>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "samples/protocol.hpp"
#include "support/turn.hpp"
#include "support/workers.hpp"

namespace bindgate {

class Session;

/// Compares the operation's outputs with expected values; runs after the operation has run once.
using Check = std::function<Result<void>()>;

/// One case while it is set up and measured. What an author may not need to know is at the end.
class State {
 public:
  const CaseInfo& info;
  unsigned threads;  ///< compute threads that the case shall use; a case that uses fewer lowers it before measure()

  /// Memory that the operation works on; the harness proves on which nodes its pages lie.
  void working_set(const void* start, std::size_t bytes);
  /// Processes that work for the case: their CPU time and forced switches count as its own.
  void workers(const std::vector<pid_t>& processes) { workers_.emplace(processes); }
  /// The case itself narrows the masks of its threads, always within the CPUs that it was given; it gives them back
  /// before it ends.
  void moves() { moves_ = true; }
  /// What the case found out beside its times, told after measure(): "share_waiting", 0.31.
  void figure(const std::string& name, double value) { figures_[name] = value; }

  State(const CaseInfo& case_info, unsigned thread_count, benchmark::State& loop);  ///< started by hand
  State(const CaseInfo& case_info, unsigned thread_count, Session& session);        ///< started by the harness
  [[nodiscard]] benchmark::State* loop() const { return loop_; }
  [[nodiscard]] bool measured() const { return measured_; }
  [[nodiscard]] protocol::Ready ready(std::vector<std::int64_t> warmup_ns) const;
  [[nodiscard]] protocol::Done done() const { return {figures_}; }
  [[nodiscard]] const Workers* workers() const { return workers_ ? &*workers_ : nullptr; }
  void check_first(const Driven& driven, const Check& check);
  void serve(const Driven& driven, const Check& check);
  void report_rates();

 private:
  benchmark::State* loop_ = nullptr;
  Session* session_ = nullptr;
  std::vector<protocol::Range> ranges_;
  std::optional<Workers> workers_;
  std::map<std::string, double> figures_;
  bool moves_ = false, measured_ = false;
};

/// Ends the case as "not run: REASON": this machine or build cannot run it, which is no failure.
[[noreturn]] void not_run(std::string reason);

/// Measures `operation`. A result that it returns is kept alive; what it writes elsewhere is treated as read.
/// An operation whose result is a std::chrono::nanoseconds times a part of itself: that is its `interval` clock.
/// A failed check, and any exception, fails the case.
template <std::invocable Operation>
void measure(State& state, Operation operation, const Check& check) {
  using Outcome = std::invoke_result_t<Operation&>;
  static constexpr bool times_itself = std::same_as<Outcome, std::chrono::nanoseconds>;
  const auto once = [&operation]() -> std::int64_t {
    std::int64_t interval = 0;
    if constexpr (std::is_void_v<Outcome>) {
      operation();
    } else {
      auto result = operation();
      benchmark::DoNotOptimize(result);
      if constexpr (times_itself) interval = result.count();
    }
    benchmark::ClobberMemory();
    return interval;
  };
  const auto iterate = [&once](std::int64_t count) {
    std::int64_t interval = 0;
    for (; count > 0; --count) interval += once();
    return interval;
  };
  if (!state.loop()) return state.serve({iterate, times_itself}, check);
  state.check_first({iterate, times_itself}, check);
  for (auto _ : *state.loop()) {
    const std::int64_t interval = once();
    if constexpr (times_itself) state.loop()->SetIterationTime(1e-9 * static_cast<double>(interval));
  }
  state.report_rates();
}

}  // namespace bindgate
