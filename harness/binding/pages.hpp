#pragma once
// On which memory nodes the pages of another process lie, and how to get them onto others. Asking moves nothing.

#include <cstdint>
#include <span>

#include "core/error.hpp"
#include "core/index_set.hpp"
#include "samples/proof.hpp"
#include "samples/protocol.hpp"

namespace bindgate {

/// Bytes per node of the pages in `ranges` that are in memory (untouched and zero pages are in none), each page
/// counted once however the ranges overlap. Of more than 32,768 pages a part of the pages stands for all: always
/// the same ones, spread evenly but in no step, so that interleaving cannot hide. Errors: the syscall, its errno, and
/// for a refusal which permission is missing.
[[nodiscard]] Result<NodeBytes> bytes_by_node(int process, std::span<const protocol::Range> ranges);

/// Moves the pages of `ranges` that are in memory and outside `nodes` onto `nodes`, in turn (move_pages(2)). Gives
/// the bytes that arrived; shared pages stay, and pages for which there is no room. Errors: as above.
[[nodiscard]] Result<std::uint64_t> move_to_nodes(int process, std::span<const protocol::Range> ranges,
                                                  const IndexSet& nodes);

}  // namespace bindgate
