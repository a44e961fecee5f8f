// A program without LibTorch whose memory is real: each case touches 64 MiB and then reads them, timed.
// memory/plain does as it was bound; memory/escapes widens its own CPU mask; memory/strays binds its memory to a node
// of its own choice (the highest that exists) before touching it: both must be found out.

#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <variant>

#include "conversation.hpp"

namespace {

using namespace bindgate;
using namespace bindgate::protocol;
using children::hear;
using children::say;

constexpr std::size_t bytes = std::size_t{64} << 20, page = 4096;

std::int64_t now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

unsigned highest_node() {
  unsigned node = 0;
  while (std::filesystem::exists("/sys/devices/system/node/node" + std::to_string(node + 1))) ++node;
  return node;
}

class Memory {
 public:
  Memory() : start_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    for (std::size_t i = 0; i < bytes; i += page) at(i) = 1;
  }
  ~Memory() { munmap(start_, bytes); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  void read() {
    char sum = 0;
    for (std::size_t i = 0; i < bytes; i += page) sum = static_cast<char>(sum + at(i));
    at(0) = sum;
  }
  [[nodiscard]] Range range() const { return {reinterpret_cast<std::uintptr_t>(start_), bytes}; }

 private:
  volatile char& at(std::size_t i) { return static_cast<volatile char*>(start_)[i]; }
  void* start_;
};

Block take(const Turn& turn, Memory& memory) {
  Block block;
  block.turn = turn.turn;
  for (unsigned i = 0; i < turn.samples; ++i) {
    const std::int64_t wall = now(CLOCK_MONOTONIC), thread = now(CLOCK_THREAD_CPUTIME_ID);
    for (std::int64_t pass = 0; pass < turn.batch; ++pass) memory.read();
    block.nanoseconds[Clock::thread].push_back(now(CLOCK_THREAD_CPUTIME_ID) - thread);
    block.nanoseconds[Clock::wall].push_back(now(CLOCK_MONOTONIC) - wall);
  }
  return block;
}

void misbehave(const std::string& name) {
  if (name == "memory/escapes") {
    cpu_set_t all;
    CPU_ZERO(&all);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &all);
    sched_setaffinity(0, sizeof all, &all);
  }
  if (name == "memory/strays") {
    const unsigned long nodes = 1ul << highest_node();
    syscall(SYS_set_mempolicy, MPOL_BIND, &nodes, 8 * sizeof nodes + 1);
  }
}

}  // namespace

int main() {
  Hello hello;
  hello.program = "child_memory";
  hello.build_type = "Release";
  for (const char* name : {"memory/plain", "memory/escapes", "memory/strays"}) {
    CaseInfo info;
    info.name = name;
    info.bytes = bytes;
    info.preemption = Preemption::cpu_gap;
    info.profile = hello.cases.empty() ? Profile::quick : Profile::thorough;
    hello.cases.push_back(info);
  }
  say(hello);
  std::unique_ptr<Memory> memory;
  while (const auto command = hear()) {
    if (const auto* begin = std::get_if<Begin>(&*command)) {
      misbehave(begin->case_name);
      memory = std::make_unique<Memory>();
      Ready ready;
      for (int i = 0; i < 5; ++i) {
        const std::int64_t start = now(CLOCK_MONOTONIC);
        memory->read();
        ready.warmup_ns.push_back(now(CLOCK_MONOTONIC) - start);
      }
      ready.ranges = {memory->range()};
      say(ready);
    } else if (const auto* turn = std::get_if<Turn>(&*command)) {
      say(take(*turn, *memory));
    } else if (std::holds_alternative<Next>(*command)) {
      memory.reset();
      say(Done{});
    } else {
      return 0;
    }
  }
  return 0;
}
