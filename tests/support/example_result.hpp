#pragma once
// A gate's answer and a ranking with every verdict and every unknown in them, made of fixed values.

#include <string>

#include "support/example_run.hpp"
#include "verdict/judgement.hpp"
#include "verdict/proofs.hpp"

namespace bindgate::testing {

inline Variance example_variance() {
  Variance variance;
  variance.clean_cv = 0.0123;
  variance.plain_cv = 0.0312;
  variance.mad_cv = 0.0101;
  variance.within_turn_cv = 0.0088;
  variance.p95_over_p50 = 1.034;
  variance.max_over_p50 = 1.41;
  variance.halves = 0.004;
  variance.clean_fraction = 0.97;
  variance.reference_cv = 0.0082;
  variance.launches = 6;
  variance.judged = true;
  return variance;
}

inline RemotePages example_remote_pages() {
  RemotePages pages;
  pages.share = 0.45;
  pages.threshold = 0.1;
  pages.bytes = 460ull << 20;
  pages.working_set_bytes = 1022ull << 20;
  pages.nodes = {1, 4};
  pages.nearest = {0};
  pages.round = 2;
  pages.beyond = 3;
  pages.launches = 12;
  return pages;
}

inline Judgement example_judgement(const std::string& case_name, const std::string& variant, Verdict verdict) {
  Judgement judgement;
  judgement.case_name = case_name;
  judgement.variant = variant;
  judgement.verdict = verdict;
  judgement.n = 6;
  judgement.n_unit = "launch";
  judgement.base_n = 3;
  judgement.base_unit = "night";
  judgement.seconds = 0.002512;
  judgement.target = 0.183;
  judgement.ratio = Ratio{1.004, 0.961, 0.9998, 1.049, 0.95};
  judgement.variance = example_variance();
  return judgement;
}

inline Judgement unmeasured(const std::string& case_name, const std::string& variant, Verdict verdict,
                            const std::string& reason) {
  Judgement judgement;
  judgement.case_name = case_name;
  judgement.variant = variant;
  judgement.verdict = verdict;
  judgement.reasons = {reason};
  return judgement;
}

inline GateResult example_result() {
  const std::string long_case = "matmul/transformer/bf16/m=2048,k=4096,n=14336";
  GateResult result;
  result.verdict = Verdict::regressed;
  result.exit = 1;
  result.cases.push_back(unmeasured("decode/jpeg/w=2", "none", Verdict::failed,
                                    "launch 7: killed by SIGSEGV in round 3; its last output stands in run.jsonl"));
  result.cases.push_back(
      unmeasured(long_case, "remote", Verdict::missing,
                 "not run: this machine has one node, but the baseline holds this series; remove it there"));
  Judgement regressed = example_judgement(long_case, "one-per-core", Verdict::regressed);
  regressed.ratio = Ratio{1.312, 1.2214, 0.9998, 1.409, 0.95};
  regressed.reasons = {"31.2 % slower; beyond the tolerance of 1.0 % even at the lower bound"};
  result.cases.push_back(regressed);
  Judgement unstable =
      example_judgement("matmul/square/f32/m=512,k=512,n=512", "cpus:0,2,4,6,8,10,12,14", Verdict::unstable);
  unstable.variance->clean_cv = 0.0504;
  unstable.variance->p95_over_p50 = 1.1004;
  unstable.variance->fired = 5;
  unstable.variance->beyond_machine = 5;
  unstable.reasons = {"5 of 6 launches vary beyond 5.0 %, and more than twice what frozen code did (0.8 %)"};
  result.cases.push_back(unstable);
  Judgement undecided = example_judgement("matmul/square/f32/m=512,k=512,n=512", "interleave", Verdict::inconclusive);
  undecided.variance->judged = false;
  undecided.gating = false;
  undecided.target.reset();
  undecided.reasons = {"too few nights: the change would have to be above 100 % to be seen; accept more nights",
                       "variance not judged: 12 clean samples of 20 needed"};
  result.cases.push_back(undecided);
  Judgement improved = example_judgement("matmul/square/f32/m=512,k=512,n=512", "numactl", Verdict::improved);
  improved.ratio = Ratio{0.82, 0.78, 0.95, 0.86, 0.9998};
  improved.reasons = {"18.0 % faster"};
  result.cases.push_back(improved);
  Judgement pass = example_judgement("matmul/square/f32/m=512,k=512,n=512", "none", Verdict::pass);
  pass.same_as = {"taskset"};
  pass.warnings.remote_pages = example_remote_pages();
  pass.warnings.cache_misses = CacheMisses{4.56, 2.28, 1.5, 12, 36};
  result.cases.push_back(pass);
  result.cases.push_back(unmeasured("matmul/batched/f32/b=8", "none", Verdict::not_selected, "outside --case"));
  result.environment_changes = {"kernel: 6.1.0-18-amd64 here, 5.10.0-28-amd64 there",
                                "governor: performance here, nothing there"};
  result.notes = {"the twin fired in no case"};
  return result;
}

inline Run example_result_run() {
  Run run = example_run();
  run.plan.rounds = 6;
  run.plan.programs[0].cases = {example_case("matmul/transformer/bf16/m=2048,k=4096,n=14336"),
                                example_case("matmul/square/f32/m=512,k=512,n=512")};
  run.plan.programs[0].cases[1].label = "";
  run.plan.variants[1].status = VariantStatus::ok;
  run.plan.variants[1].reason = "";
  for (const char* name : {"numactl", "interleave", "one-per-core", "cpus:0,2,4,6,8,10,12,14"})
    run.plan.variants.push_back({name, VariantStatus::ok, "", "", example_placement()});
  return run;
}

inline std::vector<VariantProofs> example_proofs() {
  const std::string case_name = "matmul/transformer/bf16/m=2048,k=4096,n=14336";
  Placement anywhere;
  anywhere.cpus = IndexSet::range(0, 7);
  const NodeBytes everywhere{{0, 12u << 20}, {1, 20u << 20}};
  Proof strayed{ProofStatus::violated, "thread 'worker' (77) may run on CPUs 0-7 instead of 0-1 since turn 0", 3,
                {{0, 32u << 20}, {8, 0}}};
  strayed.ran_on = {0, 1, 5};
  return {{"none", 24, 0, 0, {1, 0, case_name, anywhere, Proof{ProofStatus::held, "", 9, everywhere}}},
          {"numactl", 10, 1, 1, {17, 3, case_name, example_placement(), strayed}},
          {"interleave", 12, 0, 0, {3, 0, "c", anywhere, Proof{ProofStatus::held, "only one node", 9, {}}}}};
}

inline std::vector<CaseRanking> example_rankings() {
  CaseRanking first;
  first.case_name = "matmul/square/f32/m=512,k=512,n=512";
  first.best = "one-per-core";
  first.sentence = "one-per-core is fastest, by 3.1 to 4.0 %";
  first.twin = Ratio{1.001, 0.996, 0.975, 1.006, 0.975};
  first.groups = {{"ranks-apart", {"ranks-apart:0", "ranks-apart:1"}, 6, Ratio{1.83, 1.80, 0.99, 1.86, 0.99},
                   Ratio{1.094, 1.05, 0.99, 1.13, 0.99}, ""},
                  {"ranks-together", {"ranks-together:0", "ranks-together:1"}, 0, {}, {},
                   "ranks-together:1: failed: killed by SIGSEGV"}};
  first.matrix = NodeMatrix{{0, 8},
                            {0, 1, 8},
                            {{{0.0024, {}, ""}, {0.0031, Ratio{1.29, 1.27, 0.99, 1.31, 0.99}, ""}, {{}, {}, ""}},
                             {{0.0043, Ratio{1.79, 1.7, 0.99, 1.88, 0.99}, ""}, {}, {{}, {}, "binding violated"}}}};
  first.variants = {{"one-per-core", {}, 6, 0.00241, Ratio{0.965, 0.960, 0.99, 0.969, 0.99}, example_variance(), ""},
                    {"none", {"taskset"}, 6, 0.0025, {}, example_variance(), ""},
                    {"remote", {}, 0, {}, {}, {}, "skipped: this machine has one node"}};
  first.variants[1].warm_up = WarmUp{12, 12, 3, 0.118, 0.0472, "matmul/square/plain",
                                     BreakEven{6, false, 2314.2, 1903.9, 2849.1}};
  first.variants[0].figures = {{"share_waiting", 0.31}, {"images_lost", 2}};
  first.variants[1].figures = {{"share_waiting", 0.0512}};
  CaseRanking second;
  second.case_name = "matmul/transformer/bf16/m=2048,k=4096,n=14336";
  second.sentence = "tie: the 2 placements cannot be told apart after 6 rounds; more rounds may";
  second.variants = {{"none", {}, 6, 1.25, {}, {}, ""},
                     {"numactl", {}, 6, 1.26, Ratio{1.008, 0.97, 0.99, 1.05, 0.99}, {}, ""}};
  second.variants[0].warnings.remote_pages = example_remote_pages();
  second.variants[0].warm_up = WarmUp{12, 12, 1, 0.3, 0.00024, "", {}};
  return {first, second};
}

}  // namespace bindgate::testing
