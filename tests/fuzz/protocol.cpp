// One line of the conversation, as either side may hear it: what reads must survive being written and read again.

#include "samples/protocol.hpp"

#include "target.hpp"

namespace {

using namespace bindgate;

void check_line(std::string_view line, auto parse) {
  const auto message = parse(line, "reply");
  if (!message) {
    fuzz::check_error(message.error(), "reply: ");
    return;
  }
  const std::string text = protocol::encode(*message);
  fuzz::check(text.find('\n') == std::string::npos, "a message is one line", text);
  const auto again = parse(text, "again");
  fuzz::check(again.has_value(), "what was read can be written and read again", again ? "" : again.error().message);
  fuzz::check(*again == *message, "reading what was written gives the same message", text);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line = fuzz::text_of(data, size);
  check_line(line, protocol::parse_command);
  check_line(line, protocol::parse_reply);
  return 0;
}
