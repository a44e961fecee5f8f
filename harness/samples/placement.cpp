#include "samples/placement.hpp"

#include <array>
#include <nlohmann/json.hpp>

namespace bindgate {
namespace {

constexpr std::array<std::string_view, 4> policy_names{"default", "bind", "preferred", "interleave"};
constexpr std::array<std::string_view, 3> status_names{"ok", "skipped", "degraded"};

nlohmann::json text_or_null(const std::string& text) { return text.empty() ? nlohmann::json() : nlohmann::json(text); }

std::string text_if_any(const JsonCursor& cursor, std::string_view key) {
  const auto text = cursor.find(key);
  return text ? text->string() : "";
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

std::string describe(const Placement& placement) {
  std::string text = "CPUs " + placement.cpus.list() + ", memory " + std::string(name_of(placement.memory.policy));
  if (!placement.memory.nodes.empty()) text += ' ' + placement.memory.nodes.list();
  text += ", " + std::to_string(placement.threads) + (placement.threads == 1 ? " thread" : " threads");
  for (const auto& [name, value] : placement.environment) text += ", " + name + '=' + value;
  return text;
}

nlohmann::json to_json(const Placement& placement) {
  return {{"cpus", placement.cpus.list()},
          {"memory", {{"policy", name_of(placement.memory.policy)}, {"nodes", placement.memory.nodes.list()}}},
          {"threads", placement.threads},
          {"environment", placement.environment}};
}

Placement read_placement(const JsonCursor& cursor) {
  Placement placement;
  placement.cpus = read_index_set(cursor["cpus"]);
  placement.memory.policy = static_cast<MemoryPolicy>(cursor["memory"]["policy"].one_of(policy_names));
  placement.memory.nodes = read_index_set(cursor["memory"]["nodes"]);
  placement.threads = static_cast<unsigned>(cursor["threads"].integer(1, IndexSet::largest_id));
  placement.environment = cursor["environment"].string_map();
  return placement;
}

nlohmann::json to_json(const PlannedVariant& variant) {
  nlohmann::json json{{"name", variant.name},
                      {"status", name_of(variant.status)},
                      {"reason", text_or_null(variant.reason)},
                      {"same_as", text_or_null(variant.same_as)}};
  if (variant.status == VariantStatus::skipped)
    json.update({{"cpus", nullptr}, {"memory", nullptr}, {"threads", nullptr}, {"environment", nullptr}});
  else
    json.update(to_json(variant.placement));
  return json;
}

PlannedVariant read_planned_variant(const JsonCursor& cursor) {
  PlannedVariant variant;
  variant.name = cursor["name"].string();
  variant.status = static_cast<VariantStatus>(cursor["status"].one_of(status_names));
  variant.reason = text_if_any(cursor, "reason");
  variant.same_as = text_if_any(cursor, "same_as");
  if (variant.status != VariantStatus::skipped) variant.placement = read_placement(cursor);
  return variant;
}

}  // namespace bindgate
