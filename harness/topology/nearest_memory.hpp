#pragma once
// Which memory is as near to a CPU as memory gets: what pages that lie elsewhere are held against. It says nothing of
// where memory may or should lie.

#include <map>

#include "topology/machine.hpp"

namespace bindgate {

/// By CPU, its own node if that has memory, and every node with memory that the machine says is no farther: where its
/// own has none the next nearest ones, or all where no distance is told. Memory without CPUs (HBM, CXL, a GPU's) is
/// near only where nothing is nearer. A CPU that belongs to no node is absent.
[[nodiscard]] std::map<unsigned, IndexSet> nearest_memory(const Machine& machine);

}  // namespace bindgate
