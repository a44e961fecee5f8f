// A program that is well-behaved in most launches and fails at some moment in the others: which, when and how
// follows from MOODY_SEED and the number of the launch, which is counted in the file MOODY_COUNTER. The launch that
// can remove the file MOODY_SPARED behaves. Its grandchildren are workers: they end when the life pipe does.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <variant>

#include "conversation.hpp"

namespace {

using namespace bindgate;
using namespace bindgate::protocol;
using children::hear;
using children::say;
using children::say_raw;

enum class Moment { hello, begin, turn, next, exit, none };
enum class Mood { crash, leave, status, hang, hang_on, rubbish, half_line, binary, wrong, twice, memory, worker, segment };
constexpr std::uint64_t moments = 5, moods = 13, bad_launches_of_100 = 40;

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// SplitMix64 (Steele, Lea and Flood 2014).
std::uint64_t mixed(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Appending is atomic, and the harness starts one launch at a time.
std::uint64_t number_of_launch() {
  const Descriptor counter(open(setting("MOODY_COUNTER").c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644));
  if (!counter || write(counter.get(), ".", 1) != 1) std::exit(7);
  return static_cast<std::uint64_t>(lseek(counter.get(), 0, SEEK_END));
}

[[noreturn]] void hang() {
  for (;;) pause();
}

[[noreturn]] void run_out_of_memory() {
  const rlimit limit{std::size_t{256} << 20, std::size_t{256} << 20};
  setrlimit(RLIMIT_AS, &limit);
  if (mmap(nullptr, std::size_t{2} << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
    std::fputs("std::bad_alloc\n", stderr);
  std::abort();
}

// Outside the process group, deaf to SIGTERM, with every pipe in its hands.
void leave_worker() {
  if (fork() != 0) return;
  setsid();
  std::signal(SIGTERM, SIG_IGN);
  char byte = 0;
  while (read(children::number_of(life_descriptor), &byte, 1) > 0) {
  }
  std::_Exit(0);
}

// Memory shared through /dev/shm that never has a name, so that no death can leave one.
void share_memory() {
  constexpr std::size_t bytes = std::size_t{1} << 20;
  const int segment = open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (segment < 0 || ftruncate(segment, bytes) != 0) return;
  void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, segment, 0);
  if (start == MAP_FAILED) return;
  *static_cast<volatile char*>(start) = 1;
  leave_worker();
}

// Comes back where the launch goes on, or its reply is now missing, or one too many.
void give_way_to(Mood mood) {
  switch (mood) {
    case Mood::crash:
      std::signal(SIGSEGV, SIG_DFL);
      std::raise(SIGSEGV);
      std::abort();
    case Mood::leave:
      std::_Exit(0);
    case Mood::status:
      std::_Exit(3);
    case Mood::hang_on:
      std::signal(SIGTERM, SIG_IGN);
      hang();
    case Mood::hang:
      hang();
    case Mood::rubbish:
      return say_raw("Traceback (most recent call last):\n");
    case Mood::half_line:
      say_raw("{\"reply\":\"blo");
      hang();
    case Mood::binary:
      return say_raw(std::string("\0\xff\x1b[2J\x80\n", 8));
    case Mood::wrong:
      return say(Failed{"expected 1, found 2"});
    case Mood::twice:
      return say(Done{});
    case Mood::memory:
      run_out_of_memory();
    case Mood::worker:
      return leave_worker();  // and goes on: whoever kills the harness now leaves it to its life pipe
    case Mood::segment:
      share_memory();
      std::abort();
  }
}

Block block_for(const Turn& turn) {
  Block block;
  block.turn = turn.turn;
  block.nanoseconds[Clock::wall].assign(turn.samples, 400'000);
  return block;
}

Hello hello() {
  Hello hello;
  hello.program = "child_moody";
  hello.build_type = "Release";
  CaseInfo info;
  info.name = "moody/case";
  info.profile = Profile::quick;
  hello.cases.push_back(info);
  return hello;
}

}  // namespace

int main() {
  Moment moment = Moment::none;
  Mood mood = Mood::crash;
  std::uint64_t turns = 0, bad_turn = 0;
  if (unlink(setting("MOODY_SPARED").c_str()) != 0) {
    std::uint64_t draw = mixed(mixed(std::strtoull(setting("MOODY_SEED").c_str(), nullptr, 10)) + number_of_launch());
    const auto below = [&draw](std::uint64_t limit) { return (draw = mixed(draw)) % limit; };
    if (below(100) < bad_launches_of_100) moment = static_cast<Moment>(below(moments));
    mood = static_cast<Mood>(below(moods));
    bad_turn = below(20);
  }
  const auto reach = [&](Moment reached) {
    if (moment == reached) give_way_to(mood);
  };
  reach(Moment::hello);
  say(hello());
  while (const auto command = hear()) {
    if (std::holds_alternative<Begin>(*command)) {
      reach(Moment::begin);
      say(Ready{{400'000}, {}, 1});
    } else if (const auto* turn = std::get_if<Turn>(&*command)) {
      if (turns++ == bad_turn) reach(Moment::turn);
      say(block_for(*turn));
    } else if (std::holds_alternative<Next>(*command)) {
      reach(Moment::next);
      say(Done{});
    } else {
      reach(Moment::exit);
      return 0;
    }
  }
  return 0;
}
