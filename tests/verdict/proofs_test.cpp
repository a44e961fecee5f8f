#include "verdict/proofs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "verdict/gate.hpp"
#include "verdict/simulated.hpp"

namespace bindgate {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Three rounds of none, its twin and numactl, bound to node 0; all with 100 pages there, of which `each` changes some.
Run run_with(const std::function<void(Launch&, Proof&)>& each) {
  simulated::Random random(3);
  Run run = simulated::run(random, {{"none"}, {"numactl"}, {"remote"}}, {.rounds = 3, .turns = 2});
  std::erase_if(run.launches, [](const Launch& launch) { return launch.member.variant == "remote"; });
  run.plan.rounds = 3;
  for (Launch& launch : run.launches) {
    Proof& proof = *launch.cases[0].proof;
    proof.threads = 2;
    proof.node_bytes = {{0, 100}, {1, 0}};
    if (launch.member.variant == "numactl") launch.placement.memory = {MemoryPolicy::bind, {0}};
    each(launch, proof);
  }
  return run;
}

std::vector<VariantProofs> proofs(const std::function<void(Launch&, Proof&)>& each) {
  return proofs_of(evidence_of(run_with(each)));
}

bool is(const Launch& launch, const std::string& variant, unsigned round) {
  return launch.member.variant == variant && launch.round == round && launch.member.role != Role::twin;
}

TEST(Proofs, AreCountedByVariantInThePlansOrderWithTheTwins) {
  const auto all = proofs([](Launch& launch, Proof& proof) {
    if (is(launch, "numactl", 1)) proof.status = ProofStatus::violated;
    if (is(launch, "numactl", 2)) proof.status = ProofStatus::unverifiable;
  });
  ASSERT_EQ(all.size(), 2u) << "remote was never launched";
  EXPECT_EQ(all[0].variant, "none");
  EXPECT_EQ(all[0].held, 6u);
  EXPECT_EQ(all[0].count(), 6u);
  EXPECT_EQ(all[1].variant, "numactl");
  EXPECT_EQ(all[1].held, 1u);
  EXPECT_EQ(all[1].violated, 1u);
  EXPECT_EQ(all[1].unverifiable, 1u);
}

TEST(Proofs, ShowTheGravestWithWhatItRestsOn) {
  const auto all = proofs([](Launch& launch, Proof& proof) {
    if (is(launch, "numactl", 0)) proof.status = ProofStatus::unverifiable;
    if (!is(launch, "numactl", 1)) return;
    proof = Proof{ProofStatus::violated, "strays", 5, {{0, 1}}};
    launch.placement.cpus = {4, 5};
  });
  const ProvenCase& weakest = all[1].weakest;
  EXPECT_EQ(weakest.round, 1u);
  EXPECT_EQ(weakest.case_name, "matmul/f32/m=512");
  EXPECT_EQ(weakest.placement.cpus, (IndexSet{4, 5}));
  EXPECT_EQ(weakest.proof.detail, "strays");
  EXPECT_EQ(weakest.proof.threads, 5u);
}

TEST(Proofs, ThatAllHeldShowTheOneWithMostElsewhereThenTheOneWithMostPages) {
  const auto all = proofs([](Launch& launch, Proof& proof) {
    if (is(launch, "none", 1)) proof.node_bytes = {{1, 500}};
    if (is(launch, "none", 2)) proof.node_bytes = {{0, 100}, {1, 300}};
    if (is(launch, "numactl", 1)) proof.node_bytes = {{0, 500}};
    if (is(launch, "numactl", 2)) proof.node_bytes = {{0, 99}, {1, 1}};
  });
  EXPECT_EQ(all[0].weakest.round, 1u) << "its policy names no node";
  EXPECT_EQ(all[1].weakest.round, 2u);
}

TEST(Proofs, AreOwedByWhatWasMeasuredOnly) {
  auto run = run_with([](Launch&, Proof&) {});
  for (Launch& launch : run.launches) {
    CaseRun& measured = launch.cases[0];
    if (is(launch, "numactl", 0) || is(launch, "numactl", 1)) measured.proof.reset();
    if (is(launch, "numactl", 1)) measured.outcome = CaseOutcome::not_run;
    if (is(launch, "numactl", 2)) run.abandoned.insert(launch.id);
  }
  const auto all = proofs_of(evidence_of(run));
  EXPECT_EQ(all[1].count(), 1u);
  EXPECT_EQ(all[1].unverifiable, 1u);
  EXPECT_THAT(all[1].weakest.proof.detail, HasSubstr("holds no proof"));
}

TEST(Proofs, ThatDidNotHoldAreToldOnceByTheGate) {
  const auto notes = [](const std::function<void(Launch&, Proof&)>& each) {
    return gate(evidence_of(run_with(each)), {}, {}).notes;
  };
  EXPECT_THAT(notes([](Launch& launch, Proof& proof) {
                if (launch.member.variant == "numactl") proof.status = ProofStatus::violated;
                if (is(launch, "none", 0)) proof.status = ProofStatus::unverifiable;
              }),
              Contains("4 of 9 proofs did not hold (none: 1 unverifiable, numactl: 3 violated): bindgate show RUN has "
                       "the table of what they rest on"));
  EXPECT_THAT(notes([](Launch&, Proof&) {}), Not(Contains(HasSubstr("did not hold"))));
  EXPECT_THAT(say_unproven({}), IsEmpty());
}

}  // namespace
}  // namespace bindgate
