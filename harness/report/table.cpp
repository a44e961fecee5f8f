#include "report/table.hpp"

#include <algorithm>

#include "core/printable.hpp"

namespace bindgate {
namespace {

constexpr std::size_t gap = 2, narrowest_column = 5;

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

// Bytes of the longest beginning of `text` that is at most `width` columns wide.
std::size_t bytes_within(std::string_view text, std::size_t width) {
  std::size_t bytes = 0;
  for (std::size_t columns = 0; bytes < text.size(); ++bytes)
    if (begins_character(text[bytes]) && ++columns > width) break;
  return bytes;
}

std::string spaces(std::size_t count) { return std::string(count, ' '); }

void trim_end(std::string& text) { text.erase(text.find_last_not_of(' ') + 1); }

}  // namespace

std::vector<std::string> wrapped(std::string_view unsafe, std::size_t width) {
  const std::string safe = printable(std::string(unsafe));
  std::string_view text(safe);
  std::vector<std::string> lines;
  for (;;) {
    const std::size_t most = bytes_within(text, width);
    if (most == text.size()) {
      lines.emplace_back(text);
      return lines;
    }
    std::size_t end = text.rfind(' ', most);
    if (end == 0 || end == std::string_view::npos) {
      const auto separator = text.substr(0, most).find_last_of("/,+-");
      end = separator == std::string_view::npos || separator == 0 ? most : separator + 1;
    }
    lines.emplace_back(text.substr(0, end));
    trim_end(lines.back());
    text.remove_prefix(std::min(text.find_first_not_of(' ', end), text.size()));
  }
}

std::string paragraph(std::string_view first, std::string_view text, const Style& style) {
  const std::size_t indent = width_of(first);
  std::string paragraph;
  for (const std::string& line : wrapped(text, static_cast<std::size_t>(style.width) - indent))
    paragraph += (paragraph.empty() ? printable(std::string(first)) : spaces(indent)) + line + '\n';
  return paragraph;
}

std::string painted(std::string_view text, Colour colour, const Style& style) {
  static constexpr const char* codes[] = {"", "\033[31m", "\033[33m", "\033[32m", "\033[2m"};
  if (!style.colour || colour == Colour::none) return std::string(text);
  return codes[static_cast<std::size_t>(colour)] + std::string(text) + "\033[0m";
}

std::vector<std::size_t> Table::widths(std::size_t limit) const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(width_of(column.heading));
  for (const auto& row : rows_)
    if (const auto* cells = std::get_if<std::vector<Cell>>(&row))
      for (std::size_t i = 0; i < cells->size(); ++i) widths[i] = std::max(widths[i], width_of((*cells)[i].text));
  const auto total = [&] {
    std::size_t sum = static_cast<std::size_t>(indent_) + gap * (widths.size() - 1);
    for (const std::size_t width : widths) sum += width;
    return sum;
  };
  // First the columns that are made for it, then, in a very narrow terminal, every other.
  for (const bool any : {false, true})
    while (total() > limit) {
      std::size_t* widest = nullptr;
      for (std::size_t i = 0; i < widths.size(); ++i)
        if ((any || columns_[i].wraps) && widths[i] > narrowest_column && (!widest || widths[i] > *widest))
          widest = &widths[i];
      if (!widest) break;
      --*widest;
    }
  return widths;
}

std::string Table::text(const Style& style) const {
  const auto limit = static_cast<std::size_t>(style.width);
  const auto columns = widths(limit);
  const auto line_of = [&](const std::vector<Cell>& cells) {
    std::vector<std::vector<std::string>> parts;
    std::size_t height = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      parts.push_back(wrapped(cells[i].text, columns[i]));
      height = std::max(height, parts.back().size());
    }
    std::string text;
    for (std::size_t level = 0; level < height; ++level) {
      std::string line = spaces(static_cast<std::size_t>(indent_));
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string part = level < parts[i].size() ? parts[i][level] : "";
        const std::string padding = spaces(columns[i] - std::min(columns[i], width_of(part)));
        const std::string shown = painted(part, part.empty() ? Colour::none : cells[i].colour, style);
        line += (i == 0 ? "" : spaces(gap)) + (columns_[i].right ? padding + shown : shown + padding);
      }
      trim_end(line);
      text += line + '\n';
    }
    return text;
  };
  std::vector<Cell> headings;
  for (const Column& column : columns_) headings.push_back({column.heading, Colour::faint});
  std::string text = line_of(headings);
  for (const auto& row : rows_)
    if (const auto* cells = std::get_if<std::vector<Cell>>(&row)) text += line_of(*cells);
    else {
      const auto& line = std::get<Line>(row);
      text += line.wraps ? paragraph(line.first, line.text, style) : line.first + printable(line.text) + '\n';
    }
  return text;
}

}  // namespace bindgate
