#pragma once
// Where nights are kept: DIR/<fingerprint id>/<case>.json, plain files for git, and beside them the list of cases
// that this machine measures each night. Which nights count and what they mean is the verdict's business;
// policy.json lies beside the folders and is not read here.

#include <filesystem>
#include <optional>
#include <string_view>

#include "core/error.hpp"
#include "core/fingerprint.hpp"
#include "samples/night.hpp"
#include "samples/profile_list.hpp"

namespace bindgate {

/// DIR/<fingerprint id>
[[nodiscard]] std::filesystem::path baseline_folder(const std::filesystem::path& directory, const Fingerprint& machine);

/// DIR/<fingerprint id>/<case>.json
[[nodiscard]] std::filesystem::path baseline_file(const std::filesystem::path& directory, const Fingerprint& machine,
                                                  std::string_view case_name);

/// DIR/<fingerprint id>/nightly.json
[[nodiscard]] std::filesystem::path nightly_list_file(const std::filesystem::path& directory,
                                                      const Fingerprint& machine);

/// The stored nightly list of this machine; nothing where there is none. Errors: as read_file and parse_profile_list,
/// and a list of another profile.
[[nodiscard]] Result<std::optional<ProfileList>> load_nightly_list(const std::filesystem::path& directory,
                                                                   const Fingerprint& machine);

/// Every case's history on this machine, sorted by name. With nothing stored for it, `cases` is empty and the
/// nearest other machine (fewest differing fields) is named; a directory that does not exist stores nothing.
/// Errors: a file instead of a directory, no permission, and whatever is wrong with a file of this machine: also
/// one whose case or fingerprint is not that of its place. Files of other machines are only looked at, not judged.
[[nodiscard]] Result<Baseline> load_baseline(const std::filesystem::path& directory, const Fingerprint& machine);

}  // namespace bindgate
