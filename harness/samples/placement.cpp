#include "samples/placement.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/names.hpp"

namespace bindgate {
namespace {

constexpr std::array<std::string_view, 7> policy_names{
    "default", "local", "bind", "preferred", "preferred-many", "interleave", "weighted-interleave"};
constexpr std::array<std::string_view, 3> status_names{"ok", "skipped", "degraded"};

nlohmann::json text_or_null(const std::string& text) { return text.empty() ? nlohmann::json() : nlohmann::json(text); }

std::string text_if_any(const JsonCursor& cursor, std::string_view key) {
  const auto text = cursor.find(key);
  return text ? text->string() : "";
}

// All of a placement but its CPUs.
std::string rest_of(const Placement& placement) {
  std::string text = ", memory " + std::string(policy_names[static_cast<std::size_t>(placement.memory.policy)]);
  if (!placement.memory.nodes.empty()) text += ' ' + placement.memory.nodes.list();
  text += ", " + counted(placement.threads, "thread");
  if (!placement.workers.empty()) text += ", workers on CPUs " + placement.workers.list();
  for (const auto& [name, value] : placement.environment) text += ", " + name + '=' + value;
  return text;
}

}  // namespace

std::string_view name_of(MemoryPolicy policy) { return policy_names[static_cast<std::size_t>(policy)]; }
std::string_view name_of(VariantStatus status) { return status_names[static_cast<std::size_t>(status)]; }

IndexSet read_index_set(const JsonCursor& cursor) {
  auto set = IndexSet::parse(cursor.string());
  if (set) return *std::move(set);
  cursor.fault(set.error().message);
  return {};
}

const Placement& placement_in_round(const PlannedVariant& variant, unsigned round) {
  return variant.alternatives.empty() ? variant.placement : variant.alternatives[round % variant.alternatives.size()];
}

std::string describe(const Placement& placement) { return "CPUs " + placement.cpus.list() + rest_of(placement); }

std::string describe(const PlannedVariant& variant) {
  if (variant.alternatives.empty()) return describe(variant.placement);
  const std::string rest = rest_of(variant.placement);
  const bool only_cpus_differ = std::all_of(variant.alternatives.begin(), variant.alternatives.end(),
                                            [&](const Placement& one) { return rest_of(one) == rest; });
  std::string text;
  for (const Placement& one : variant.alternatives)
    text += (text.empty()       ? "CPUs "
             : only_cpus_differ ? " or "
                                : " or CPUs ") +
            one.cpus.list() + (only_cpus_differ ? "" : rest_of(one));
  return text + " in turn" + (only_cpus_differ ? rest : "");
}

std::string describe(const PlannedVariant& variant, const std::set<unsigned>& rounds,
                     std::span<const PlannedVariant> planned) {
  std::string text = describe(variant);
  if (!variant.alternatives.empty()) {
    std::vector<unsigned> shares(variant.alternatives.size());
    for (const unsigned round : rounds) ++shares[round % shares.size()];
    if (!std::equal(shares.begin() + 1, shares.end(), shares.begin())) {
      text += ", in shares ";
      for (std::size_t i = 0; i < shares.size(); ++i) text += (i == 0 ? "" : ":") + std::to_string(shares[i]);
    }
  }
  if (!variant.group.empty())
    for (const PlannedVariant& fellow : planned)
      if (fellow.group == variant.group && fellow.name != variant.name) text += "; beside it " + describe(fellow);
  return text;
}

nlohmann::json to_json(const Placement& placement) {
  return {{"cpus", placement.cpus.list()},
          {"memory", {{"policy", name_of(placement.memory.policy)}, {"nodes", placement.memory.nodes.list()}}},
          {"threads", placement.threads},
          {"workers", text_or_null(placement.workers.list())},
          {"environment", placement.environment}};
}

Placement read_placement(const JsonCursor& cursor) {
  Placement placement;
  placement.cpus = read_index_set(cursor["cpus"]);
  placement.memory.policy = static_cast<MemoryPolicy>(cursor["memory"]["policy"].one_of(policy_names));
  placement.memory.nodes = read_index_set(cursor["memory"]["nodes"]);
  placement.threads = static_cast<unsigned>(cursor["threads"].integer(1, IndexSet::largest_id));
  if (const auto workers = cursor.find("workers")) placement.workers = read_index_set(*workers);
  placement.environment = cursor["environment"].string_map();
  return placement;
}

nlohmann::json to_json(const PlannedVariant& variant) {
  nlohmann::json json{{"name", variant.name},
                      {"status", name_of(variant.status)},
                      {"reason", text_or_null(variant.reason)},
                      {"same_as", text_or_null(variant.same_as)},
                      {"group", text_or_null(variant.group)}};
  if (variant.status == VariantStatus::skipped)
    for (const char* key : {"cpus", "memory", "threads", "workers", "environment", "rotates"}) json[key] = nullptr;
  else
    json.update(to_json(variant.placement));
  if (variant.status == VariantStatus::skipped) return json;
  json["rotates"] = nlohmann::json::array();
  for (std::size_t i = 1; i < variant.alternatives.size(); ++i)
    json["rotates"].push_back(to_json(variant.alternatives[i]));
  return json;
}

PlannedVariant read_planned_variant(const JsonCursor& cursor) {
  PlannedVariant variant;
  variant.name = cursor["name"].string();
  variant.status = static_cast<VariantStatus>(cursor["status"].one_of(status_names));
  variant.reason = text_if_any(cursor, "reason");
  variant.same_as = text_if_any(cursor, "same_as");
  variant.group = text_if_any(cursor, "group");
  if (variant.status == VariantStatus::skipped) return variant;
  variant.placement = read_placement(cursor);
  if (const auto rotates = cursor.find("rotates"))
    for (const JsonCursor& other : rotates->items()) {
      if (variant.alternatives.empty()) variant.alternatives.push_back(variant.placement);
      variant.alternatives.push_back(read_placement(other));
    }
  return variant;
}

}  // namespace bindgate
