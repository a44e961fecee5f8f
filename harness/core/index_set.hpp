#pragma once
// A set of CPUs or of memory nodes by the operating system's ids, without a size limit.
// It knows Linux's list notation and set algebra; what an id means is the topology's business.

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace bindgate {

class IndexSet {
 public:
  /// Ids above this are refused when parsing: a typing error would otherwise allocate gigabytes.
  static constexpr unsigned largest_id = (1u << 20) - 1;

  IndexSet() = default;
  IndexSet(std::initializer_list<unsigned> ids);

  /// Reads Linux's list notation ("0-3,8,10-11"; surrounding white space allowed; "" is the empty set).
  /// Errors: anything else, a range that runs backwards, an id above `largest_id`.
  static Result<IndexSet> parse(std::string_view list);

  /// The ids from `first` to `last`, both included; empty when `last` is below `first`.
  static IndexSet range(unsigned first, unsigned last);

  /// Linux's list notation, shortest form ("0-3,8"); "" when empty.
  [[nodiscard]] std::string list() const;

  void insert(unsigned id);
  [[nodiscard]] bool contains(unsigned id) const;
  [[nodiscard]] bool contains(const IndexSet& other) const;  ///< every id of `other` is here
  [[nodiscard]] bool intersects(const IndexSet& other) const;
  [[nodiscard]] bool empty() const { return ids_.empty(); }
  [[nodiscard]] std::size_t size() const { return ids_.size(); }
  [[nodiscard]] std::optional<unsigned> first() const;
  [[nodiscard]] std::optional<unsigned> last() const;

  [[nodiscard]] auto begin() const { return ids_.begin(); }  ///< ids in rising order
  [[nodiscard]] auto end() const { return ids_.end(); }

  friend IndexSet operator&(const IndexSet& a, const IndexSet& b);
  friend IndexSet operator|(const IndexSet& a, const IndexSet& b);
  friend IndexSet operator-(const IndexSet& a, const IndexSet& b);
  bool operator==(const IndexSet&) const = default;

 private:
  std::vector<unsigned> ids_;  // rising, no duplicates
};

}  // namespace bindgate
