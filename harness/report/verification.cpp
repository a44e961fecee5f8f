#include "report/verification.hpp"

#include <nlohmann/json.hpp>

#include "core/names.hpp"
#include "core/units.hpp"

namespace bindgate {
namespace {

using Json = nlohmann::ordered_json;

std::string group_text(const ThreadGroup& group) {
  std::string text =
      counted(group.threads, "thread") + " on CPUs " + group.cpus.list() + " (" + joined(group.names) + ")";
  if (group.descendants) text += " of processes that it started";
  if (!group.ran_on.empty()) text += ", last ran on " + group.ran_on.list();
  if (!group.policy.empty()) text += ", memory policy " + group.policy;
  return text;
}

std::string nodes_text(const NodeBytes& bytes) {
  std::vector<std::string> nodes;
  for (const auto& [node, there] : bytes) nodes.push_back(format_bytes(there) + " on node " + std::to_string(node));
  return nodes.empty() ? "none in memory" : joined(nodes);
}

std::string verdict_text(const VerifyReport& report) {
  switch (report.verification->status) {
    case ProofStatus::held: return "fits " + report.variant;
    case ProofStatus::violated: return "does not fit " + report.variant;
    case ProofStatus::unverifiable: return "cannot be verified";
  }
  return "";
}

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

}  // namespace

std::string verify_text(const VerifyReport& report, const Style& style) {
  const ProcessFacts& facts = report.facts;
  std::string text;
  const auto add = [&](const std::string& first, const std::string& line) { text += paragraph(first, line, style); };
  const auto list = [&](const std::string& first, const std::vector<std::string>& lines) {
    for (const std::string& line : lines) add(first, line);
  };
  add("process   ", std::to_string(facts.process) + ": " + facts.command);
  for (const ThreadGroup& group : facts.groups) add("threads   ", group_text(group));
  if (facts.memory_refusal.empty()) {
    add("memory    ", nodes_text(facts.node_bytes) + "; without files " + nodes_text(facts.anonymous_node_bytes));
    for (const BesideMapping& mapping : facts.largest)
      add("  mapping ", (mapping.name.empty() ? "" : mapping.name + ", ") + "policy " +
                            (mapping.policy.empty() ? "not readable" : mapping.policy) + ": " +
                            nodes_text(mapping.node_bytes));
  } else {
    add("memory    ", facts.memory_refusal);
  }
  if (report.placement) add("variant   ", report.variant + ": " + describe(*report.placement));
  if (report.repaired)
    list("repaired  ", report.repaired->empty() ? std::vector<std::string>{"nothing"} : *report.repaired);
  if (report.verification) {
    const bool held = report.verification->status == ProofStatus::held;
    text += painted(verdict_text(report), held ? Colour::green : Colour::red, style) + '\n';
    list("  - ", report.verification->misfits);
    list("  ? ", report.verification->doubts);
    list("  ~ ", report.verification->notes);
  }
  if (!report.placement) add("", "nothing claimed, nothing proven: name a --variant to hold it against");
  if (report.planned && !report.repaired) {
    list("would     ", report.planned->empty() ? std::vector<std::string>{"do nothing"} : *report.planned);
    if (!report.planned->empty()) text += "add --yes to do it\n";
  }
  return text;
}

std::string verify_json(const VerifyReport& report, int exit) {
  const ProcessFacts& facts = report.facts;
  Json threads = Json::array(), largest = Json::array();
  for (const ThreadGroup& group : facts.groups)
    threads.push_back({{"threads", group.threads},
                       {"cpus", group.cpus.list()},
                       {"ran_on", or_null(group.ran_on.list())},
                       {"policy", or_null(group.policy)},
                       {"names", group.names},
                       {"descendants", group.descendants}});
  for (const BesideMapping& mapping : facts.largest)
    largest.push_back({{"name", or_null(mapping.name)},
                       {"policy", or_null(mapping.policy)},
                       {"node_bytes", Json(to_json(mapping.node_bytes))}});
  const bool told = facts.memory_refusal.empty();
  Json json{{"schema", "bindgate.verify/1"},
            {"exit", exit},
            {"process", facts.process},
            {"command", facts.command},
            {"threads", threads},
            {"node_bytes", told ? Json(to_json(facts.node_bytes)) : Json()},
            {"anonymous_node_bytes", told ? Json(to_json(facts.anonymous_node_bytes)) : Json()},
            {"largest", largest},
            {"memory_refusal", or_null(facts.memory_refusal)},
            {"variant", or_null(report.variant)},
            {"placement", report.placement ? Json(to_json(*report.placement)) : Json()},
            {"status", nullptr},
            {"misfits", Json::array()},
            {"doubts", Json::array()},
            {"notes", Json::array()},
            {"would_repair", or_null(report.planned)},
            {"repaired", or_null(report.repaired)}};
  if (report.verification) {
    json["status"] = name_of(report.verification->status);
    json["misfits"] = report.verification->misfits;
    json["doubts"] = report.verification->doubts;
    json["notes"] = report.verification->notes;
  }
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

}  // namespace bindgate
