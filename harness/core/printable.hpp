#pragma once
// What other programs wrote, as it may stand in a line of ours: nothing in it speaks to the reader's terminal or begins
// a line of its own. JSON needs none of this: its writer escapes.

#include <string>

namespace bindgate {

/// `text` with ' ' for each tab and line break, '?' for each other control character (those of ASCII, and U+0080 to
/// U+009F), and U+FFFD for what is no UTF-8.
[[nodiscard]] std::string printable(std::string text);

}  // namespace bindgate
