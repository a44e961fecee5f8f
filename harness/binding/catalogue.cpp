#include "binding/catalogue.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include "binding/built_in_variants.hpp"
#include "binding/expression.hpp"
#include "core/files.hpp"
#include "core/names.hpp"

namespace bindgate {
namespace {

constexpr std::size_t largest_file = 1 << 20;
constexpr std::size_t most_members = 4096;  // each is planned, tried in a child and printed

// As it is asked for in --help and in errors.
std::string placeholder_of(Parameter parameter) {
  switch (parameter) {
    case Parameter::device: return "PCI";
    case Parameter::cpu_list: return "LIST";
    default: return "NODE";
  }
}

bool reads_like_member(std::string_view name, const Variant& family) {
  return !family.family.empty() && name.size() > family.name.size() && name.starts_with(family.name) &&
         name[family.name.size()] == ':';
}

std::string typed_form(const Variant& variant) {
  std::string arguments;
  if (variant.ranks > 0) return variant.name;
  for (const Parameter parameter : variant.family)
    arguments += (arguments.empty() ? ":" : ",") + placeholder_of(parameter);
  if (arguments.empty()) return variant.name;
  // Without an argument a family means all of its members, which only the user can list for these.
  const bool must_be_given = !variant.profile && variant.family.front() != Parameter::node;
  return variant.name + (must_be_given ? arguments : '[' + arguments + ']');
}

std::vector<std::string> values_here(const Variant& family, Parameter parameter, const Ground& ground) {
  std::vector<std::string> values;
  if (parameter == Parameter::rank) {
    for (unsigned rank = 0; rank < family.ranks; ++rank) values.push_back(std::to_string(rank));
    return values;
  }
  if (parameter == Parameter::device) {
    for (const Device& device : ground.machine.devices)
      if (device.kind != "other" && std::find(values.begin(), values.end(), device.pci) == values.end())
        values.push_back(device.pci);
    return values;
  }
  for (const unsigned id : parameter == Parameter::node ? ground.nodes_with_cpus() : ground.memory_nodes)
    if (ground.node(id)->kind != "gpu") values.push_back(std::to_string(id));
  return values;
}

std::string no_value(Parameter parameter) {
  switch (parameter) {
    case Parameter::node: return "no node has an allowed CPU";
    case Parameter::memory_node: return "no node has allowed memory";
    case Parameter::device: return "no GPU or network device is known here";
    case Parameter::cpu_list:
    case Parameter::rank: break;
  }
  return "it needs a list, as cpus:0-3,8";
}

// A value as typed, in the form in which it stands in a member's name.
Result<std::string> checked(Parameter parameter, std::string_view value, const Ground& ground) {
  if (parameter == Parameter::device) {
    if (auto address = pci_address(value)) return *std::move(address);
    return fail("'" + std::string(value) + "' is no PCI address; write it like 0000:81:00.0 or 81:00.0");
  }
  const auto ids = IndexSet::parse(value);
  if (!ids) return tl::unexpected(ids.error());
  if (parameter == Parameter::cpu_list) {
    // Refused as a whole: a part of the list would be another placement than the one that was asked for.
    if (const auto usable = usable_cpus(ground, *ids); !usable) return tl::unexpected(usable.error());
    return std::string(value);
  }
  if (ids->size() != 1)
    return fail("'" + std::string(value) + "' is no " + (parameter == Parameter::rank ? "rank" : "node's id") +
                "; write it like 0");
  return ids->list();
}

std::string group_of(const Variant& family) { return family.ranks > 0 ? family.name : ""; }

// What stands after the colon, for each parameter its value; the last has all that is left, as a list has commas too.
std::vector<std::string> values_in(const std::string& name, const Variant& family) {
  std::vector<std::string> values;
  std::string_view rest = std::string_view(name).substr(family.name.size() + 1);
  for (auto comma = rest.find(','); comma != std::string_view::npos && values.size() + 1 < family.family.size();
       comma = rest.find(',')) {
    values.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(comma + 1);
  }
  values.emplace_back(rest);
  return values;
}

Result<std::vector<NamedVariant>> member_named(const Variant& family, const std::string& name, const Ground& ground) {
  std::vector<std::string> values = values_in(name, family);
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto value = checked(family.family[i], values[i], ground);
    if (!value) return fail("variant '" + name + "'", value.error());
    if (family.ranks > 0 && std::stoul(*value) >= family.ranks)
      return fail("variant '" + name + "': " + family.name + " has ranks 0 to " + std::to_string(family.ranks - 1));
    values[i] = *std::move(value);
  }
  if (values.size() < family.family.size())
    return fail("variant '" + name + "': a value is missing; write it like " + typed_form(family));
  // The list stays as it was typed: it is what the run is asked for by.
  Variant member = member_of(family, values);
  return std::vector{NamedVariant{member.name, member, "", group_of(family)}};
}

std::vector<NamedVariant> all_members(const Variant& family, const Ground& ground) {
  std::vector<std::vector<std::string>> combinations{{}};
  for (const Parameter parameter : family.family) {
    const auto values = values_here(family, parameter, ground);
    if (values.empty()) return {{family.name, family, no_value(parameter)}};
    if (combinations.size() * values.size() > most_members)
      return {{family.name, family, "it is more than " + std::to_string(most_members) +
                                        " variants here; name those that matter, like " + typed_form(family)}};
    std::vector<std::vector<std::string>> longer;
    for (const auto& begun : combinations)
      for (const std::string& value : values) {
        longer.push_back(begun);
        longer.back().push_back(value);
      }
    combinations = std::move(longer);
  }
  std::vector<NamedVariant> members;
  for (const auto& values : combinations) {
    Variant member = member_of(family, values);
    members.push_back({member.name, std::move(member), "", group_of(family)});
  }
  return members;
}

// A name that is built in, or reads like the member of a family.
Result<void> check_names(const std::vector<Variant>& own, const Catalogue& built_in) {
  for (const Variant& variant : own) {
    const std::string clash = "variant '" + variant.name + "' ";
    if (const Variant* known = built_in.find(variant.name))
      return fail(clash +
                  (known->name == variant.name ? "is built in" : "reads like a member of the built-in " + known->name) +
                  "; give it another name");
    const auto is_its_family = [&](const Variant& other) { return reads_like_member(variant.name, other); };
    if (const auto family = std::find_if(own.begin(), own.end(), is_its_family); family != own.end())
      return fail(clash + "reads like a member of variant '" + family->name + "'; give one of them another name");
  }
  return {};
}

}  // namespace

