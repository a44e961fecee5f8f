#pragma once
// What every fuzz target shares: the function that libFuzzer (or replay.cpp) calls, and checks that end the
// process in a way that a fuzzer takes for a crash.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/error.hpp"

/// One input of a reader. Returns 0; what is wrong ends the process.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace bindgate::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline void check(bool holds, std::string_view promise, std::string_view detail = "") {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %.*s\n%.*s\n", static_cast<int>(promise.size()), promise.data(),
               static_cast<int>(detail.size()), detail.data());
  std::abort();
}

/// An error is one line that a terminal shows as it is, and begins with the place.
inline void check_error(const Error& error, std::string_view source) {
  for (const char c : error.message)
    check(static_cast<unsigned char>(c) >= ' ' && c != 127, "an error holds no control character", error.message);
  check(error.message.starts_with(source) && error.message.size() > source.size() + 2, "an error names its source",
        error.message);
}

}  // namespace bindgate::fuzz
