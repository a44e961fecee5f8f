#include "verdict/judgement.hpp"

#include <array>

namespace bindgate {

std::string_view name_of(Verdict verdict) {
  static constexpr std::array<std::string_view, 9> names{
      "failed", "incomparable", "missing", "regressed", "unstable", "inconclusive", "improved", "pass", "not selected"};
  return names[static_cast<std::size_t>(verdict)];
}

}  // namespace bindgate