Catalogue::Catalogue() {
  auto variants = parse_variants(built_in_variants(), "variants.json");
  if (!variants) std::abort();  // no build with such a file passes its first test
  variants_ = *std::move(variants);
}

Result<Catalogue> Catalogue::with_text(std::string_view text, const std::string& source) {
  auto own = parse_variants(text, source);
  if (!own) return tl::unexpected(own.error());
  Catalogue catalogue;
  if (const auto checked = check_names(*own, catalogue); !checked) return fail(source, checked.error());
  for (Variant& variant : *own) catalogue.variants_.push_back(std::move(variant));
  return catalogue;
}

Result<Catalogue> Catalogue::with_file(const std::filesystem::path& file) {
  const auto text = read_file(file, largest_file);
  if (!text) return tl::unexpected(text.error());
  return with_text(*text, file.string());
}

std::vector<VariantHelp> Catalogue::help() const {
  std::vector<VariantHelp> help;
  for (const Variant& variant : variants_) help.push_back({typed_form(variant), variant.meaning, !variant.profile});
  return help;
}

std::vector<std::string> Catalogue::defaults(Profile profile) const {
  std::vector<std::string> names;
  for (const Variant& variant : variants_)
    if (variant.profile && *variant.profile <= profile) names.push_back(variant.name);
  return names;
}

const Variant* Catalogue::find(std::string_view name) const {
  for (const Variant& variant : variants_)
    if (variant.name == name) return &variant;
  for (const Variant& variant : variants_)
    if (reads_like_member(name, variant)) return &variant;
  return nullptr;
}

std::string Catalogue::meaning_of(const std::string& name) const {
  const Variant* found = find(name);
  if (!found) return "";
  if (found->name == name) return found->meaning;
  const std::vector<std::string> values = values_in(name, *found);
  return values.size() == found->family.size() ? member_of(*found, values).meaning : "";
}

bool Catalogue::needs_devices(std::span<const std::string> names) const {
  return std::any_of(names.begin(), names.end(), [this](const std::string& name) {
    const Variant* found = find(name);
    if (!found) return false;
    const auto& family = found->family;
    if (std::find(family.begin(), family.end(), Parameter::device) != family.end()) return true;
    const auto names_device = [](const std::string& text) {
      const auto expression = Expression::parse(text);
      return expression && expression->names_device();
    };
    return names_device(found->cpus) || names_device(found->workers);
  });
}

Result<std::vector<NamedVariant>> Catalogue::named(std::span<const std::string> names, const Ground& ground) const {
  std::vector<NamedVariant> all;
  std::map<std::string, std::string> asked_as;
  for (const std::string& name : names) {
    const Variant* found = find(name);
    if (!found) {
      std::vector<std::string> known;
      for (const Variant& variant : variants_) known.push_back(variant.name);
      return fail("variant '" + name + "' is unknown" + suggest(name, known));
    }
    Result<std::vector<NamedVariant>> members = std::vector{NamedVariant{name, *found, ""}};
    if (!found->family.empty() && found->name != name) members = member_named(*found, name, ground);
    else if (!found->family.empty() && found->family.front() == Parameter::cpu_list)
      return fail("variant '" + name + "': " + no_value(Parameter::cpu_list));
    else if (!found->family.empty()) members = all_members(*found, ground);
    if (!members) return members;
    for (NamedVariant& member : *members) {
      const auto [earlier, is_new] = asked_as.emplace(member.name, name);
      if (!is_new)
        return fail("variant '" + member.name + "' is named twice" +
                    (earlier->second == name ? "" : ", as " + earlier->second + " and as " + name) +
                    "; name each once");
      all.push_back(std::move(member));
    }
  }
  return all;
}

}  // namespace bindgate
