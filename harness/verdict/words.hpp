#pragma once
// Numbers and names as the reasons of a verdict say them. Reports have their own ways for tables.

#include <span>
#include <string>

namespace bindgate {

/// Two significant digits, without sign: "22 %", "9.1 %", "0.45 %"; more where it takes them to see that it is not
/// `edge`.
[[nodiscard]] std::string percent(double share, double edge = 0);

/// "none", "none and numactl", "none, numactl and remote".
[[nodiscard]] std::string listed(std::span<const std::string> names);

}  // namespace bindgate
