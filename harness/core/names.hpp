#pragma once
// Names that people type: case globs, and the nearest name to a mistyped one.

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace bindgate {

/// Whether `name` matches `pattern`, where `*` is any run of characters ('/' included) and `?` any one.
[[nodiscard]] bool matches_glob(std::string_view pattern, std::string_view name);

/// The candidate with the smallest edit distance, if it is near enough to be what was meant.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view typed, std::span<const std::string> candidates);

/// "; did you mean 'numactl'?" or, with nothing near, "; known: a, b, c" (at most eight).
[[nodiscard]] std::string suggest(std::string_view typed, std::span<const std::string> candidates);

/// A case's name as a file name: '/' becomes '+'.
[[nodiscard]] std::string file_name_of_case(std::string_view case_name);

}  // namespace bindgate
