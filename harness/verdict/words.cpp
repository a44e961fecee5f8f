#include "verdict/words.hpp"

#include <cmath>

#include "core/units.hpp"

namespace bindgate {

std::string percent(double share, double edge) {
  const double size = std::abs(share);
  std::string text = format_change(size, edge, size >= 0.0995 || size == 0 ? 0 : size >= 0.00995 ? 1 : 2).substr(1);
  if (const auto zero = text.find(".0 %"); zero != std::string::npos) text.erase(zero, 2);
  return text;
}

std::string listed(std::span<const std::string> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

}  // namespace bindgate
