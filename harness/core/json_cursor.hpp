#pragma once
// Strict reading of JSON that people and programs wrote: every wrong type, range or key becomes one
// line that names the file and the key's path. The first fault sticks; reading on gives harmless
// defaults, so a reader is straight code with one check at its end.

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace bindgate {

class JsonDocument;

/// What `find` makes of a member that is null. Our own documents write null for what is unknown; in what people write
/// it is a value like any other, and wrong where something else is expected.
enum class Nulls { are_absent, are_values };

/// One place in a document. It must not outlive its JsonDocument.
class JsonCursor {
 public:
  [[nodiscard]] JsonCursor operator[](std::string_view key) const;           ///< a member that must be there
  [[nodiscard]] std::optional<JsonCursor> find(std::string_view key) const;  ///< absent: nothing; null: see Nulls
  [[nodiscard]] std::vector<JsonCursor> items() const;                       ///< of an array
  [[nodiscard]] std::vector<std::pair<std::string, JsonCursor>> members() const;  ///< of an object, keys sorted

  [[nodiscard]] std::string string() const;
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] double number(double low = std::numeric_limits<double>::lowest(),
                              double high = std::numeric_limits<double>::max()) const;
  [[nodiscard]] std::int64_t integer(std::int64_t low = 0,
                                     std::int64_t high = std::numeric_limits<std::int64_t>::max()) const;
  [[nodiscard]] std::vector<std::int64_t> integers(std::int64_t low = 0,
                                                   std::int64_t high = std::numeric_limits<std::int64_t>::max()) const;
  [[nodiscard]] std::vector<std::string> strings() const;
  [[nodiscard]] std::map<std::string, std::string> string_map() const;
  [[nodiscard]] std::map<std::string, double> number_map() const;
  [[nodiscard]] bool is_string() const;
  [[nodiscard]] bool is_number() const;
  [[nodiscard]] bool is_object() const;
  [[nodiscard]] std::string dump() const;  ///< the JSON text of this place, on one line

  /// One of `names`, as its position there; the error suggests the nearest.
  [[nodiscard]] std::size_t one_of(std::span<const std::string_view> names) const;

  /// Faults every member whose key is not in `keys`, with the nearest known key.
  void only(std::initializer_list<std::string_view> keys) const;

  /// Records a fault at this place: "SOURCE: $.path: problem".
  void fault(std::string problem) const;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  friend class JsonDocument;
  JsonCursor(JsonDocument* document, const nlohmann::json* value, std::string path);
  [[nodiscard]] std::string found() const;

  JsonDocument* document_;
  const nlohmann::json* value_;
  std::string path_;
};

class JsonDocument {
 public:
  /// Parses `text`; a syntax error (its line and column, what was expected there and what was found), duplicate key,
  /// absurd nesting or number too large for a double is the fault.
  /// `source` is put before every fault: a file, "FILE:LINE", or what else says where the text came from.
  JsonDocument(std::string_view text, std::string source, Nulls nulls = Nulls::are_absent);
  ~JsonDocument();
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  [[nodiscard]] JsonCursor root();
  [[nodiscard]] bool good() const { return fault_.empty(); }

  /// What was read, if nothing was faulty; else the first fault.
  template <class T>
  [[nodiscard]] Result<T> finish(T value) const {
    if (!good()) return fail(fault_);
    return value;
  }

 private:
  friend class JsonCursor;
  std::unique_ptr<nlohmann::json> value_;
  std::string source_;
  Nulls nulls_;
  std::string fault_;
};

}  // namespace bindgate
