// What the turn loop adds to an operation: a case driven through the whole conversation against a bare loop over the
// same operation, in one process on one CPU, taking turns.

#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "comparison.hpp"
#include "support/clocks.hpp"
#include "support/program.hpp"
#include "support/session.hpp"

namespace bindgate {
namespace {

constexpr std::int64_t block_ns = 5'000'000, sample_ns = 300'000;

// A chain of multiplications: nothing but its length decides how long it takes.
struct Operation {
  std::int64_t length = 0;
  std::uint64_t value = 1;

  std::uint64_t operator()() {
    for (std::int64_t i = 0; i < length; ++i) value = value * 0x9e3779b97f4a7c15u + 1;
    return value;
  }
};

std::int64_t time_ns(Operation& operation, std::int64_t count) {
  const std::int64_t start = wall_clock_ns();
  for (; count > 0; --count) {
    auto result = operation();
    benchmark::DoNotOptimize(result);
  }
  return wall_clock_ns() - start;
}

Operation operation_of(std::int64_t nanoseconds) {
  Operation operation{1'000'000};
  time_ns(operation, 20);
  const double each = static_cast<double>(time_ns(operation, 100)) / 100;
  operation.length = static_cast<std::int64_t>(1e6 * static_cast<double>(nanoseconds) / each);
  return operation;
}

/// The harness's end of a conversation with a program that runs in another thread of this process.
class Partner {
 public:
  Partner(int command, int reply) : command_(command), reply_(reply) {}

  protocol::Reply ask(const protocol::Command& command) {
    if (!write_all(command_, protocol::encode(command) + "\n")) give_up("the conversation broke");
    return receive();
  }
  protocol::Reply receive() {
    std::string line;
    for (char c = 0; read(reply_, &c, 1) == 1 && c != '\n';) line += c;
    auto reply = protocol::parse_reply(line, "program");
    if (!reply) give_up(reply.error().message);
    return *std::move(reply);
  }

 private:
  int command_, reply_;
};

/// Per turn, (through the turn loop) / (bare) of the median time per iteration.
std::vector<double> compare(std::int64_t nanoseconds, unsigned turns) {
  int commands[2], replies[2];  // read, write
  if (pipe(commands) != 0 || pipe(replies) != 0) give_up("no pipe to be had");
  const Descriptor command(commands[1]), reply_end(replies[0]);  // the others are the session's to close
  setenv(protocol::command_descriptor, std::to_string(commands[0]).c_str(), 1);
  setenv(protocol::reply_descriptor, std::to_string(replies[1]).c_str(), 1);
  Operation measured = operation_of(nanoseconds), bare = measured;
  std::thread thread([&] {
    Program program("speed");
    CaseInfo info;
    info.name = "speed/operation";
    program.add(info, [&](State& state) { measure(state, std::ref(measured), [] { return Result<void>(); }); });
    if (program.run(0, nullptr, 1) != 0) give_up("the program failed");
  });
  Partner partner(command.get(), reply_end.get());
  partner.receive();
  if (!std::holds_alternative<protocol::Ready>(partner.ask(protocol::Begin{"speed/operation"})))
    give_up("the case is not ready");
  const std::int64_t batch = std::max<std::int64_t>(1, sample_ns / nanoseconds);
  const auto samples = static_cast<unsigned>(std::max<std::int64_t>(1, block_ns / (batch * nanoseconds)));
  std::vector<double> ratios;
  for (unsigned turn = 0; turn < turns; ++turn) {
    const auto reply = partner.ask(protocol::Turn{turn, samples, batch, {}});
    const auto* block = std::get_if<Block>(&reply);
    if (!block) give_up("a turn without a block");
    const auto& through = block->nanoseconds.at(Clock::wall);
    std::vector<double> alone;
    time_ns(bare, batch);  // the lead-in that the other has too
    for (unsigned i = 0; i < samples; ++i) alone.push_back(static_cast<double>(time_ns(bare, batch)));
    ratios.push_back(median(std::vector<double>(through.begin(), through.end())) / median(alone));
  }
  partner.ask(protocol::Next{});
  if (!write_all(command.get(), protocol::encode(protocol::Exit{}) + "\n")) give_up("the conversation broke");
  thread.join();
  return ratios;
}

void stay_on_one_cpu() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) give_up("sched_setaffinity was refused");
}

}  // namespace
}  // namespace bindgate

int main(int argc, char** argv) {
  using namespace bindgate;
  const auto turns = static_cast<unsigned>(argc > 1 ? std::max(1, std::atoi(argv[1])) : 2000);
  stay_on_one_cpu();
  print_comparison("turn loop / bare loop, operation of 1 us", "turns", compare(1'000, turns), {0.98, 1.02});
  for (const int microseconds : {10, 100, 1000})
    print_comparison("turn loop / bare loop, operation of " + std::to_string(microseconds) + " us", "turns",
                     compare(1000 * microseconds, turns), {0.999, 1.001});
}
