#include "binding/variants.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>

#include "binding/expression.hpp"
#include "binding/memory_wish.hpp"

namespace bindgate {
namespace {

unsigned threads_for(const ThreadWish& wish, const IndexSet& cpus, const Ground& ground) {
  double allowed = static_cast<double>(cpus.size());
  if (wish.each == ThreadWish::Each::launch) allowed = wish.count;
  if (wish.each == ThreadWish::Each::core) allowed = static_cast<double>(ground.by_core(cpus).size());
  allowed = std::max(1.0, std::floor(std::min(allowed, ground.machine.quota_cpus.value_or(allowed))));
  const unsigned capped = static_cast<unsigned>(allowed);
  return wish.each == ThreadWish::Each::cpu ? capped * wish.count : capped;
}

// A variant's texts, read.
struct Wishes {
  Expression cpus;
  std::optional<Expression> workers;
  MemoryWish memory;
  ThreadWish threads;

  [[nodiscard]] std::optional<AnyOf> open() const {
    const auto open = cpus.open();
    return open || !workers ? open : workers->open();
  }
};

Result<Wishes> wishes_of(const Variant& variant) {
  Wishes wishes;
  auto cpus = Expression::parse(variant.cpus);
  if (!cpus) return tl::unexpected(cpus.error());
  wishes.cpus = *std::move(cpus);
  if (variant.workers != "with-trainer") {
    auto workers = Expression::parse(variant.workers);
    if (!workers) return tl::unexpected(workers.error());
    wishes.workers = *std::move(workers);
  }
  const auto memory = MemoryWish::parse(variant.memory);
  if (!memory) return tl::unexpected(memory.error());
  wishes.memory = *memory;
  const auto threads = parse_threads(variant.threads);
  if (!threads) return tl::unexpected(threads.error());
  wishes.threads = *threads;
  return wishes;
}

Result<IndexSet> some_cpus(const Expression& expression, const std::string& text, const Ground& ground,
                           const Choice* chosen) {
  auto cpus = expression.evaluate(ground, chosen);
  if (cpus && cpus->empty()) return fail("no allowed CPU is in '" + text + "'");
  return cpus;
}

Result<Placement> placement_for(const Wishes& wishes, const Variant& variant, const Ground& ground,
                                const Choice* chosen) {
  Placement placement;
  auto cpus = some_cpus(wishes.cpus, variant.cpus, ground, chosen);
  if (!cpus) return tl::unexpected(cpus.error());
  placement.cpus = *std::move(cpus);
  auto memory = wishes.memory.resolve(ground, placement.cpus, chosen);
  if (!memory) return tl::unexpected(memory.error());
  placement.memory = simplest(*std::move(memory), ground);
  placement.threads = threads_for(wishes.threads, placement.cpus, ground);
  placement.environment = variant.environment;
  if (!wishes.workers) return placement;
  auto workers = some_cpus(*wishes.workers, variant.workers, ground, chosen);
  if (!workers) return fail("workers", workers.error());
  if (*workers != placement.cpus) placement.workers = *std::move(workers);
  return placement;
}

// Alike are those of the largest size; each is listed once.
std::vector<Placement> alike(std::vector<Placement> placements) {
  std::size_t widest = 0;
  for (const Placement& one : placements) widest = std::max(widest, one.cpus.size());
  std::vector<Placement> kept;
  for (Placement& one : placements)
    if (one.cpus.size() == widest && std::find(kept.begin(), kept.end(), one) == kept.end())
      kept.push_back(std::move(one));
  return kept;
}

void apply_through_wrapper(PlannedVariant& planned, std::vector<Placement>& placements, const std::string& wrapper,
                           const Ground& ground, const WrapperProbe& probe) {
  for (Placement& placement : placements) {
    auto wrapped = probe(wrapper, placement);
    if (!wrapped) {
      planned.status = VariantStatus::skipped;
      planned.reason = wrapped.error().message;
      return;
    }
    if (planned.reason.empty()) planned.reason = wrapped->difference;
    placement = std::move(wrapped->placement);
    placement.memory = simplest(std::move(placement.memory), ground);
  }
}

PlannedVariant plan_one(const NamedVariant& named, const Ground& ground, const WrapperProbe& probe) {
  PlannedVariant planned;
  planned.name = named.name;
  planned.group = named.group;
  Result<std::vector<Placement>> placements;
  if (!named.absence.empty())
    placements = fail(named.absence);
  else if (!named.variant.wrapper.empty() && (!probe || !ground.machine.live))
    placements = fail("what " + named.variant.wrapper + " does is known on the live machine only");
  else
    placements = placements_for(named.variant, ground);
  if (!placements) {
    planned.status = VariantStatus::skipped;
    planned.reason = placements.error().message;
    return planned;
  }
  if (!named.variant.wrapper.empty()) apply_through_wrapper(planned, *placements, named.variant.wrapper, ground, probe);
  if (planned.status == VariantStatus::skipped) return planned;
  planned.placement = placements->front();
  if (placements->size() > 1) planned.alternatives = *std::move(placements);
  return planned;
}

}  // namespace

Result<std::vector<Placement>> placements_for(const Variant& variant, const Ground& ground) {
  const auto wishes = wishes_of(variant);
  if (!wishes) return tl::unexpected(wishes.error());
  if (const auto possible = wishes->memory.check(ground); !possible) return tl::unexpected(possible.error());
  std::vector<Choice> choices(1);
  if (const auto open = wishes->open()) {
    auto found = ground.choices(*open);
    if (!found) return tl::unexpected(found.error());
    choices = *std::move(found);
  }
  std::vector<Placement> placements;
  std::optional<Error> refusal;
  for (const Choice& choice : choices) {
    auto placement = placement_for(*wishes, variant, ground, wishes->open() ? &choice : nullptr);
    if (placement)
      placements.push_back(*std::move(placement));
    else if (!refusal)
      refusal = std::move(placement.error());
  }
  if (placements.empty()) return tl::unexpected(*refusal);
  return alike(std::move(placements));
}

void find_equals(std::span<PlannedVariant> variants) {
  // A matrix of many nodes has thousands: only those whose first placement reads the same are compared.
  std::unordered_map<std::string, std::vector<const PlannedVariant*>> different;
  for (PlannedVariant& variant : variants) {
    variant.same_as.clear();
    if (variant.status == VariantStatus::skipped || !variant.group.empty()) continue;
    auto& candidates = different[describe(variant.placement)];
    const auto is_equal = [&variant](const PlannedVariant* earlier) {
      return earlier->placement == variant.placement && earlier->alternatives == variant.alternatives;
    };
    const auto equal = std::find_if(candidates.begin(), candidates.end(), is_equal);
    if (equal != candidates.end())
      variant.same_as = (*equal)->name;
    else
      candidates.push_back(&variant);
  }
}

void skip_incomplete_groups(std::span<PlannedVariant> variants) {
  for (const PlannedVariant& out : variants) {
    if (out.group.empty() || out.status != VariantStatus::skipped) continue;
    for (PlannedVariant& fellow : variants)
      if (fellow.group == out.group && fellow.status != VariantStatus::skipped) {
        fellow.status = VariantStatus::skipped;
        fellow.reason = out.name + ", which works beside it, cannot be had: " + out.reason;
      }
  }
}

Result<std::vector<PlannedVariant>> plan_variants(const Catalogue& catalogue, const Machine& machine,
                                                  std::span<const std::string> names, const std::string& base,
                                                  const WrapperProbe& probe) {
  const Ground ground(machine);
  if (ground.cpus.empty()) return fail(machine.source + ": no CPU is allowed there; nothing can be planned");
  std::vector<std::string> wanted(names.begin(), names.end());
  if (wanted.empty()) wanted = catalogue.defaults(Profile::thorough);
  auto named = catalogue.named(wanted, ground);
  // First, so that equal placements are measured as the base: it has the twin, and all others are compared with it.
  const auto is_base = [&base](const NamedVariant& one) { return one.name == base; };
  if (named && std::none_of(named->begin(), named->end(), is_base)) {
    wanted.insert(wanted.begin(), base);
    named = catalogue.named(wanted, ground);
  }
  if (!named) return tl::unexpected(named.error());
  const auto place = std::find_if(named->begin(), named->end(), is_base);
  if (place != named->end()) std::rotate(named->begin(), place, place + 1);

  std::vector<PlannedVariant> planned;
  for (const NamedVariant& one : *named) planned.push_back(plan_one(one, ground, probe));
  if (planned.front().status == VariantStatus::skipped)
    return fail("variant '" + planned.front().name + "' cannot be the base here: " + planned.front().reason +
                "; choose another");
  skip_incomplete_groups(planned);
  find_equals(planned);
  return planned;
}

Result<std::vector<PlannedVariant>> plan_variants(const Machine& machine, std::span<const std::string> names,
                                                  const std::string& base) {
  return plan_variants(Catalogue(), machine, names, base);
}

}  // namespace bindgate
