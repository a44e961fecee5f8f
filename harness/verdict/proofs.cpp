#include "verdict/proofs.hpp"

#include <map>
#include <tuple>
#include <utility>

#include "core/names.hpp"

namespace bindgate {
namespace {

int gravity(ProofStatus status) {
  switch (status) {
    case ProofStatus::violated: return 2;
    case ProofStatus::unverifiable: return 1;
    case ProofStatus::held: break;
  }
  return 0;
}

/// The larger, the less the proof says for its variant.
std::tuple<int, double, std::uint64_t> weakness(const ProvenCase& one) {
  const IndexSet& asked = one.placement.memory.nodes;
  std::uint64_t bytes = 0, elsewhere = 0;
  for (const auto& [node, on_node] : one.proof.node_bytes) {
    bytes += on_node;
    if (!asked.empty() && !asked.contains(node)) elsewhere += on_node;
  }
  const double share = bytes == 0 ? 0 : static_cast<double>(elsewhere) / static_cast<double>(bytes);
  return {gravity(one.proof.status), share, bytes};
}

void count_in(VariantProofs& proofs, ProvenCase one) {
  const bool is_first = proofs.count() == 0;
  switch (one.proof.status) {
    case ProofStatus::held: ++proofs.held; break;
    case ProofStatus::violated: ++proofs.violated; break;
    case ProofStatus::unverifiable: ++proofs.unverifiable; break;
  }
  if (is_first || weakness(one) > weakness(proofs.weakest)) proofs.weakest = std::move(one);
}

}  // namespace

std::vector<VariantProofs> proofs_of(const Evidence& evidence) {
  const Plan& plan = evidence.run.plan;
  std::map<std::string, VariantProofs> by_variant;
  for (const PlannedProgram& program : plan.programs)
    for (const CountedLaunch& counted : counted_launches(evidence, program.name)) {
      const Launch& launch = *counted.launch;
      for (const CaseRun& run : launch.cases) {
        if (!counted.cases.contains(run.name) || (run.outcome != CaseOutcome::ok && !run.proof)) continue;
        Proof proof = run.proof.value_or(Proof{ProofStatus::unverifiable, "the journal holds no proof", 0, {}});
        count_in(by_variant[launch.member.variant],
                 {launch.id, launch.round, run.name, launch.placement, std::move(proof)});
      }
    }
  std::vector<VariantProofs> all;
  for (const PlannedVariant& variant : plan.variants)
    if (const auto found = by_variant.find(variant.name); found != by_variant.end()) {
      found->second.variant = variant.name;
      all.push_back(std::move(found->second));
    }
  return all;
}

std::string say_unproven(std::span<const VariantProofs> proofs) {
  unsigned all = 0, unproven = 0;
  std::vector<std::string> variants;
  for (const VariantProofs& one : proofs) {
    all += one.count();
    unproven += one.violated + one.unverifiable;
    std::vector<std::string> counts;
    if (one.violated > 0) counts.push_back(std::to_string(one.violated) + " violated");
    if (one.unverifiable > 0) counts.push_back(std::to_string(one.unverifiable) + " unverifiable");
    if (!counts.empty()) variants.push_back(one.variant + ": " + joined(counts, " and "));
  }
  if (unproven == 0) return "";
  return std::to_string(unproven) + " of " + std::to_string(all) + " proofs did not hold (" + joined(variants) +
         "): bindgate show RUN has the table of what they rest on";
}

}  // namespace bindgate
