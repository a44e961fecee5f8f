#pragma once
// What can be seen wrong in a description's text before hwloc reads it: what would end the process there, or become a
// machine that cannot be. It makes no machine of it.

#include <string>
#include <string_view>

#include "core/error.hpp"

namespace bindgate {

/// Errors: a version that this hwloc does not read, and a document type other than hwloc's own, which hwloc reads
/// through a null pointer. They do not name the source.
[[nodiscard]] Result<void> check_xml(std::string_view text);

/// Errors: a number that stands twice in a list of them ("indexes=0,0").
[[nodiscard]] Result<void> check_synthetic(const std::string& description);

}  // namespace bindgate
