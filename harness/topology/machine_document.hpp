#pragma once
// What `bindgate topology --json` printed once, read again: the machine of another day or another place, to be looked
// at and compared. Documents of earlier versions, which lack some keys, are read too.

#include <set>
#include <string>
#include <string_view>

#include "topology/machine.hpp"

namespace bindgate {

/// Whether a file with this text can only be meant as one: it begins as JSON does.
[[nodiscard]] bool looks_like_machine_document(std::string_view text);

struct MachineDocument {
  Machine machine;
  Fingerprint fingerprint;     ///< as it was printed
  std::set<std::string> told;  ///< the document's keys: what is missing was not known, rather than empty
  bool operator==(const MachineDocument&) const = default;
};

/// `source`: the file, for errors. Errors: no JSON, another document, a wrong type or value; each names the key.
[[nodiscard]] Result<MachineDocument> parse_machine_document(std::string_view text, const std::string& source);

/// The document without its schema, as a run's journal carries the machine. Errors: as above.
[[nodiscard]] Result<Machine> parse_machine(std::string_view text, const std::string& source);

/// Such a document, or a machine from any other source that read_machine takes, with its devices.
[[nodiscard]] Result<MachineDocument> read_machine_document(const std::string& source);

}  // namespace bindgate
