#pragma once
// Numbers with units, both ways: what people type (durations) and what they read (times, bytes, rates).

#include <chrono>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace bindgate {

/// Reads "90s", "10m", "1.5h", "250ms"; the unit is required. Errors: no unit, not positive, above a year.
[[nodiscard]] Result<std::chrono::nanoseconds> parse_duration(std::string_view text);

/// Three significant digits with the unit that fits: "1.23 ms", "456 ns", "12.0 s"; a negative value keeps its sign.
[[nodiscard]] std::string format_seconds(double seconds);

/// For clocks on a wall, whole units: "45 s", "3 min 20 s", "1 h 05 min".
[[nodiscard]] std::string format_duration(std::chrono::duration<double> duration);

/// Binary multiples, three significant digits: "512 B", "1.50 GiB".
[[nodiscard]] std::string format_bytes(double bytes);
[[nodiscard]] std::string format_bytes(std::integral auto bytes) { return format_bytes(static_cast<double>(bytes)); }

/// Decimal multiples of a rate: format_rate(2.5e9, "FLOP/s") is "2.50 GFLOP/s".
[[nodiscard]] std::string format_rate(double per_second, std::string_view unit);

/// A share in per cent with its sign and `decimals` digits: "+1.25 %". A value that would round onto `edge`
/// without being it gets as many digits as it takes to see on which side it lies.
[[nodiscard]] std::string format_change(double share, double edge = 0, int decimals = 1);

/// Coordinated universal time as "2026-01-31T23:59:59Z".
[[nodiscard]] std::string format_utc(std::chrono::system_clock::time_point time);

}  // namespace bindgate
