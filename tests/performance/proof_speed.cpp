// What proving a binding takes of one launch and case: a child holds memory under a bound policy and waits, and all
// that the runner asks of the kernel is asked. Meanwhile nobody measures, so it is time of the run, not of a block.

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "binding/proof.hpp"
#include "comparison.hpp"

namespace bindgate {
namespace {

using Clock = std::chrono::steady_clock;
constexpr unsigned turns = 100, launches = 11;
constexpr double most_ms = 100;

struct Held {
  int process = 0;
  protocol::Range range;
};

/// A process with `threads` that sleep and `bytes` of memory, every page of it written.
Held hold(std::uint64_t bytes, unsigned threads, bool huge) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) give_up("no memory: " + std::string(std::strerror(errno)));
  madvise(memory, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  int ready[2];
  if (pipe(ready) != 0) give_up("pipe: " + std::string(std::strerror(errno)));
  const int process = fork();
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::memset(memory, 1, bytes);
    for (unsigned i = 1; i < threads; ++i) std::thread([] { pause(); }).detach();
    if (write(ready[1], "x", 1) == 1)
      for (;;) pause();
    _exit(1);
  }
  char letter = 0;
  if (process < 0 || read(ready[0], &letter, 1) != 1) give_up("no child");
  close(ready[0]);
  close(ready[1]);
  munmap(memory, bytes);
  return {process, {reinterpret_cast<std::uintptr_t>(memory), bytes}};
}

/// Wall time in ms of the proof of one case: its beginning, every turn, its end.
double proof_ms(const Held& held, const Placement& placement, unsigned threads) {
  const auto start = Clock::now();
  Prover prover(held.process, placement, 2);  // two nodes: with one, pages need no proof
  prover.begin({&held.range, 1});
  for (unsigned turn = 0; turn < turns; ++turn) prover.check_threads(turn);
  const Proof proof = prover.conclude({&held.range, 1});
  const std::chrono::duration<double, std::milli> took = Clock::now() - start;
  if (proof.threads != threads || proof.node_bytes.empty())
    give_up("nothing was proven: " + std::string(name_of(proof.status)) + ": " + proof.detail);
  return took.count();
}

void measure(std::uint64_t bytes, unsigned threads, bool huge) {
  const Held held = hold(bytes, threads, huge);
  Placement placement;
  placement.cpus = *IndexSet::parse("0-" + std::to_string(std::thread::hardware_concurrency() - 1));
  placement.memory = {MemoryPolicy::bind, *IndexSet::parse("0")};
  std::vector<double> took;
  for (unsigned i = 0; i < launches; ++i) took.push_back(proof_ms(held, placement, threads));
  kill(held.process, SIGKILL);
  waitpid(held.process, nullptr, 0);
  const double middle = median(took);
  std::printf("%4llu MiB in %s pages, %2u threads, %u turns: median %.1f ms, fastest %.1f ms "
              "(goal at most %.0f ms): %s\n",
              static_cast<unsigned long long>(bytes >> 20), huge ? "huge" : "4 KiB", threads, turns, middle,
              *std::min_element(took.begin(), took.end()), most_ms, middle <= most_ms ? "met" : "NOT MET");
  std::fflush(stdout);
}

}  // namespace
}  // namespace bindgate

int main(int count, char** words) {
  const auto mebibytes = count > 1 ? std::strtoull(words[1], nullptr, 10) : 1024;
  if (mebibytes == 0) bindgate::give_up("usage: proof_speed [MEBIBYTES]");
  for (const unsigned threads : {1u, 8u})
    for (const bool huge : {false, true}) bindgate::measure(mebibytes << 20, threads, huge);
}
