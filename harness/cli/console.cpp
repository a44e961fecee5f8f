#include "cli/console.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "core/printable.hpp"

namespace bindgate {

Style Console::style() const {
  const char* no_color = std::getenv("NO_COLOR");
  Style style;
  style.colour = isatty(STDOUT_FILENO) && !(no_color && *no_color);
  static constexpr int narrowest = 80;  // below it, tables grow wider than asked anyway
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    style.width = std::clamp(static_cast<int>(size.ws_col), narrowest, style.width);
  return style;
}

void Console::result(std::string_view text) const {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    write_error_ = errno != 0 ? errno : EIO;
}

void Console::note(const std::string& line) const {
  if (!quiet_) std::fprintf(stderr, "%s\n", printable(line).c_str());
}

void Console::error(const std::string& line) const {
  std::fprintf(stderr, "bindgate: %s\n", printable(line).c_str());
}

}  // namespace bindgate
