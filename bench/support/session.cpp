#include "support/session.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "support/clocks.hpp"
#include "support/measure.hpp"

namespace bindgate {
namespace {

Result<std::optional<int>> descriptor_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (!text) return std::nullopt;
  int number = -1;
  const std::string_view digits(text);
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), number);
  if (error != std::errc() || end != digits.end() || fcntl(number, F_GETFD) == -1)
    return fail(std::string(variable) + ": \"" + text + "\" is no open descriptor; " +
                "unset it to start the program by hand");
  fcntl(number, F_SETFD, FD_CLOEXEC);
  return number;
}

}  // namespace

Result<std::optional<HarnessDescriptors>> harness_descriptors() {
  const auto command = descriptor_in(protocol::command_descriptor);
  if (!command) return tl::unexpected(command.error());
  const auto reply = descriptor_in(protocol::reply_descriptor);
  if (!reply) return tl::unexpected(reply.error());
  const auto life = descriptor_in(protocol::life_descriptor);
  if (!life) return tl::unexpected(life.error());
  if (!*command && !*reply) return std::nullopt;
  if (!*command || !*reply)
    return fail(std::string(protocol::command_descriptor) + " and " + protocol::reply_descriptor +
                ": only one of the two is set; set both, or none to start the program by hand");
  return HarnessDescriptors{**command, **reply, *life};
}

void end_with(int life) {
  std::thread([life] {
    pthread_setname_np(pthread_self(), "life");
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    char nothing = 0;
    for (;;) {
      const ssize_t n = read(life, &nothing, 1);
      if (n == 0 || (n < 0 && errno != EINTR)) _exit(EXIT_FAILURE);
    }
  }).detach();
}

Session::Session(const HarnessDescriptors& descriptors) : command_(descriptors.command), reply_(descriptors.reply) {
  std::signal(SIGPIPE, SIG_IGN);  // a harness that went away is an end of the conversation, not a crash
}

protocol::Command Session::receive() {
  std::size_t end = 0;
  while ((end = unread_.find('\n')) == std::string::npos) {
    std::array<char, 4096> piece{};
    const ssize_t n = read(command_.get(), piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw EndOfConversation{};
    unread_.append(piece.data(), static_cast<std::size_t>(n));
  }
  const std::string line = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  auto command = protocol::parse_command(line, "command of the harness");
  if (!command) throw protocol::Failed{command.error().message};
  if (std::holds_alternative<protocol::Exit>(*command)) throw EndOfConversation{};
  return *std::move(command);
}

void Session::send(const protocol::Reply& reply) {
  if (!write_all(reply_.get(), protocol::encode(reply) + "\n")) throw EndOfConversation{};
}

void Session::serve(const State& state, const Driven& driven, std::int64_t first_ns) {
  if (!references_ || references_->threads() != state.threads) {
    references_.reset();  // before the new one: both at once would double the memory
    references_ = std::make_unique<References>(state.threads);
  }
  const std::int64_t start = wall_clock_ns();
  protocol::Ready ready = state.ready(warm_up(driven.iterate, first_ns));
  ready.warmed_ns = first_ns + wall_clock_ns() - start;
  send(ready);
  for (;;) {
    const protocol::Command command = receive();
    if (std::holds_alternative<protocol::Next>(command)) return;
    if (const auto* begin = std::get_if<protocol::Begin>(&command))
      throw protocol::Failed{"begin \"" + begin->case_name + "\" while \"" + state.info.name +
                             "\" is open; send next first"};
    const std::int64_t start_of_turn = wall_clock_ns();
    Block block = take_turn(std::get<protocol::Turn>(command), driven, *references_, state.workers(), &events_);
    block.spent_ns = wall_clock_ns() - start_of_turn;
    send(block);
  }
}

}  // namespace bindgate
