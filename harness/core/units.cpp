#include "core/units.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <utility>

namespace bindgate {
namespace {

std::string printed(const char* format, auto... values) {
  std::array<char, 512> text{};  // the largest double has 309 digits before its point
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

// Three significant digits without an exponent, for 0.995 <= |value| < 10000 or so.
std::string three_digits(double value) {
  const double size = std::abs(value);
  return printed("%.*f", size < 9.995 ? 2 : size < 99.95 ? 1 : 0, value);
}

}  // namespace

Result<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  const auto complain = [&](const char* why) {
    return fail("duration '" + std::string(text) + "' " + why + "; write it like 90s, 10m or 1.5h");
  };
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return complain("does not start with a number");
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  double seconds = 0;
  if (unit == "ms")
    seconds = value * 1e-3;
  else if (unit == "s")
    seconds = value;
  else if (unit == "m" || unit == "min")
    seconds = value * 60;
  else if (unit == "h")
    seconds = value * 3600;
  else
    return complain(unit.empty() ? "has no unit" : "has an unknown unit");
  if (!(seconds >= 0.5e-9)) return complain("is not positive");
  if (!(seconds <= 366.0 * 24 * 3600)) return complain("is longer than a year");
  return std::chrono::nanoseconds(std::llround(seconds * 1e9));
}

std::string format_seconds(double seconds) {
  const double size = std::abs(seconds);
  if (size == 0) return "0 s";
  if (size < 999.5e-9) return three_digits(seconds * 1e9) + " ns";
  if (size < 999.5e-6) return three_digits(seconds * 1e6) + " us";
  if (size < 0.9995) return three_digits(seconds * 1e3) + " ms";
  return three_digits(seconds) + " s";
}

std::string format_duration(std::chrono::duration<double> duration) {
  static constexpr double longest = 1e15;  // of what still is an exact number of seconds
  const long long seconds = std::llround(std::clamp(duration.count(), -longest, longest));
  if (seconds < 60) return printed("%lld s", seconds);
  if (seconds < 3600) return printed("%lld min %02lld s", seconds / 60, seconds % 60);
  return printed("%lld h %02lld min", seconds / 3600, seconds / 60 % 60);
}

std::string format_bytes(double bytes) {
  static constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  while (std::abs(bytes) >= (unit == 0 ? 1024 : 1023.5) && unit + 1 < units.size()) bytes /= 1024, ++unit;
  return (unit == 0 ? printed("%.0f", bytes) : three_digits(bytes)) + ' ' + units[unit];
}

std::string format_rate(double per_second, std::string_view unit) {
  static constexpr std::array<std::pair<double, const char*>, 4> multiples{
      {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
  for (const auto& [size, prefix] : multiples)
    if (std::abs(per_second) >= 0.9995 * size)
      return three_digits(per_second / size) + ' ' + prefix + std::string(unit);
  return three_digits(per_second) + ' ' + std::string(unit);
}

std::string format_change(double share, double edge, int decimals) {
  // Adding 0 turns -0 into 0; what rounds to 0 from below must look like 0 to be told apart from it.
  const auto shown = [](double value, int digits) {
    const std::string text = printed("%+.*f", digits, value * 100 + 0.0);
    return (text.find_first_of("123456789in") == std::string::npos ? '+' + text.substr(1) : text) + " %";
  };
  while (decimals < 12 && share != edge && shown(share, decimals) == shown(edge, decimals)) ++decimals;
  return shown(share, decimals);
}

std::string format_utc(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

}  // namespace bindgate
