#include "topology/machine_document.hpp"

#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/files.hpp"

namespace bindgate {
namespace {

constexpr std::string_view schema = "bindgate.topology/1";

unsigned id_at(const JsonCursor& at) {
  return static_cast<unsigned>(at.integer(0, std::numeric_limits<unsigned>::max()));
}

std::optional<unsigned> id_or_nothing(const JsonCursor& object, std::string_view key) {
  const auto at = object.find(key);
  return at ? std::optional(id_at(*at)) : std::nullopt;
}

std::optional<std::uint64_t> amount_or_nothing(const JsonCursor& object, std::string_view key) {
  const auto at = object.find(key);
  return at ? std::optional(static_cast<std::uint64_t>(at->integer())) : std::nullopt;
}

IndexSet set_at(const JsonCursor& at) {
  const auto set = IndexSet::parse(at.string());
  if (!set) at.fault(set.error().message);
  return set.value_or(IndexSet());
}

std::optional<IndexSet> set_or_nothing(const JsonCursor& object, std::string_view key) {
  const auto at = object.find(key);
  return at ? std::optional(set_at(*at)) : std::nullopt;
}

std::string text_or_empty(const JsonCursor& object, std::string_view key) {
  const auto at = object.find(key);
  return at ? at->string() : "";
}

// The elements of an array that earlier versions did not print.
std::vector<JsonCursor> items_or_none(const JsonCursor& object, std::string_view key) {
  const auto at = object.find(key);
  return at ? at->items() : std::vector<JsonCursor>();
}

void read_places(const JsonCursor& root, Machine& machine) {
  for (const JsonCursor& at : root["packages"].items())
    machine.packages.push_back({id_at(at["id"]), set_at(at["cpus"])});
  for (const JsonCursor& at : items_or_none(root, "dies"))
    machine.dies.push_back({id_at(at["id"]), id_or_nothing(at, "package"), set_at(at["cpus"])});
  for (const JsonCursor& at : root["cores"].items())
    machine.cores.push_back({set_at(at["cpus"]), id_or_nothing(at, "package"), set_at(at["nodes"]),
                             id_or_nothing(at, "l3"), text_or_empty(at, "kind")});
  for (const JsonCursor& at : root["l3"].items())
    machine.l3.push_back({id_at(at["id"]), set_at(at["cpus"]), static_cast<std::uint64_t>(at["bytes"].integer())});
  for (const JsonCursor& at : items_or_none(root, "clusters"))
    machine.clusters.push_back({id_at(at["id"]), set_at(at["cpus"])});
}

void read_nodes(const JsonCursor& root, Machine& machine) {
  for (const JsonCursor& at : root["nodes"].items())
    machine.nodes.push_back({id_at(at["id"]), set_at(at["cpus"]),
                             static_cast<std::uint64_t>(at["memory_bytes"].integer()), at["kind"].string(),
                             amount_or_nothing(at, "bandwidth_mib_s"), amount_or_nothing(at, "latency_ns")});
  const auto distances = root.find("distances");
  if (!distances) return;
  for (const JsonCursor& row : distances->items()) {
    auto& values = machine.distances.emplace_back();
    for (const std::int64_t value : row.integers()) values.push_back(static_cast<std::uint64_t>(value));
    if (values.size() != machine.nodes.size()) row.fault("needs one distance for each node");
  }
  if (machine.distances.size() != machine.nodes.size()) distances->fault("needs one row for each node");
}

/// The fingerprint's fields.
std::map<std::string, std::string> read_machine_keys(const JsonCursor& root, Machine& machine) {
  machine.source = text_or_empty(root, "source");
  if (const auto live = root.find("live")) machine.live = live->boolean();
  machine.cpu_model = text_or_empty(root, "cpu");
  machine.hypervisor = text_or_empty(root, "hypervisor");
  machine.online = set_at(root["online"]);
  machine.offline = set_or_nothing(root, "offline");
  machine.isolated = set_or_nothing(root, "isolated");
  machine.no_tick = set_or_nothing(root, "nohz_full");
  machine.allowed_cpus = set_at(root["allowed"]["cpus"]);
  machine.allowed_nodes = set_at(root["allowed"]["nodes"]);
  if (const auto quota = root.find("quota_cpus")) machine.quota_cpus = quota->number(0);
  read_places(root, machine);
  read_nodes(root, machine);
  for (const JsonCursor& at : root["devices"].items())
    machine.devices.push_back(
        {at["pci"].string(), at["kind"].string(), at["name"].string(), id_or_nothing(at, "node")});
  machine.findings = root["findings"].strings();
  machine.traits = root["fingerprint_fields"].string_map();
  const std::map<std::string, std::string> fields = machine.traits;
  // What the machine's other members make up is no trait.
  for (const auto& [name, value] : fingerprint_of({}).fields) machine.traits.erase(name);
  return fields;
}

}  // namespace

bool looks_like_machine_document(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

Result<MachineDocument> parse_machine_document(std::string_view text, const std::string& source) {
  JsonDocument json(text, source);
  const JsonCursor root = json.root();
  if (const std::string found = root["schema"].string(); json.good() && found != schema)
    root["schema"].fault("is '" + found + "'; give a file that bindgate topology --json wrote (" + std::string(schema) +
                         ')');
  MachineDocument document;
  document.fingerprint.fields = read_machine_keys(root, document.machine);
  for (const auto& [key, value] : root.members()) document.told.insert(key);
  return json.finish(std::move(document));
}

Result<Machine> parse_machine(std::string_view text, const std::string& source) {
  JsonDocument json(text, source);
  Machine machine;
  read_machine_keys(json.root(), machine);
  return json.finish(std::move(machine));
}

Result<MachineDocument> read_machine_document(const std::string& source) {
  std::error_code missing;
  const bool is_file = std::filesystem::is_regular_file(source, missing);
  const bool is_synthetic = source.starts_with("synthetic:");
  if (is_file) {
    const auto text = read_file(source);
    if (!text) return tl::unexpected(text.error());
    if (looks_like_machine_document(*text)) return parse_machine_document(*text, source);
  }
  auto machine = read_machine(source, true);
  if (!machine) return tl::unexpected(machine.error());
  MachineDocument document{std::move(*machine), {}, {}};
  document.fingerprint = fingerprint_of(document.machine);
  const nlohmann::json keys = to_json(document.machine);
  for (const auto& [key, value] : keys.items()) document.told.insert(key);
  // hwloc's own formats have no place for a quota, and null would say that there is none.
  if (is_file || is_synthetic) document.told.erase("quota_cpus");
  return document;
}

}  // namespace bindgate
