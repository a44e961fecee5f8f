#pragma once
// Text in columns that never grows wider than it may: long cells wrap, nothing is cut off, and only what is there to be
// pasted stays in one piece. It knows nothing of what the cells mean; whoever named what they tell of, nothing in them
// speaks to the terminal (core/printable).

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace bindgate {

/// How a terminal wants its text.
struct Style {
  bool colour = false;
  int width = 100;  ///< columns; below 80 some tables grow wider than this
  bool operator==(const Style&) const = default;
};

enum class Colour { none, red, yellow, green, faint };

struct Cell {
  std::string text;
  Colour colour = Colour::none;
};

class Table {
 public:
  struct Column {
    std::string heading;
    bool right = false;  ///< numbers stand at the right
    bool wraps = false;  ///< becomes narrower, with wrapped cells, when the table is too wide
  };

  explicit Table(std::vector<Column> columns, int indent = 0) : columns_(std::move(columns)), indent_(indent) {}

  void add(std::vector<Cell> cells) { rows_.emplace_back(std::move(cells)); }

  /// A line of its own across all columns, wrapped at words: `first` ("    - ") before it, spaces before what wraps.
  void add_line(std::string text, std::string first = "") {
    rows_.emplace_back(Line{std::move(text), std::move(first), true});
  }

  /// A line that is there to be pasted: in one piece, however wide it is.
  void add_unbroken_line(std::string text, std::string first = "") {
    rows_.emplace_back(Line{std::move(text), std::move(first), false});
  }

  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] std::string text(const Style& style) const;

 private:
  struct Line {
    std::string text, first;
    bool wraps = true;
  };
  [[nodiscard]] std::vector<std::size_t> widths(std::size_t limit) const;

  std::vector<Column> columns_;
  std::vector<std::variant<std::vector<Cell>, Line>> rows_;
  int indent_;
};

/// `text` in lines of at most `width` columns, broken at spaces, else after '/', ',', '+' or '-', else anywhere.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, std::size_t width);

/// A wrapped paragraph: `first` before the first line, as many spaces before the others.
[[nodiscard]] std::string paragraph(std::string_view first, std::string_view text, const Style& style);

/// `text` in its colour, if the style has colours.
[[nodiscard]] std::string painted(std::string_view text, Colour colour, const Style& style);

}  // namespace bindgate
