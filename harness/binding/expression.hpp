#pragma once
// Sets of CPUs as people write them: `cores(node:0) - cpus:0`. Read here into a tree without looking at any machine,
// evaluated against what may be planned on. The language is described in README.md.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "binding/ground.hpp"
#include "core/error.hpp"
#include "core/index_set.hpp"

namespace bindgate {

class Expression {
 public:
  /// Errors show the place with a caret in the text, what may stand there, and the nearest word. Longer texts than
  /// `longest` and deeper nesting than `deepest` are refused.
  [[nodiscard]] static Result<Expression> parse(std::string_view text);
  static constexpr std::size_t longest = 1000, deepest = 50;

  /// What it leaves open; the same choice stands wherever it is named.
  [[nodiscard]] std::optional<AnyOf> open() const;
  /// Whether it names a device, for which the machine must have been read with its devices.
  [[nodiscard]] bool names_device() const;

  /// Only CPUs that are allowed and online, possibly none; `chosen` is for what `open` tells. Errors: what the
  /// machine lacks, and a CPU of a list that it has not or does not allow: a part of a list is not what was asked for.
  [[nodiscard]] Result<IndexSet> evaluate(const Ground& ground, const Choice* chosen = nullptr) const;

 private:
  friend class ExpressionParser;
  enum class Kind {
    allowed, node, package, die, l3, cluster, cpus, device, core_kind, isolated, any,  // atoms
    cores, packed, siblings, even, near, far, share,                                   // functions of one part
    both, either, without                                                              // operators on two
  };
  [[nodiscard]] Result<IndexSet> atom(const Ground& ground, const Choice* chosen) const;
  [[nodiscard]] Result<IndexSet> function_of(const IndexSet& set, const Ground& ground) const;

  Kind kind_ = Kind::allowed;
  IndexSet ids_;      // of nodes, packages, dies, caches, clusters or CPUs
  unsigned package_ = 0;  // of a die
  unsigned share_ = 0, shares_ = 1;  // which one, of how many
  std::string word_;  // a device's address or a kind of core
  AnyOf any_ = AnyOf::node;
  std::vector<Expression> parts_;
};

/// `Expression::parse` and `evaluate` of a whole list of CPUs, as `--variant cpus:LIST` names it.
[[nodiscard]] Result<IndexSet> usable_cpus(const Ground& ground, const IndexSet& list);

/// An address as Linux writes it ("0000:81:00.0") from it or from its short form ("81:00.0"); nothing: neither.
[[nodiscard]] std::optional<std::string> pci_address(std::string_view text);

}  // namespace bindgate
