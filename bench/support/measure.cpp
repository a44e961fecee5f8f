#include "support/measure.hpp"

#include <utility>

#include "support/clocks.hpp"
#include "support/session.hpp"

namespace bindgate {

State::State(const CaseInfo& case_info, unsigned thread_count, benchmark::State& loop)
    : info(case_info), threads(thread_count), loop_(&loop) {}

State::State(const CaseInfo& case_info, unsigned thread_count, Session& session)
    : info(case_info), threads(thread_count), session_(&session) {}

void State::working_set(const void* start, std::size_t bytes) {
  ranges_.push_back({reinterpret_cast<std::uintptr_t>(start), bytes});
}

protocol::Ready State::ready(std::vector<std::int64_t> warmup_ns) const {
  return {std::move(warmup_ns), ranges_, threads, moves_};
}

void State::check_first(const Driven& driven, const Check& check) {
  measured_ = true;
  if (driven.times_itself != (info.primary == Clock::interval))
    throw protocol::Failed{driven.times_itself ? "the operation returns an interval, but that is not its primary clock"
                                               : "its primary clock is interval, but the operation returns none"};
  driven.iterate(1);
  if (const auto right = check(); !right) throw protocol::Failed{right.error().message};
}

void State::serve(const Driven& driven, const Check& check) {
  std::int64_t first_ns = 0;
  const auto timed = [&](std::int64_t count) {
    const std::int64_t start = wall_clock_ns(), interval = driven.iterate(count);
    first_ns = wall_clock_ns() - start;
    return interval;
  };
  check_first({timed, driven.times_itself}, check);
  session_->serve(*this, driven, first_ns);
}

void State::report_rates() {
  using benchmark::Counter;
  const auto add = [&](const std::string& name, double per_iteration) {
    if (per_iteration > 0) loop_->counters[name] = Counter(per_iteration, Counter::kIsIterationInvariantRate);
  };
  add("FLOP", info.operations);
  add("B", info.bytes);
  add(info.item, info.items);
  if (!info.label.empty()) loop_->SetLabel(info.label);
}

void not_run(std::string reason) { throw protocol::NotRun{std::move(reason)}; }

}  // namespace bindgate
