// A program without LibTorch whose memory is real: each case touches 64 MiB and then reads them, timed.
// memory/plain does as it was bound; memory/escapes widens its own CPU mask; memory/strays binds its memory to a node
// of its own choice (the highest that exists) before touching it: both must be found out. memory/left-behind touches
// its memory from a CPU outside its binding, as a loader that was started before the binding does, and then comes back;
// numa_balancing may move those pages from the first turn on, and not before anybody looks.
// memory/helpers starts a thread and a process that sleep, as data loaders do between batches.
// MEMORY_MIB=N touches that much instead, and MEMORY_BESIDE_MIB=N as much again that is not reported.
// MEMORY_FEW_TURNS=1 claims slow operations, which get as few turns as any.

#include <linux/mempolicy.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "conversation.hpp"
#include "core/index_set.hpp"

namespace {

using namespace bindgate;
using namespace bindgate::protocol;
using children::hear;
using children::say;

constexpr std::size_t page = 4096;

std::size_t bytes_of(const char* variable, std::size_t otherwise_mib) {
  const char* mib = std::getenv(variable);
  return (mib ? std::stoull(mib) : otherwise_mib) << 20;
}
std::size_t bytes() { return bytes_of("MEMORY_MIB", 64); }

std::int64_t now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

unsigned highest_node() {
  const auto nodes = IndexSet::parse(read_line_of("/sys/devices/system/node/has_memory"));
  return nodes ? nodes->last().value_or(0) : 0;
}

class Memory {
 public:
  explicit Memory(std::size_t bytes, bool held = false)
      : bytes_(bytes),
        start_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
        held_(held) {
    // The kernel does not balance a mapping that has a policy of its own.
    if (held_) set_policy(MPOL_LOCAL);
    for (std::size_t i = 0; i < bytes_; i += page) at(i) = 1;
  }
  ~Memory() { munmap(start_, bytes_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  void let_go() {
    if (std::exchange(held_, false)) set_policy(MPOL_DEFAULT);
  }
  void read() {
    char sum = 0;
    for (std::size_t i = 0; i < bytes_; i += page) sum = static_cast<char>(sum + at(i));
    at(0) = sum;
  }
  [[nodiscard]] Range range() const { return {reinterpret_cast<std::uintptr_t>(start_), bytes_}; }

 private:
  volatile char& at(std::size_t i) { return static_cast<volatile char*>(start_)[i]; }
  void set_policy(int policy) {
    if (syscall(SYS_mbind, start_, bytes_, policy, nullptr, 0, 0) != 0) std::exit(8);
  }
  std::size_t bytes_;
  void* start_;
  bool held_;
};

class Helpers {
 public:
  Helpers() {
    auto named = make_pipe(), end = make_pipe();
    if (!named || !end) std::exit(7);
    process_ = fork();
    if (process_ == 0) {
      end->write.close();
      prctl(PR_SET_NAME, "worker");
      if (write_all(named->write.get(), "!")) sleep_until_closed(end->read);
      _exit(0);
    }
    named->write.close();
    sleep_until_closed(named->read);
    thread_ = std::thread([read = std::move(end->read)] { sleep_until_closed(read); });
    pthread_setname_np(thread_.native_handle(), "loader");
    end_ = std::move(end->write);
  }
  ~Helpers() {
    end_.close();
    thread_.join();
    waitpid(process_, nullptr, 0);
  }
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;

 private:
  // Or until there is something to read.
  static void sleep_until_closed(const Descriptor& pipe) {
    char byte = 0;
    while (read(pipe.get(), &byte, 1) < 0) continue;
  }
  pid_t process_ = 0;
  std::thread thread_;
  Descriptor end_;
};

Block take(const Turn& turn, Memory& memory) {
  Block block;
  block.turn = turn.turn;
  memory.let_go();
  for (unsigned i = 0; i < turn.samples; ++i) {
    const std::int64_t wall = now(CLOCK_MONOTONIC), thread = now(CLOCK_THREAD_CPUTIME_ID);
    for (std::int64_t pass = 0; pass < turn.batch; ++pass) memory.read();
    block.nanoseconds[Clock::thread].push_back(now(CLOCK_THREAD_CPUTIME_ID) - thread);
    block.nanoseconds[Clock::wall].push_back(now(CLOCK_MONOTONIC) - wall);
  }
  return block;
}

void escape() {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &all);
  sched_setaffinity(0, sizeof all, &all);
}

std::unique_ptr<Memory> memory_for(const std::string& name) {
  cpu_set_t bound;
  sched_getaffinity(0, sizeof bound, &bound);
  if (name == "memory/escapes") escape();
  if (name == "memory/strays") {
    const unsigned long nodes = 1ul << highest_node();
    syscall(SYS_set_mempolicy, MPOL_BIND, &nodes, 8 * sizeof nodes + 1);
  }
  if (name == "memory/left-behind") {
    escape();
    cpu_set_t outside;
    sched_getaffinity(0, sizeof outside, &outside);
    CPU_XOR(&outside, &outside, &bound);
    if (CPU_COUNT(&outside) == 0) return nullptr;
    sched_setaffinity(0, sizeof outside, &outside);
    auto memory = std::make_unique<Memory>(bytes(), true);
    sched_setaffinity(0, sizeof bound, &bound);
    return memory;
  }
  return std::make_unique<Memory>(bytes());
}

Ready warm_up(Memory& memory) {
  Ready ready;
  for (int i = 0; i < 5; ++i) {
    const std::int64_t start = now(CLOCK_MONOTONIC);
    memory.read();
    ready.warmup_ns.push_back(std::getenv("MEMORY_FEW_TURNS") ? 1'000'000'000 : now(CLOCK_MONOTONIC) - start);
  }
  ready.ranges = {memory.range()};
  return ready;
}

}  // namespace

int main() {
  Hello hello;
  hello.program = "child_memory";
  hello.build_type = "Release";
  for (const char* name : {"memory/plain", "memory/escapes", "memory/strays", "memory/left-behind", "memory/helpers"}) {
    CaseInfo info;
    info.name = name;
    info.bytes = static_cast<double>(bytes());
    info.preemption = Preemption::cpu_gap;
    info.profile = hello.cases.empty() ? Profile::quick : Profile::thorough;
    hello.cases.push_back(info);
  }
  say(hello);
  std::unique_ptr<Memory> memory, beside;
  std::unique_ptr<Helpers> helpers;
  while (const auto command = hear()) {
    if (const auto* begin = std::get_if<Begin>(&*command)) {
      memory = memory_for(begin->case_name);
      if (begin->case_name == "memory/helpers") helpers = std::make_unique<Helpers>();
      if (const std::size_t more = bytes_of("MEMORY_BESIDE_MIB", 0)) beside = std::make_unique<Memory>(more);
      if (memory) say(warm_up(*memory));
      else say(NotRun{"no CPU is outside the binding"});
    } else if (const auto* turn = std::get_if<Turn>(&*command)) {
      say(take(*turn, *memory));
    } else if (std::holds_alternative<Next>(*command)) {
      memory.reset();
      beside.reset();
      helpers.reset();
      say(Done{});
    } else {
      return 0;
    }
  }
  return 0;
}
