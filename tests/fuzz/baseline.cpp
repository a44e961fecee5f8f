// A baseline's file: what reads must survive being written and read again, and its machine names a directory.

#include <cctype>

#include "samples/night.hpp"
#include "target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bindgate;
  const auto history = parse_case_history(fuzz::text_of(data, size), "a+b.json");
  if (!history) {
    fuzz::check_error(history.error(), "a+b.json: ");
    return 0;
  }
  const std::string text = encode(*history);
  const auto again = parse_case_history(text, "again");
  fuzz::check(again.has_value(), "what was read can be written and read again", again ? "" : again.error().message);
  fuzz::check(*again == *history, "reading what was written gives the same baseline", text);
  for (const char c : history->fingerprint.id())
    fuzz::check(std::isalnum(static_cast<unsigned char>(c)) || c == '-', "a fingerprint is a directory's name",
                history->fingerprint.id());
  return 0;
}
