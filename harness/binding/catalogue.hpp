#pragma once
// Every variant that can be named: the built-in ones and those of the user's file. It knows what a name stands for;
// which CPUs and nodes that is on a machine is planned in variants.hpp.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "binding/ground.hpp"
#include "binding/variant.hpp"
#include "core/error.hpp"

namespace bindgate {

struct VariantHelp {
  std::string name;     ///< as typed, "cpus:LIST" for what needs an argument, "each-node[:NODE]" for what takes one
  std::string meaning;  ///< one line for --help
  bool asked = false;   ///< no profile measures it unasked
};

/// A variant that a name stands for on one machine; or, of a family that has no member there, why.
struct NamedVariant {
  std::string name;
  Variant variant;
  std::string absence;  ///< "" where there is one
  std::string group = {};  ///< the family whose ranks work at once; "": it works alone
};

class Catalogue {
 public:
  /// The built-in ones.
  Catalogue();
  /// And those of a file. Errors: as read_file and parse_variants, and a name that is built in or reads like the
  /// member of a family.
  [[nodiscard]] static Result<Catalogue> with_file(const std::filesystem::path& file);
  [[nodiscard]] static Result<Catalogue> with_text(std::string_view text, const std::string& source);

  /// In the order in which equal placements are told apart, the base first.
  [[nodiscard]] const std::vector<Variant>& variants() const { return variants_; }
  [[nodiscard]] std::vector<VariantHelp> help() const;
  /// Those that a run of this profile measures where none is named; a family by its own name.
  [[nodiscard]] std::vector<std::string> defaults(Profile profile) const;
  /// The variant of this name, or the family that it is a member of by its form; nothing: unknown.
  [[nodiscard]] const Variant* find(std::string_view name) const;
  /// The meaning of the variant of this name, a member's with its own values; "" where it has none or is unknown.
  [[nodiscard]] std::string meaning_of(const std::string& name) const;
  /// Whether one of them names a device, so that the machine must be read with its devices.
  [[nodiscard]] bool needs_devices(std::span<const std::string> names) const;

  /// What these names stand for, families as their members. Errors: an unknown name (the nearest is suggested), a
  /// family's values that have the wrong form, a list with a CPU that does not exist or is not allowed, a name twice.
  [[nodiscard]] Result<std::vector<NamedVariant>> named(std::span<const std::string> names, const Ground& ground) const;

 private:
  std::vector<Variant> variants_;
};

}  // namespace bindgate
