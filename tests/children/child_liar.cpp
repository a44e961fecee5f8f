// A program that misbehaves in the way that LIAR_MODE names, and is well-behaved up to there.
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
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

[[noreturn]] void hang() {
  for (;;) pause();
}

// Waits where only SIGKILL ends it.
[[noreturn]] void hang_on() {
  std::signal(SIGTERM, SIG_IGN);
  hang();
}

[[noreturn]] void crash() {
  std::fputs("about to crash\n", stderr);
  std::signal(SIGSEGV, SIG_DFL);
  std::raise(SIGSEGV);
  std::abort();
}

void take_too_much() {
  const std::size_t wanted = std::size_t{2} << 30;
  const rlimit limit{std::size_t{256} << 20, std::size_t{256} << 20};
  setrlimit(RLIMIT_AS, &limit);
  if (mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) {
    std::fputs("cannot have 2 GiB\n", stderr);
    std::_Exit(1);
  }
}

// A grandchild that holds every pipe and ignores what it can; its number is the last line of stderr.
void leave_grandchild(bool new_session) {
  int settled[2];
  if (pipe(settled) != 0) std::_Exit(1);
  const pid_t grandchild = fork();
  if (grandchild == 0) {
    if (new_session) setsid();
    std::signal(SIGTERM, SIG_IGN);
    if (write(settled[1], "x", 1) != 1) std::_Exit(1);
    hang();
  }
  char byte = 0;
  if (read(settled[0], &byte, 1) != 1) std::_Exit(1);
  std::fprintf(stderr, "%d\n", static_cast<int>(grandchild));
}

void flood() {
  const std::string line(1023, 'x');
  for (int i = 0; i < 1024; ++i) {
    std::puts(line.c_str());
    std::fprintf(stderr, "%s\n", line.c_str());
  }
  std::puts("last of stdout");
  std::fputs("last of stderr\n", stderr);
  std::fflush(nullptr);
}

Hello hello(const std::string& mode) {
  Hello hello;
  hello.program = "child_liar";
  CaseInfo info;
  info.name = "liar/case";
  hello.cases.push_back(info);
  if (mode == "duplicate") hello.cases.push_back(info);
  if (mode == "version") hello.version = 99;
  return hello;
}

Block block_for(const Turn& turn, const std::string& mode) {
  Block block;
  block.turn = mode == "wrong-turn" ? turn.turn + 1 : turn.turn;
  block.nanoseconds[mode == "no-primary" ? Clock::thread : Clock::wall].assign(
      mode == "samples" ? turn.samples + 1 : turn.samples, 400'000);
  return block;
}

}  // namespace

int main() {
  const char* mode_setting = std::getenv("LIAR_MODE");
  const std::string mode = mode_setting ? mode_setting : "";
  if (mode == "no-hello") return 0;
  if (mode == "silent") hang();
  if (mode == "rubbish") say_raw("Hello,\x1b[2J world\n");
  if (mode == "wrong-hello") say(Done{});
  if (mode == "flood") flood();
  if (mode == "endless") {
    for (const std::string piece(65536, 'x');;) say_raw(piece);
  }
  say(hello(mode));
  if (mode == "unasked") say(Done{});
  while (const auto command = hear()) {
    if (std::holds_alternative<Begin>(*command)) {
      if (mode == "crash") crash();
      if (mode == "killed") std::raise(SIGKILL);
      if (mode == "hang") hang();
      if (mode == "hang-on") hang_on();
      if (mode == "memory") take_too_much();
      if (mode == "status") return 3;
      if (mode == "half-line") {
        say_raw("{\"reply\":\"rea");
        hang();
      }
      if (mode == "half-line-exit") {
        say_raw("{\"reply\":\"rea");
        return 0;
      }
      if (mode == "close") {
        close(children::reply_descriptor());
        hang();
      }
      if (mode == "grandchild" || mode == "grandchild-session") {
        leave_grandchild(mode == "grandchild-session");
        return 4;
      }
      if (mode == "wrong") {
        say(Failed{"expected 1, found 2"});
        continue;
      }
      say(Ready{.warmup_ns = {400'000}, .ranges = {}});
    } else if (const auto* turn = std::get_if<Turn>(&*command)) {
      if (mode == "crash-in-turn") crash();
      if (mode == "wrong-in-turn") {
        say(Failed{"expected 1, found 2"});
        continue;
      }
      say(block_for(*turn, mode));
    } else if (std::holds_alternative<Next>(*command)) {
      if (mode == "crash-in-next") crash();
      say(Done{});
    } else {
      if (mode == "ignore-exit") hang_on();
      return mode == "bad-exit" ? 5 : 0;
    }
  }
  return 0;
}
