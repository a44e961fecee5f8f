#pragma once
// Whole outputs against files in tests/golden, byte for byte. BINDGATE_UPDATE_GOLDEN=1 writes them anew; git
// then shows what changed.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "support/scratch_directory.hpp"

namespace bindgate::testing {

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The lines that differ between their common beginning and end, as a person reads them.
inline std::string difference(const std::string& expected, const std::string& found) {
  const auto old_lines = lines_of(expected), new_lines = lines_of(found);
  std::size_t first = 0, last = 0;
  const std::size_t shorter = std::min(old_lines.size(), new_lines.size());
  while (first < shorter && old_lines[first] == new_lines[first]) ++first;
  while (last < shorter - first && old_lines[old_lines.size() - 1 - last] == new_lines[new_lines.size() - 1 - last]) ++last;
  std::string text = "from line " + std::to_string(first + 1) + ":\n";
  for (std::size_t i = first; i + last < old_lines.size(); ++i) text += "  - " + old_lines[i] + '\n';
  for (std::size_t i = first; i + last < new_lines.size(); ++i) text += "  + " + new_lines[i] + '\n';
  return text;
}

inline void expect_golden(const std::string& name, const std::string& found) {
  const std::filesystem::path file = std::filesystem::path(BINDGATE_TESTS) / "golden" / name;
  if (const char* update = std::getenv("BINDGATE_UPDATE_GOLDEN"); update && std::string(update) == "1") {
    write_text(file, found);
    return;
  }
  ASSERT_TRUE(std::filesystem::exists(file)) << file << " is missing; BINDGATE_UPDATE_GOLDEN=1 writes it";
  const std::string expected = text_of(file);
  EXPECT_TRUE(expected == found) << name << ' ' << difference(expected, found)
                                 << "if that is meant: BINDGATE_UPDATE_GOLDEN=1, and look at git diff";
}

}  // namespace bindgate::testing
