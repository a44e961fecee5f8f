#pragma once
// What may be planned on: a machine without all that is offline, not allowed, or a GPU's memory unless it is asked
// for by its id. It answers what expressions and memory words ask; it plans nothing.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/index_set.hpp"
#include "topology/machine.hpp"

namespace bindgate {

/// Of which things an expression leaves the choice open, as `node:any`; rounds then take turns at the equal ones.
enum class AnyOf { node, package, l3, core };

/// One of the things that a choice is left between.
struct Choice {
  IndexSet cpus;
  std::optional<unsigned> node;  ///< of AnyOf::node
};

class Ground {
 public:
  /// The machine must outlive it.
  explicit Ground(const Machine& described);

  const Machine& machine;
  IndexSet cpus;
  std::vector<Node> nodes;    ///< all of them, with their usable CPUs
  IndexSet memory_nodes;      ///< allowed, with memory that is no GPU's
  IndexSet all_memory_nodes;  ///< and a GPU's, onto which the default policy may spill

  /// The usable hardware threads of `set` by core, the cores by their lowest CPU; a CPU in no core is one by itself.
  [[nodiscard]] std::vector<IndexSet> by_core(const IndexSet& set) const;
  /// "performance", "efficiency", or "" of the core that the CPU belongs to.
  [[nodiscard]] std::string_view kind_of(unsigned cpu) const;
  [[nodiscard]] const Node* node(unsigned id) const;
  /// The nodes that any of these CPUs belongs to.
  [[nodiscard]] IndexSet nodes_of(const IndexSet& set) const;
  [[nodiscard]] IndexSet nodes_with_cpus() const;
  /// That of `among`, which must not be empty, whose nearest of `from` is farthest away, the lowest id on ties. Errors:
  /// no distances are known, and there are several to choose from.
  [[nodiscard]] Result<unsigned> farthest(const IndexSet& from, const IndexSet& among) const;
  /// All that are alike in CPUs and their kinds, at least one, by their first CPU, but so that the first few see the
  /// whole machine: one of each node before a second.
  /// Of nodes: the widest with memory, and where none has both, the widest. Of cores: performance cores where the
  /// machine has several kinds. Errors: why there is none.
  [[nodiscard]] Result<std::vector<Choice>> choices(AnyOf open) const;

 private:
  [[nodiscard]] std::map<std::string_view, std::size_t> cpus_by_kind(const IndexSet& set) const;
  [[nodiscard]] std::vector<Choice> nodes_alike(bool with_memory) const;
  [[nodiscard]] std::vector<Choice> cores_alike() const;
  [[nodiscard]] std::vector<Choice> widest_alike(std::vector<Choice> all) const;
  [[nodiscard]] std::vector<Choice> spread_over_nodes(const std::vector<Choice>& all) const;

  std::vector<std::size_t> core_of_cpu_;            // by CPU; machine.cores.size(): in none
  std::map<unsigned, std::size_t> position_of_node_;
};

/// "CPU 3", "CPUs 0-3"; "node 0", "nodes 0,8".
[[nodiscard]] std::string cpus_text(const IndexSet& cpus);
[[nodiscard]] std::string nodes_text(const IndexSet& nodes);

}  // namespace bindgate
