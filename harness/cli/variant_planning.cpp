#include "cli/variant_planning.hpp"

#include <algorithm>
#include <optional>

#include "binding/apply.hpp"
#include "binding/variants.hpp"
#include "binding/wrappers.hpp"

namespace bindgate {
namespace {

constexpr std::string_view degraded_ending = "-degraded";

std::vector<Placement> placements_in(const PlannedVariant& variant) {
  return variant.alternatives.empty() ? std::vector{variant.placement} : variant.alternatives;
}

// What the kernel refuses of it; nothing: it grants all.
std::optional<Error> refusal_of(const PlannedVariant& variant) {
  for (const Placement& placement : placements_in(variant))
    if (const auto granted = probe(placement); !granted) return granted.error();
  return std::nullopt;
}

// The CPUs of a variant whose memory policy is refused, under another name; nothing: there is no less to ask for.
std::optional<PlannedVariant> weaker(const PlannedVariant& strong, const std::string& refusal) {
  if (strong.placement.memory.policy == MemoryPolicy::default_policy) return std::nullopt;
  PlannedVariant weak;
  weak.name = strong.name + std::string(degraded_ending);
  weak.group = strong.group.empty() ? "" : strong.group + std::string(degraded_ending);
  weak.status = VariantStatus::degraded;
  weak.reason = refusal + "; left of " + strong.name + ": its CPUs, with the default memory policy";
  std::vector<Placement> placements;
  for (Placement placement : placements_in(strong)) {
    placement.memory = {};
    if (std::find(placements.begin(), placements.end(), placement) == placements.end())
      placements.push_back(std::move(placement));
  }
  weak.placement = placements.front();
  if (placements.size() > 1) weak.alternatives = std::move(placements);
  if (refusal_of(weak)) return std::nullopt;
  return weak;
}

std::vector<PlannedVariant> granted(std::vector<PlannedVariant> planned, bool allow_degraded) {
  std::vector<PlannedVariant> all;
  for (PlannedVariant& variant : planned) {
    const auto refusal = variant.status == VariantStatus::ok ? refusal_of(variant) : std::nullopt;
    std::optional<PlannedVariant> weak;
    if (refusal) {
      weak = allow_degraded ? weaker(variant, refusal->message) : std::nullopt;
      variant.status = VariantStatus::skipped;
      variant.reason = refusal->message;
    }
    all.push_back(std::move(variant));
    if (weak) all.push_back(*std::move(weak));
  }
  skip_incomplete_groups(all);
  find_equals(all);
  return all;
}

bool is_named(std::span<const std::string> names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Result<std::vector<PlannedVariant>> plan_here(const Machine& machine, const Catalogue& catalogue,
                                              const VariantWishes& wishes) {
  std::vector<std::string> known;
  std::vector<PlannedVariant> remembered;
  for (const std::string& name : wishes.names) {
    const std::size_t before = remembered.size();
    for (const PlannedVariant& one : wishes.remembered)
      if (strong_name(one) == name && !catalogue.find(name)) remembered.push_back(one);
    if (remembered.size() == before) known.push_back(name);
  }
  if (known.empty() && !remembered.empty()) known.emplace_back("none");  // and not all
  auto planned = plan_variants(catalogue, machine, known, "none", apply_through);
  if (!planned) return planned;
  planned->insert(planned->end(), remembered.begin(), remembered.end());
  const auto position = [&wishes](const PlannedVariant& variant) {
    const auto is_it = [&variant](const PlannedVariant& one) { return one.name == variant.name; };
    return std::find_if(wishes.remembered.begin(), wishes.remembered.end(), is_it);
  };
  if (!remembered.empty())
    std::stable_sort(planned->begin(), planned->end(),
                     [&](const PlannedVariant& a, const PlannedVariant& b) { return position(a) < position(b); });
  if (!machine.live) return planned;
  return granted(*std::move(planned), wishes.allow_degraded);
}

Result<PlannedVariant> plan_one_here(const Machine& machine, const Catalogue& catalogue, const std::string& name) {
  const std::vector<std::string> names{name};
  const auto named = catalogue.named(names, Ground(machine));
  if (!named) return tl::unexpected(named.error());
  const NamedVariant& one = named->front();
  if (one.absence.empty() && one.name != name && catalogue.find(name)->name == name)
    return fail("variant '" + name + "' is a family; name one of them, as " + one.name);
  const auto planned = plan_variants(catalogue, machine, names, "none", apply_through);
  if (!planned) return tl::unexpected(planned.error());
  const auto found = std::find_if(planned->begin(), planned->end(),
                                  [&](const PlannedVariant& variant) { return variant.name == one.name; });
  if (found->status == VariantStatus::skipped)
    return fail("variant '" + one.name + "': not on this machine: " + found->reason);
  return *found;
}

void remember(const Plan& stored, const Catalogue& catalogue, VariantWishes& wishes) {
  const auto is_degraded = [](const PlannedVariant& one) { return one.status == VariantStatus::degraded; };
  const auto is_unknown = [&](const PlannedVariant& one) { return !catalogue.find(strong_name(one)); };
  if (std::any_of(stored.variants.begin(), stored.variants.end(), is_degraded)) wishes.allow_degraded = true;
  if (std::any_of(stored.variants.begin(), stored.variants.end(), is_unknown)) wishes.remembered = stored.variants;
}

std::vector<std::string> asked_for(std::span<const PlannedVariant> planned, std::span<const std::string> names,
                                   const std::string& base) {
  std::vector<std::string> asked;
  for (const PlannedVariant& variant : planned)
    if (variant.status != VariantStatus::degraded && (variant.name != base || is_named(names, base)))
      asked.push_back(variant.name);
  return asked;
}

std::string strong_name(const PlannedVariant& variant) {
  if (variant.status != VariantStatus::degraded || !variant.name.ends_with(degraded_ending)) return variant.name;
  return variant.name.substr(0, variant.name.size() - degraded_ending.size());
}

unsigned placements_of(std::span<const PlannedVariant> variants) {
  return static_cast<unsigned>(std::count_if(variants.begin(), variants.end(), [](const PlannedVariant& variant) {
    return variant.status != VariantStatus::skipped && variant.same_as.empty();
  }));
}

std::vector<unsigned> threads_of_members(std::span<const PlannedVariant> variants) {
  std::vector<unsigned> threads{variants.front().placement.threads};  // of the twin
  for (const PlannedVariant& variant : variants)
    if (variant.status != VariantStatus::skipped && variant.same_as.empty())
      threads.push_back(variant.placement.threads);
  return threads;
}

}  // namespace bindgate
