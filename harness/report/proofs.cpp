#include "report/proofs.hpp"

#include <nlohmann/json.hpp>

#include "core/names.hpp"
#include "core/printable.hpp"
#include "core/units.hpp"
#include "report/wording.hpp"

namespace bindgate {
namespace {

std::string or_dash(std::string text) { return text.empty() ? "-" : text; }

std::string pages_text(const NodeBytes& bytes) {
  std::vector<std::string> nodes;
  for (const auto& [node, on_node] : bytes)
    nodes.push_back(std::to_string(node) + ": " + format_bytes(static_cast<double>(on_node)));
  return or_dash(joined(nodes));
}

std::string counts_text(const VariantProofs& one) {
  std::vector<std::string> counts;
  if (one.violated > 0) counts.push_back(std::to_string(one.violated) + " violated");
  if (one.unverifiable > 0) counts.push_back(std::to_string(one.unverifiable) + " unverifiable");
  counts.push_back((counts.empty() ? "all " : "") + std::to_string(one.held) + " held");
  return joined(counts);
}

// What is to be known of the weakest, and where it is to be found in the journal. Threads choose their names freely.
std::string detail_text(const ProvenCase& one) {
  return printable(one.proof.detail) + " (" + one.case_name + " in round " + std::to_string(one.round + 1) +
         ", launch " + std::to_string(one.launch) + ')';
}

}  // namespace

std::string proofs_text(const std::vector<VariantProofs>& proofs, const Style& style) {
  if (proofs.empty()) return "";
  Table table({{"variant", false, true},
               {"CPUs", false, true},
               {"memory", false, true},
               {"threads", true},
               {"ran on", false, true},
               {"pages by node", false, true},
               {"proof", false, true}},
              2);
  for (const VariantProofs& one : proofs) {
    const Placement& placement = one.weakest.placement;
    const Proof& proof = one.weakest.proof;
    const bool held = proof.status == ProofStatus::held;
    table.add({{one.variant},
               {placement.cpus.list()},
               {memory_text(placement.memory)},
               {std::to_string(proof.threads)},
               {or_dash(proof.ran_on.list())},
               {pages_text(proof.node_bytes)},
               {counts_text(one), held ? Colour::none : Colour::red}});
    if (!proof.detail.empty()) table.add_line(detail_text(one.weakest), held ? "      ~ " : "      - ");
  }
  return '\n' +
         paragraph("",
                   "proof: what the kernel showed of each variant. The figures are of one case in one launch, the "
                   "worst; where all are alike the one with most pages ('-': one node, or not readable). Every other "
                   "stands in run.jsonl",
                   style) +
         table.text(style);
}

nlohmann::ordered_json proofs_json(const std::vector<VariantProofs>& proofs) {
  auto json = nlohmann::ordered_json::array();
  for (const VariantProofs& one : proofs) {
    const ProvenCase& weakest = one.weakest;
    const std::string ran_on = weakest.proof.ran_on.list();
    nlohmann::ordered_json shown{{"case", weakest.case_name},
                                 {"launch", weakest.launch},
                                 {"round", weakest.round},
                                 {"placement", nlohmann::ordered_json(to_json(weakest.placement))},
                                 {"status", name_of(weakest.proof.status)},
                                 {"detail", weakest.proof.detail},
                                 {"threads", weakest.proof.threads},
                                 {"ran_on", nullptr},
                                 {"node_bytes", nullptr}};
    if (!ran_on.empty()) shown["ran_on"] = ran_on;
    if (!weakest.proof.node_bytes.empty())
      shown["node_bytes"] = nlohmann::ordered_json(to_json(weakest.proof.node_bytes));
    json.push_back({{"variant", one.variant},
                    {"held", one.held},
                    {"violated", one.violated},
                    {"unverifiable", one.unverifiable},
                    {"weakest", std::move(shown)}});
  }
  return json;
}

}  // namespace bindgate
