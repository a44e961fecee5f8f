#pragma once
// Names that people type, as globs and with mistakes, and names in a sentence.

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace bindgate {

/// Whether `name` matches `pattern`, where `*` is any run of characters ('/' included) and `?` any one.
[[nodiscard]] bool matches_glob(std::string_view pattern, std::string_view name);

/// The candidate with the smallest edit distance, if it is near enough to be what was meant; an abbreviation ("env",
/// "environment") is as near as one wrong letter.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view typed, std::span<const std::string> candidates);

/// "; did you mean 'numactl'?" or, with nothing near, "; known: a, b, c" (at most eight).
[[nodiscard]] std::string suggest(std::string_view typed, std::span<const std::string> candidates);

/// "a, b, c".
[[nodiscard]] std::string joined(std::span<const std::string> parts, std::string_view separator = ", ");

/// "1 case", "2 cases", "2 launches".
[[nodiscard]] std::string counted(std::size_t count, std::string_view thing);

/// A case's name as a file name: '/' becomes '+'.
[[nodiscard]] std::string file_name_of_case(std::string_view case_name);

}  // namespace bindgate
