#include "dispatch/ping_pong.hpp"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

#include "support/cpus.hpp"

namespace bindgate {
namespace {

bool receive(const Descriptor& from, unsigned char& ball) {
  for (;;) {
    const ssize_t n = read(from.get(), &ball, 1);
    if (n >= 0 || errno != EINTR) return n == 1;
  }
}

bool send(const Descriptor& to, unsigned char ball) {
  for (;;) {
    const ssize_t n = write(to.get(), &ball, 1);
    if (n >= 0 || errno != EINTR) return n == 1;
  }
}

Pipe opened() {
  auto pipe = make_pipe();
  if (!pipe) throw std::runtime_error(pipe.error().message);
  return *std::move(pipe);
}

}  // namespace

PingPong::PingPong(std::optional<unsigned> cpu) : there_(opened()), back_(opened()) {
  thread_ = std::thread([this, cpu] { echo(cpu); });
  pthread_setname_np(thread_.native_handle(), "pong");
}

PingPong::~PingPong() {
  there_.write.close();
  thread_.join();
}

void PingPong::play(std::uint64_t count) {
  for (; count > 0; --count) {
    unsigned char answer = 0;
    if (!send(there_.write, ball_) || !receive(back_.read, answer))
      throw std::runtime_error("the pipe to the other thread broke");
    const auto expected = static_cast<unsigned char>(ball_ + 1);
    if (answer != expected)
      throw std::runtime_error("pipe: expected " + std::to_string(expected) + ", found " + std::to_string(answer));
    ball_ = answer;
  }
}

void PingPong::echo(std::optional<unsigned> cpu) {
  try {
    if (cpu) run_on(IndexSet{*cpu});
    for (unsigned char ball = 0; receive(there_.read, ball);) {
      ++seen_.echoes;
      if (cpu && sched_getcpu() != static_cast<int>(*cpu)) ++seen_.elsewhere;
      if (!send(back_.write, static_cast<unsigned char>(ball + 1))) return;
    }
  } catch (const std::exception&) {  // the mask was refused; the caller then finds the pipe broken
  }
  back_.write.close();
}

}  // namespace bindgate
