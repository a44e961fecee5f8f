// A bench program without LibTorch whose cases are right, wrong, broken, not run.

#include <chrono>
#include <stdexcept>

#include "support/program.hpp"

namespace {

using namespace bindgate;

void count(State& state) {
  int counter = 0;
  state.working_set(&counter, sizeof counter);
  measure(
      state, [&] { return ++counter; },
      [&] { return counter == 1 ? Result<void>() : fail("the check comes too late"); });
}

void break_after(State& state, int iterations) {
  int left = iterations;
  measure(
      state,
      [&left] {
        if (--left < 0) throw std::runtime_error("the operation broke");
        return left;
      },
      [] { return Result<void>(); });
}

// It says how long it took, moves its thread, and found something out.
void part_of_itself(State& state) {
  state.moves();
  measure(
      state, [] { return std::chrono::nanoseconds(250); }, [] { return Result<void>(); });
  state.figure("share_waiting", 0.25);
}

}  // namespace

int main(int argc, char** argv) {
  Program program("fake");
  const auto add = [&](const char* name, CaseBody body) {
    CaseInfo info;
    info.name = name;
    info.operations = 2;
    program.add(info, std::move(body));
  };
  add("fake/right", count);
  add("fake/right (a+b)[0]", count);
  add("fake/wrong", [](State& state) {
    measure(state, [] {}, []() -> Result<void> { return fail("element [3]: expected 1, found 2, bound 0"); });
  });
  add("fake/not-run", [](State&) { not_run("no such kernel"); });
  add("fake/broken-set-up", [](State&) { throw std::runtime_error("set-up broke"); });
  add("fake/broken-operation", [](State& state) { break_after(state, 0); });
  add("fake/broken-late", [](State& state) { break_after(state, 100'000'000); });
  add("fake/throws-a-number", [](State&) { throw 7; });
  add("fake/forgetful", [](State&) {});
  const auto add_interval = [&](const char* name, Clock primary, CaseBody body) {
    CaseInfo info;
    info.name = name;
    info.primary = primary;
    program.add(info, std::move(body));
  };
  add_interval("fake/interval", Clock::interval, part_of_itself);
  add_interval("fake/interval-undeclared", Clock::wall, part_of_itself);
  add_interval("fake/interval-lacking", Clock::interval, count);
  return program.run(argc, argv, 1);
}
