#pragma once
// The program's side of the protocol in a few lines, for children without bench/support.

#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "core/files.hpp"
#include "samples/protocol.hpp"

namespace bindgate::children {

inline int number_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value ? std::atoi(value) : -1;
}

inline int command_descriptor() { return number_of(protocol::command_descriptor); }
inline int reply_descriptor() { return number_of(protocol::reply_descriptor); }

inline void say_raw(const std::string& text) {
  if (!write_all(reply_descriptor(), text)) std::exit(9);
}
inline void say(const protocol::Reply& reply) { say_raw(protocol::encode(reply) + '\n'); }

/// The next command; nothing at the end of the pipe. A line that is no command ends the child with status 8.
inline std::optional<protocol::Command> hear() {
  std::string line;
  for (char c = 0; read(command_descriptor(), &c, 1) == 1;) {
    if (c != '\n') {
      line += c;
      continue;
    }
    auto command = protocol::parse_command(line, "command");
    if (!command) std::exit(8);
    return *command;
  }
  return std::nullopt;
}

}  // namespace bindgate::children
