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

/// Moves all pages of a process that lie on `from` to `to` (migrate_pages(2), which, unlike move_pages, does not stop at
/// each page of the terabytes that runtimes reserve). Pages that others share stay, and those for which there is no
/// room. Errors: the syscall, its errno, and which permission is missing.
[[nodiscard]] Result<void> migrate_pages_of(int process, const IndexSet& from, const IndexSet& to);

}  // namespace bindgate
