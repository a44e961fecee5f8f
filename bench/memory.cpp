// What memory gives under a binding: idle latency, and what threads read, write and copy from and to it.

#include <ATen/ops/from_blob.h>
#include <ATen/core/Tensor.h>
#include <unistd.h>

#include <cmath>
#include <string>

#include "memory/chase.hpp"
#include "memory/loops.hpp"
#include "memory/streams.hpp"
#include "support/libtorch.hpp"
#include "support/measure.hpp"

namespace bindgate {
namespace {

void require(const BufferPlan& plan) {
  if (const std::string reason = why_not_now(plan, read_memory()); !reason.empty()) not_run(reason);
}

void report_huge_pages(State& state, const HugeBuffer& buffer) {
  if (const auto share = buffer.huge_page_share()) state.figure("huge_page_share", *share);
}

constexpr std::size_t loads = 10'000;

void latency(State& state, const BufferPlan& plan) {
  require(plan);
  state.threads = 1;
  const HugeBuffer buffer(plan.bytes);
  const std::span lines(reinterpret_cast<ChaseLine*>(buffer.data()), plan.bytes / sizeof(ChaseLine));
  link_at_random(lines, 1);
  state.working_set(buffer.data(), buffer.bytes());
  const ChaseLine* line = lines.data();
  measure(
      state, [&] { line = chase(line, loads); },
      [&]() -> Result<void> {
        std::vector<bool> seen(lines.size());
        std::size_t position = 0;
        for (std::size_t i = 0; i < loads; ++i) {
          if (seen[position]) return fail("line " + std::to_string(position) + " comes twice in " + std::to_string(i));
          seen[position] = true;
          position = static_cast<std::size_t>(lines[position].next - lines.data());
        }
        if (line == &lines[position]) return {};
        return fail("expected to stop at line " + std::to_string(position) + ", found " +
                    std::to_string(line - lines.data()));
      });
  report_huge_pages(state, buffer);
}

void stream(State& state, Stream kind, unsigned threads, const BufferPlan& plan) {
  if (kind == Stream::write_streaming && !loops::has_write_streaming()) not_run("no stores that go past the caches");
  if (threads > state.threads) not_run("the placement has " + std::to_string(state.threads) + " threads");
  require(plan);
  state.threads = threads;
  Team team(threads, "memory");
  Streaming streaming(kind, plan.bytes, team);
  const HugeBuffer& buffer = streaming.arrays().buffer();
  state.working_set(buffer.data(), buffer.bytes());
  measure(
      state, [&] { streaming.step(); }, [&] { return streaming.check_first_step(); });
  report_huge_pages(state, buffer);
}

constexpr std::int64_t tensor_window = std::int64_t{32 * mebibyte / sizeof(float)};

// Two tensors of half the buffers, or one of all, and the window that walks through them.
void torch(State& state, bool copies, const BufferPlan& plan) {
  require(plan);
  const HugeBuffer buffer(plan.bytes);
  state.working_set(buffer.data(), buffer.bytes());
  const auto count = static_cast<std::int64_t>(plan.bytes / sizeof(float)) / (copies ? 2 : 1);
  auto* const start = reinterpret_cast<float*>(buffer.data());
  const at::Tensor to = at::from_blob(start, {count}).fill_(1);  // first touched by LibTorch's threads
  const at::Tensor from = copies ? at::from_blob(start + count, {count}).fill_(2) : at::Tensor();
  if (copies)
    for (std::int64_t i = 0; i < tensor_window; ++i) start[count + i] = static_cast<float>(i % 1021);
  std::int64_t position = 0;
  measure(
      state,
      [&] {
        at::Tensor window = to.narrow(0, position, tensor_window);
        copies ? window.copy_(from.narrow(0, position, tensor_window)) : window.fill_(written_value);
        position = (position + tensor_window) % count;
      },
      [&]() -> Result<void> {
        for (std::int64_t i = 0; i < count; ++i) {
          const double written = copies ? static_cast<double>(i % 1021) : written_value;
          const double expected = i < tensor_window ? written : 1;
          if (start[i] != expected)
            return fail("element " + std::to_string(i) + ": expected " + std::to_string(expected) + ", found " +
                        std::to_string(start[i]));
        }
        return {};
      });
  report_huge_pages(state, buffer);
}

CaseInfo describe(const std::string& name, const BufferPlan& plan, Profile profile) {
  CaseInfo info;
  info.name = "memory/" + name;
  info.label = plan.label();
  info.shape = {{"buffers_mib", std::to_string(plan.bytes / mebibyte)}};
  info.profile = profile;
  return info;
}

void add_stream(Program& program, Stream kind, unsigned threads, const std::string& word, const BufferPlan& plan) {
  const bool tonight = word == "all" && (kind == Stream::read || kind == Stream::copy || kind == Stream::triad);
  CaseInfo info = describe(name_of(kind) + "/threads/" + word, plan, tonight ? Profile::nightly : Profile::thorough);
  info.shape["threads"] = word;
  info.bytes = step_bytes(kind, threads);
  if (word == "1") info.preemption = Preemption::cpu_gap;
  program.add(info, [kind, threads, plan](State& state) { stream(state, kind, threads, plan); });
}

// The same cases under every placement: powers of two up to the machine's CPUs, and all of the placement's.
void add_streams(Program& program, unsigned threads, const BufferPlan& plan) {
  const auto online = static_cast<unsigned>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  for (const Stream kind : streams) {
    for (unsigned count = 1; count == 1 || count < online; count *= 2)
      add_stream(program, kind, count, std::to_string(count), plan);
    add_stream(program, kind, threads, "all", plan);
  }
}

void add_cases(Program& program, unsigned threads) {
  const BufferPlan plan = plan_buffers(last_level_bytes(read_cpus(allowed_cpus())), read_memory().total);
  CaseInfo info = describe("latency", plan, Profile::nightly);
  info.items = loads;
  info.item = "load";
  info.preemption = Preemption::cpu_gap;
  program.add(info, [plan](State& state) { latency(state, plan); });
  add_streams(program, threads, plan);
  for (const bool copies : {true, false}) {
    info = describe(copies ? "torch-copy" : "torch-fill", plan, Profile::thorough);
    info.bytes = static_cast<double>(tensor_window) * sizeof(float) * (copies ? 2 : 1);
    program.add(info, [copies, plan](State& state) { torch(state, copies, plan); });
  }
}

}  // namespace
}  // namespace bindgate

int main(int argc, char** argv) { return bindgate::run_with_libtorch("memory", argc, argv, bindgate::add_cases); }
