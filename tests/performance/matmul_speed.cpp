// Whether bench_matmul's times are those of LibTorch's product: the program, served as the harness serves it, against a
// bare loop over at::mm_out here, on one CPU with one thread each, taking turns; a fresh process a round.

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "comparison.hpp"
#include "runner/launch_client.hpp"
#include "support/clocks.hpp"
#include "support/generator.hpp"

extern char** environ;

namespace bindgate {
namespace {

constexpr unsigned turns = 100;
constexpr std::int64_t block_ns = 5'000'000;

at::Tensor random_square(std::int64_t size, Generator& generator) {
  at::Tensor tensor = at::empty({size, size});
  fill({tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())}, generator);
  return tensor;
}

template <class T>
T expect(Answer<T> answer) {
  if (!answer) give_up(answer.error().how);
  return *std::move(answer);
}

// Median over turns of (bench_matmul) / (bare loop).
double compare(const std::string& program, std::int64_t size, unsigned cpu) {
  Generator generator(1);
  const at::Tensor a = random_square(size, generator), b = random_square(size, generator);
  at::Tensor c = at::empty({size, size});
  const auto bare_ns = [&] {
    const std::int64_t start = wall_clock_ns();
    at::mm_out(c, a, b);
    return wall_clock_ns() - start;
  };
  LaunchOrder order;
  order.path = program;
  order.placement.cpus.insert(cpu);
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    order.inherited[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
  }
  const StopRequest stop;
  auto client = LaunchClient::start(order, {}, stop);
  if (!client) give_up(client.error().message);
  expect(client->hello());
  const std::string shape = std::to_string(size);
  const auto ready = expect(client->begin("matmul/f32/" + shape + 'x' + shape + 'x' + shape));
  if (!std::holds_alternative<protocol::Ready>(ready)) give_up("the case is not ready");
  for (int i = 0; i < 20; ++i) bare_ns();
  const auto samples = static_cast<unsigned>(std::max<std::int64_t>(1, block_ns / bare_ns()));
  std::vector<double> ratios;
  for (unsigned turn = 0; turn < turns; ++turn) {
    const protocol::Turn command{turn, samples, 1, {}};
    if (const auto asked = client->ask_turn(command); !asked) give_up(asked.error().how);
    const auto answer = expect(client->hear_turn(command));
    const auto* block = std::get_if<Block>(&answer);
    if (!block) give_up("a turn without a block");
    const auto& through = block->nanoseconds.at(Clock::wall);
    bare_ns();  // the lead-in that the program has too
    std::vector<double> alone;
    for (unsigned i = 0; i < samples; ++i) alone.push_back(static_cast<double>(bare_ns()));
    ratios.push_back(median(std::vector<double>(through.begin(), through.end())) / median(alone));
  }
  expect(client->next());
  client->finish();
  return median(ratios);
}

}  // namespace
}  // namespace bindgate

int main(int argc, char** argv) {
  using namespace bindgate;
  if (argc < 2) give_up("usage: matmul_speed BENCH_MATMUL [ROUNDS]");
  const int rounds = argc > 2 ? std::max(1, std::atoi(argv[2])) : 12;
  const int cpu = sched_getcpu();
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) give_up("sched_setaffinity was refused");
  at::set_num_threads(1);
  for (const int size : {256, 512}) {
    std::vector<double> ratios;
    for (int round = 0; round < rounds; ++round)
      ratios.push_back(compare(std::filesystem::absolute(argv[1]), size, static_cast<unsigned>(cpu)));
    print_comparison("bench_matmul / bare at::mm_out, " + std::to_string(size), "rounds", ratios, {0.995, 1.005});
  }
}
