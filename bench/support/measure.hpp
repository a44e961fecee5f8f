#pragma once
// What the author of a case works with: set up, then hand operation and check to measure(). Whether a person
// or the harness started the program decides how the operation is driven; the author's code is the same.

#include <benchmark/benchmark.h>

#include <concepts>
#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "samples/protocol.hpp"
#include "support/turn.hpp"

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

  State(const CaseInfo& case_info, unsigned thread_count, benchmark::State& loop);  ///< started by hand
  State(const CaseInfo& case_info, unsigned thread_count, Session& session);        ///< started by the harness
  [[nodiscard]] benchmark::State* loop() const { return loop_; }
  [[nodiscard]] bool measured() const { return measured_; }
  [[nodiscard]] const std::vector<protocol::Range>& ranges() const { return ranges_; }
  void check_first(const Iterate& iterate, const Check& check);
  void serve(const Iterate& iterate, const Check& check);
  void report_rates();

 private:
  benchmark::State* loop_ = nullptr;
  Session* session_ = nullptr;
  std::vector<protocol::Range> ranges_;
  bool measured_ = false;
};

/// Ends the case as "not run: REASON": this machine or build cannot run it, which is no failure.
[[noreturn]] void not_run(std::string reason);

/// Measures `operation`. A result that it returns is kept alive; what it writes elsewhere is treated as read.
/// A failed check, and any exception, fails the case.
template <std::invocable Operation>
void measure(State& state, Operation operation, const Check& check) {
  const auto once = [&operation] {
    if constexpr (std::is_void_v<std::invoke_result_t<Operation&>>) {
      operation();
    } else {
      auto result = operation();
      benchmark::DoNotOptimize(result);
    }
    benchmark::ClobberMemory();
  };
  const auto iterate = [&once](std::int64_t count) {
    for (; count > 0; --count) once();
  };
  if (!state.loop()) return state.serve(iterate, check);
  state.check_first(iterate, check);
  for (auto _ : *state.loop()) once();
  state.report_rates();
}

}  // namespace bindgate
