#pragma once
// What makes two machines comparable, as named fields. The fields come from the topology; here they
// only get an identity that is stable across boots and listing order, and a way to say what differs.

#include <map>
#include <string>
#include <vector>

namespace bindgate {

struct Fingerprint {
  std::map<std::string, std::string> fields;  ///< name -> value; "cpu" (model name) leads the slug

  /// A readable slug and eight hexadecimal digits (FNV-1a of the fields), safe as a directory name.
  [[nodiscard]] std::string id() const;

  bool operator==(const Fingerprint&) const = default;
};

/// One line per field that differs, as "memory: 32 GiB here, 64 GiB there"; absent shows as "nothing".
[[nodiscard]] std::vector<std::string> differences(const std::map<std::string, std::string>& here,
                                                   const std::map<std::string, std::string>& there);

}  // namespace bindgate
