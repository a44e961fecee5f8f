#include "core/error.hpp"

#include <cstring>
#include <utility>

#include "core/printable.hpp"

namespace bindgate {

// Messages quote what was found, and that may be anything: a line feed would make two lines of one, an escape
// sequence would speak to the reader's terminal.
tl::unexpected<Error> fail(std::string message) {
  return tl::unexpected<Error>(Error{printable(std::move(message))});
}

tl::unexpected<Error> fail(std::string_view place, const Error& error) {
  return fail(std::string(place) + ": " + error.message);
}

std::string describe_errno(std::string_view call, int error_number) {
  const char* name = strerrorname_np(error_number);
  return std::string(call) + " (" + (name ? name : std::to_string(error_number)) + "): " + std::strerror(error_number);
}

}  // namespace bindgate
