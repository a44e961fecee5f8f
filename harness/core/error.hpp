#pragma once
// Why something could not be done, as one line a person can act on: what was found, where, and the cure.
// It carries no code and no type: whoever must branch on a failure gets a value that says so instead.

#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace bindgate {

struct Error {
  std::string message;  ///< "WHERE: what was found; what to do", one line, no full stop

  bool operator==(const Error&) const = default;
};

/// A T, or the one line that says why there is none.
template <class T>
using Result = tl::expected<T, Error>;

/// The failure to return from a function whose type is Result<T>; `message` becomes printable (core/printable).
[[nodiscard]] tl::unexpected<Error> fail(std::string message);

/// The same failure with the place put before it: "PLACE: message".
[[nodiscard]] tl::unexpected<Error> fail(std::string_view place, const Error& error);

/// "NAME (errno-name): text" for a failed system call, as "open (ENOENT): No such file or directory".
[[nodiscard]] std::string describe_errno(std::string_view call, int error_number);

}  // namespace bindgate
