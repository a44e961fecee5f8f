#pragma once
// On which memory nodes the pages of another process lie. It asks the kernel and moves nothing.

#include <cstdint>
#include <map>
#include <span>

#include "core/error.hpp"
#include "samples/protocol.hpp"

namespace bindgate {

/// Bytes per node of the pages in `ranges` that are in memory (untouched and zero pages are in none), each page
/// counted once however the ranges overlap. Errors: the syscall and its errno.
[[nodiscard]] Result<std::map<unsigned, std::uint64_t>> bytes_by_node(int process,
                                                                      std::span<const protocol::Range> ranges);

}  // namespace bindgate
