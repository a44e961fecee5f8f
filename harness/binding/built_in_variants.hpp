#pragma once
// variants.json, compiled in: a program that was copied elsewhere still knows what its variants mean.

#include <string_view>

namespace bindgate {

[[nodiscard]] std::string_view built_in_variants();

}  // namespace bindgate
