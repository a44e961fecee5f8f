#include "samples/proof.hpp"

#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

namespace bindgate {
namespace {

constexpr std::array<std::string_view, 3> status_names{"held", "violated", "unverifiable"};

template <class Key>
std::map<Key, std::uint64_t> read_numbers(const JsonCursor& cursor, const char* what) {
  std::map<Key, std::uint64_t> numbers;
  for (const auto& [key, value] : cursor.members()) {
    Key number = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
    if (error != std::errc() || end != key.data() + key.size()) value.fault(std::string(what) + " must be a number");
    numbers[number] = static_cast<std::uint64_t>(value.integer());
  }
  return numbers;
}

NodeBytes read_node_bytes(const JsonCursor& cursor) { return read_numbers<unsigned>(cursor, "a node's id"); }

std::set<std::string> words_if_any(const JsonCursor& cursor, std::string_view key) {
  const auto words = cursor.find(key);
  if (!words) return {};
  const auto list = words->strings();
  return {list.begin(), list.end()};
}

}  // namespace

std::string_view name_of(ProofStatus status) { return status_names[static_cast<std::size_t>(status)]; }
ProofStatus read_proof_status(const JsonCursor& cursor) {
  return static_cast<ProofStatus>(cursor.one_of(status_names));
}

nlohmann::json to_json(const NodeBytes& bytes) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [node, on_node] : bytes) json[std::to_string(node)] = on_node;
  return json;
}

nlohmann::json to_json(const Proof& proof) {
  nlohmann::json json{{"status", name_of(proof.status)},
                      {"detail", proof.detail},
                      {"threads", proof.threads},
                      {"node_bytes", to_json(proof.node_bytes)},
                      {"migrations", proof.migrations}};
  if (!proof.node_bytes_before.empty()) json["node_bytes_before"] = to_json(proof.node_bytes_before);
  if (!proof.ran_on.empty()) json["ran_on"] = proof.ran_on.list();
  if (!proof.policies.empty()) json["policies"] = proof.policies;
  if (!proof.thread_policies.empty()) json["thread_policies"] = proof.thread_policies;
  for (const BesideMapping& mapping : proof.beside)
    json["beside"].push_back(
        {{"name", mapping.name}, {"policy", mapping.policy}, {"node_bytes", to_json(mapping.node_bytes)}});
  if (proof.huge_page_bytes) {
    json["huge_page_bytes"] = nlohmann::json::object();
    for (const auto& [size, bytes] : *proof.huge_page_bytes) json["huge_page_bytes"][std::to_string(size)] = bytes;
  }
  if (proof.balanced_bytes) json["balanced_bytes"] = *proof.balanced_bytes;
  if (proof.throttled_seconds) json["throttled_seconds"] = *proof.throttled_seconds;
  if (proof.frequencies) json["khz"] = {proof.frequencies->lowest_khz, proof.frequencies->highest_khz};
  return json;
}

Proof read_proof(const JsonCursor& cursor) {
  Proof proof;
  proof.status = read_proof_status(cursor["status"]);
  proof.detail = cursor["detail"].string();
  proof.threads = static_cast<unsigned>(cursor["threads"].integer(0, IndexSet::largest_id));
  if (proof.status == ProofStatus::held && proof.threads == 0)
    cursor["threads"].fault("a proof that held has seen a thread, found 0; the journal was changed by hand");
  proof.node_bytes = read_node_bytes(cursor["node_bytes"]);
  proof.migrations = static_cast<std::uint64_t>(cursor["migrations"].integer());
  if (const auto before = cursor.find("node_bytes_before")) proof.node_bytes_before = read_node_bytes(*before);
  if (const auto ran_on = cursor.find("ran_on")) {
    auto cpus = IndexSet::parse(ran_on->string());
    if (!cpus) ran_on->fault(cpus.error().message);
    else proof.ran_on = *std::move(cpus);
  }
  proof.policies = words_if_any(cursor, "policies");
  proof.thread_policies = words_if_any(cursor, "thread_policies");
  if (const auto beside = cursor.find("beside"))
    for (const JsonCursor& mapping : beside->items())
      proof.beside.push_back(
          {mapping["name"].string(), mapping["policy"].string(), read_node_bytes(mapping["node_bytes"])});
  if (const auto huge = cursor.find("huge_page_bytes"))
    proof.huge_page_bytes = read_numbers<std::uint64_t>(*huge, "a page's size");
  if (const auto bytes = cursor.find("balanced_bytes"))
    proof.balanced_bytes = static_cast<std::uint64_t>(bytes->integer());
  if (const auto seconds = cursor.find("throttled_seconds")) proof.throttled_seconds = seconds->number(0);
  if (const auto clocks = cursor.find("khz")) {
    const auto pair = clocks->integers();
    if (pair.size() != 2) clocks->fault("needs the lowest and the highest clock");
    else proof.frequencies = {static_cast<std::uint64_t>(pair[0]), static_cast<std::uint64_t>(pair[1])};
  }
  return proof;
}

}  // namespace bindgate
