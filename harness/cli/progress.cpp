#include "cli/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <sstream>
#include <vector>

#include "core/printable.hpp"
#include "core/units.hpp"

namespace bindgate {
namespace {

constexpr std::chrono::milliseconds redraw{200}, log_line{10'000};

std::size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

constexpr std::size_t shown_lines = 12;

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

std::string progress_line(const Progress& progress, std::size_t width) {
  std::string line = "round " + std::to_string(progress.round + 1) + '/' + std::to_string(progress.rounds) + "  " +
                     (progress.case_name.empty() ? "starting" : progress.case_name) + " (" +
                     std::to_string(progress.case_index + 1) + '/' + std::to_string(progress.cases) + ")  " +
                     progress.variant + "  " + std::to_string(std::lround(progress.done * 100)) + " %";
  if (progress.left) line += "  " + format_duration(*progress.left) + " left";
  return line.substr(0, width);
}

ProgressPrinter::ProgressPrinter(const Console& console)
    : console_(console),
      terminal_(isatty(STDERR_FILENO) == 1),
      interval_(terminal_ ? redraw : log_line),
      next_(std::chrono::steady_clock::now() + (terminal_ ? std::chrono::milliseconds(0) : log_line)) {}

ProgressPrinter::~ProgressPrinter() { clear_line(); }

void ProgressPrinter::clear_line() {
  if (drawn_ > 0) std::fprintf(stderr, "\r%*s\r", static_cast<int>(drawn_), "");
  drawn_ = 0;
}

std::size_t ProgressPrinter::columns() const { return terminal_ ? terminal_width() - 1 : std::string::npos; }

bool ProgressPrinter::is_due() {
  const auto now = std::chrono::steady_clock::now();
  if (console_.quiet() || now < next_) return false;
  next_ = now + interval_;
  return true;
}

void ProgressPrinter::show(const std::string& line) {
  if (!terminal_) {
    console_.note(line);
    return;
  }
  clear_line();
  std::fprintf(stderr, "%s", printable(line).c_str());
  std::fflush(stderr);
  drawn_ = line.size();
}

void ProgressPrinter::progress(const Progress& progress) {
  if (is_due()) show(progress_line(progress, columns()));
}

void ProgressPrinter::planning(const std::string& case_name, std::size_t index, std::size_t count) {
  const std::string line =
      "planning: setting up " + case_name + " (" + std::to_string(index) + '/' + std::to_string(count) + ')';
  if (is_due()) show(line.substr(0, columns()));
}

void ProgressPrinter::note(const std::string& text) {
  clear_line();
  console_.note(text);
}

void ProgressPrinter::output(const std::string& tail) {
  if (tail == last_output_) return;
  last_output_ = tail;
  clear_line();
  const std::vector<std::string> lines = lines_of(tail);
  const std::size_t first = lines.size() - std::min(shown_lines, lines.size());
  if (first > 0) console_.note("  | (" + std::to_string(first) + " lines more in the journal)");
  for (std::size_t i = first; i < lines.size(); ++i) console_.note("  | " + lines[i]);
}

}  // namespace bindgate
