#include "binding/variants.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace bindgate {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::UnorderedElementsAre;

// Two nodes of two cores with two threads each, siblings far apart as Linux numbers them: CPU and CPU + 4.
Machine two_nodes() {
  Machine machine;
  machine.source = "test";
  machine.online = machine.allowed_cpus = IndexSet::range(0, 7);
  machine.allowed_nodes = {0, 1};
  machine.nodes = {{0, {0, 1, 4, 5}, 1u << 30, "unknown"}, {1, {2, 3, 6, 7}, 1u << 30, "unknown"}};
  for (unsigned core = 0; core < 4; ++core)
    machine.cores.push_back({.cpus = {core, core + 4}, .package = core / 2, .nodes = {core / 2}, .l3 = {}, .kind = ""});
  machine.distances = {{10, 21}, {21, 10}};
  return machine;
}

Machine one_node() {
  Machine machine = two_nodes();
  machine.nodes = {{0, IndexSet::range(0, 7), 1u << 30, "unknown"}};
  machine.allowed_nodes = {0};
  machine.distances.clear();
  return machine;
}

std::vector<PlannedVariant> planned(const Machine& machine, std::vector<std::string> names = {}) {
  const auto plan = plan_variants(machine, names);
  EXPECT_TRUE(plan) << plan.error().message;
  return plan ? *plan : std::vector<PlannedVariant>{};
}

PlannedVariant one(const Machine& machine, const std::string& name) {
  const auto all = planned(machine, {name});
  return all.empty() ? PlannedVariant{} : all.back();
}

std::string refusal(const Machine& machine, std::vector<std::string> names, const std::string& base = "none") {
  const auto plan = plan_variants(machine, names, base);
  return plan ? "planned" : plan.error().message;
}

std::vector<std::string> names_of(const std::vector<PlannedVariant>& variants) {
  std::vector<std::string> names;
  for (const PlannedVariant& variant : variants) names.push_back(variant.name);
  return names;
}

TEST(Variants, OfATwoNodeMachine) {
  const Machine machine = two_nodes();
  const IndexSet node0{0, 1, 4, 5}, all = IndexSet::range(0, 7);
  EXPECT_EQ(one(machine, "none").placement, (Placement{all, {}, 8, {}}));
  EXPECT_EQ(one(machine, "taskset").placement, (Placement{node0, {}, 4, {}}));
  EXPECT_EQ(one(machine, "numactl").placement, (Placement{node0, {MemoryPolicy::bind, {0}}, 4, {}}));
  EXPECT_EQ(one(machine, "remote").placement, (Placement{node0, {MemoryPolicy::bind, {1}}, 4, {}}));
  EXPECT_EQ(one(machine, "interleave").placement, (Placement{all, {MemoryPolicy::interleave, {0, 1}}, 8, {}}));
  EXPECT_EQ(one(machine, "one-per-core").placement, (Placement{{0, 1, 2, 3}, {}, 4, {}}));
  EXPECT_EQ(one(machine, "cpus:6,0").placement, (Placement{{0, 6}, {}, 2, {}}));
}

TEST(Variants, AreAllThatAreMeasuredUnaskedWithTheBaseFirstWhenNoneIsNamed) {
  EXPECT_THAT(names_of(planned(two_nodes())),
              ElementsAre("none", "taskset", "numactl", "remote", "interleave", "one-per-core", "one-core",
                          "interleave-node", "preferred", "smt", "l3", "package", "each-node:0", "each-node:1",
                          "even-cpus", "performance-cores", "omp-close", "omp-spread", "oversubscribed"));
}

TEST(Variants, KeepTheOrderInWhichTheyAreNamedBehindTheBase) {
  EXPECT_THAT(names_of(planned(two_nodes(), {"remote", "taskset"})), ElementsAre("none", "remote", "taskset"));
  EXPECT_THAT(names_of(planned(two_nodes(), {"remote", "none"})), ElementsAre("none", "remote"));
}

TEST(Variants, TheBaseIsMeasuredWhereverItIsNamed) {
  const auto variants = planned(one_node(), {"taskset", "none"});
  ASSERT_EQ(variants.size(), 2U);
  EXPECT_EQ(variants[0].name, "none");
  EXPECT_EQ(variants[0].same_as, "");
  EXPECT_EQ(variants[1].same_as, "none");
}

TEST(Variants, CollapseOnOneNodeAndSayWhichIsTheSame) {
  std::map<std::string, std::string> same;
  for (const PlannedVariant& variant : planned(one_node()))
    if (variant.status == VariantStatus::ok) same[variant.name] = variant.same_as;
  EXPECT_THAT(same, UnorderedElementsAre(
                        Pair("none", ""), Pair("taskset", "none"), Pair("numactl", "none"), Pair("interleave", "none"),
                        Pair("one-per-core", ""), Pair("one-core", ""), Pair("interleave-node", "none"),
                        Pair("preferred", "none"), Pair("smt", ""), Pair("each-node:0", "none"), Pair("even-cpus", ""),
                        Pair("omp-close", ""), Pair("omp-spread", ""), Pair("oversubscribed", "")));
  EXPECT_EQ(one(one_node(), "remote").status, VariantStatus::skipped);
  EXPECT_EQ(one(one_node(), "remote").reason, "one node only");
}

TEST(Variants, SkipRemoteMemoryThatIsNotAllowed) {
  Machine machine = two_nodes();
  machine.allowed_nodes = {1};
  EXPECT_EQ(one(machine, "remote").reason, "no second node has allowed memory (only node 1)");
  EXPECT_EQ(one(machine, "numactl").placement, (Placement{{2, 3, 6, 7}, {}, 4, {}}));
  EXPECT_EQ(one(machine, "taskset").placement.cpus, (IndexSet{2, 3, 6, 7})) << "the same CPUs as numactl";
}

TEST(Variants, TakeTheNodeWithMostAllowedCpus) {
  Machine machine = two_nodes();
  machine.allowed_cpus = {0, 2, 3, 6};
  EXPECT_EQ(one(machine, "taskset").placement.cpus, (IndexSet{2, 3, 6}));
  EXPECT_EQ(one(machine, "remote").placement.memory.nodes, IndexSet{0});
  EXPECT_EQ(one(machine, "one-per-core").placement.cpus, (IndexSet{0, 2, 3}));
  EXPECT_EQ(one(machine, "none").placement.cpus, (IndexSet{0, 2, 3, 6}));
}

TEST(Variants, NeverPlanAnOfflineCpu) {
  Machine machine = two_nodes();
  machine.online = machine.online - IndexSet{0, 4};
  for (const PlannedVariant& variant : planned(machine))
    EXPECT_FALSE(variant.placement.cpus.intersects({0, 4})) << variant.name;
}

TEST(Variants, PutRemoteMemoryOnTheFarthestNodeEvenIfItHasNoCpus) {
  Machine machine = two_nodes();
  machine.nodes.push_back({7, {}, 1u << 30, "cxl"});
  machine.allowed_nodes = {0, 1, 7};
  machine.distances = {{10, 21, 17}, {21, 10, 28}, {17, 28, 10}};
  EXPECT_EQ(one(machine, "remote").placement.memory.nodes, IndexSet{1});
  machine.distances[0][2] = 31;
  EXPECT_EQ(one(machine, "remote").placement.memory.nodes, IndexSet{7});
}

TEST(Variants, PutRemoteMemoryOnTheLowestOfEquallyFarNodes) {
  Machine machine = two_nodes();
  machine.nodes.push_back({2, {}, 1u << 30, "unknown"});
  machine.allowed_nodes = {0, 1, 2};
  machine.distances = {{10, 21, 21}, {21, 10, 21}, {21, 21, 10}};
  EXPECT_EQ(one(machine, "remote").placement.memory.nodes, IndexSet{1});
}

TEST(Variants, DoNotGuessWhichNodeIsFarthest) {
  Machine machine = two_nodes();
  machine.distances.clear();
  EXPECT_EQ(one(machine, "remote").placement.memory.nodes, IndexSet{1}) << "the only other one";
  machine.nodes.push_back({2, {}, 1u << 30, "unknown"});
  machine.allowed_nodes = {0, 1, 2};
  EXPECT_EQ(one(machine, "remote").status, VariantStatus::skipped);
  EXPECT_EQ(one(machine, "remote").reason,
            "no distances between nodes are known here, so none of nodes 1-2 is known to be the farthest");
}

TEST(Variants, DoNotBindMemoryToANodeWithoutAny) {
  Machine machine = two_nodes();
  machine.nodes[0].memory_bytes = 0;
  machine.nodes.push_back({2, {}, 1u << 30, "unknown"});
  machine.allowed_nodes = {0, 1, 2};
  machine.distances = {{10, 21, 21}, {21, 10, 21}, {21, 21, 10}};
  EXPECT_EQ(one(machine, "taskset").placement.cpus, (IndexSet{2, 3, 6, 7})) << "the same CPUs as numactl";
  EXPECT_EQ(one(machine, "numactl").placement, (Placement{{2, 3, 6, 7}, {MemoryPolicy::bind, {1}}, 4, {}}));
  EXPECT_EQ(one(machine, "remote").placement.memory.nodes, IndexSet{2});
  EXPECT_EQ(one(machine, "interleave").placement.memory.nodes, (IndexSet{1, 2}));
}

TEST(Variants, LeaveTheMemoryOfGpusAlone) {
  Machine machine = one_node();
  machine.nodes.push_back({250, {}, 1u << 30, "gpu"});
  machine.allowed_nodes = {0, 250};
  EXPECT_EQ(one(machine, "remote").reason, "no second node has allowed memory (only node 0)");
  // The default policy may spill onto the GPU, so bound is not the same here.
  EXPECT_EQ(one(machine, "numactl").placement.memory, (Memory{MemoryPolicy::bind, {0}}));
  EXPECT_EQ(one(machine, "interleave").placement.memory, (Memory{MemoryPolicy::preferred, {0}}));
}

TEST(Variants, AreNotTheSameWhereOneKillsAndTheOtherSpills) {
  Machine machine = one_node();
  machine.nodes.push_back({250, {}, 1u << 30, "gpu"});
  machine.allowed_nodes = {0, 250};
  const auto variants = planned(machine, {"numactl", "interleave", "preferred"});
  EXPECT_EQ(variants.at(2).same_as, "") << "bind never leaves the node, interleaving over one does";
  EXPECT_EQ(variants.at(3).same_as, "interleave");
}

TEST(Variants, SkipWhatNeedsANodeWhereNoneHasAnAllowedCpu) {
  Machine machine = two_nodes();
  machine.nodes[0].cpus = {};
  machine.allowed_cpus = {0, 1};
  EXPECT_EQ(one(machine, "taskset").reason, "no allowed CPU belongs to a node");
  EXPECT_EQ(one(machine, "numactl").reason, "no node has both an allowed CPU and allowed memory");
  EXPECT_EQ(one(machine, "remote").reason, "no node has both an allowed CPU and allowed memory");
}

TEST(Variants, SkipInterleavingWithoutAllowedMemory) {
  Machine machine = two_nodes();
  machine.allowed_nodes = {};
  EXPECT_EQ(one(machine, "interleave").reason, "no node has allowed memory");
}

TEST(Variants, LimitThreadsToTheQuotaButNotCpus) {
  Machine machine = two_nodes();
  machine.quota_cpus = 2.9;
  EXPECT_EQ(one(machine, "none").placement, (Placement{IndexSet::range(0, 7), {}, 2, {}}));
  machine.quota_cpus = 0.5;
  EXPECT_EQ(one(machine, "taskset").placement.threads, 1u);
  machine.quota_cpus = 64;
  EXPECT_EQ(one(machine, "taskset").placement.threads, 4u);
}

TEST(Variants, CountCpusThatAreInNoCoreAsCores) {
  Machine machine = two_nodes();
  machine.cores.pop_back();
  EXPECT_EQ(one(machine, "one-per-core").placement.cpus, (IndexSet{0, 1, 2, 3, 7}));
}

TEST(Variants, FindACpuListThatEqualsABuiltInOne) {
  const auto variants = planned(two_nodes(), {"one-per-core", "cpus:0-3"});
  EXPECT_EQ(variants.at(2).same_as, "one-per-core");
}

TEST(Variants, RotateOverNodesThatAreAlikeAllOnTheSameNodeInTheSameRound) {
  const IndexSet node0{0, 1, 4, 5}, node1{2, 3, 6, 7};
  const Machine machine = two_nodes();
  EXPECT_THAT(one(machine, "taskset").alternatives,
              ElementsAre(Placement{node0, {}, 4, {}}, Placement{node1, {}, 4, {}}));
  EXPECT_THAT(one(machine, "numactl").alternatives, ElementsAre(Placement{node0, {MemoryPolicy::bind, {0}}, 4, {}},
                                                                Placement{node1, {MemoryPolicy::bind, {1}}, 4, {}}));
  EXPECT_THAT(one(machine, "remote").alternatives, ElementsAre(Placement{node0, {MemoryPolicy::bind, {1}}, 4, {}},
                                                               Placement{node1, {MemoryPolicy::bind, {0}}, 4, {}}));
  for (const char* name : {"none", "interleave", "one-per-core"}) EXPECT_TRUE(one(machine, name).alternatives.empty());
}

TEST(Variants, DoNotRotateOverNodesThatDiffer) {
  Machine fewer = two_nodes(), other_memory = two_nodes(), other_cores = two_nodes(), no_memory = two_nodes();
  fewer.allowed_cpus = IndexSet::range(0, 6);
  other_memory.nodes[1].kind = "hbm";
  other_cores.cores[2].kind = "efficiency";
  no_memory.nodes[1].memory_bytes = 0;
  for (const Machine& machine : {fewer, other_memory, other_cores, no_memory})
    for (const char* name : {"taskset", "numactl", "remote"})
      EXPECT_TRUE(one(machine, name).alternatives.empty()) << name;
}

TEST(Variants, RotateOneCoreOverAllCoresFromNodeToNode) {
  std::vector<std::string> cpus;
  for (const Placement& placement : one(two_nodes(), "one-core").alternatives) {
    EXPECT_EQ(placement.threads, 1u);
    cpus.push_back(placement.cpus.list());
  }
  EXPECT_THAT(cpus, ElementsAre("0", "2", "1", "3"));
  EXPECT_EQ(one(two_nodes(), "one-core").placement.cpus, IndexSet{0});
}

TEST(Variants, TakeTheirTurnsByTheFirstCpuSoThatEqualOnesAreFoundWhicheverWayIdsRun) {
  Machine machine = two_nodes();
  std::swap(machine.nodes[0].cpus, machine.nodes[1].cpus);
  machine.packages = {{0, {0, 1, 4, 5}}, {1, {2, 3, 6, 7}}};
  machine.l3 = {{0, {2, 3, 6, 7}, 1 << 20}, {1, {0, 1, 4, 5}, 1 << 20}};
  const auto variants = planned(machine, {"taskset", "package", "l3", "numactl", "remote"});
  EXPECT_EQ(variants.at(1).placement.cpus, (IndexSet{0, 1, 4, 5}));
  EXPECT_EQ(variants.at(1).alternatives.size(), 2u);
  EXPECT_EQ(variants.at(2).same_as, "taskset");
  EXPECT_EQ(variants.at(3).same_as, "taskset");
  for (const std::size_t round : {0u, 1u})
    for (const std::size_t other : {4u, 5u})
      EXPECT_EQ(variants[other].alternatives.at(round).cpus, variants[1].alternatives.at(round).cpus);
}

TEST(Variants, OfOneCoreTakeTheirTurnsByTheFirstCpuThatMayBeUsed) {
  Machine machine = two_nodes();
  machine.allowed_cpus = machine.allowed_cpus - IndexSet{0, 6};
  std::vector<std::string> cpus;
  for (const Placement& placement : one(machine, "one-core").alternatives) cpus.push_back(placement.cpus.list());
  EXPECT_THAT(cpus, ElementsAre("1", "2", "3", "4"));
}

TEST(Variants, TakeCoresOfOneKindForOneCore) {
  Machine machine = two_nodes();
  machine.cores[0].kind = machine.cores[1].kind = "performance";
  machine.cores[2].kind = machine.cores[3].kind = "efficiency";
  const PlannedVariant variant = one(machine, "one-core");
  ASSERT_EQ(variant.alternatives.size(), 2u);
  EXPECT_EQ(variant.alternatives[1].cpus, IndexSet{1});
}

TEST(Variants, FindThatOneCoreIsAllThereIs) {
  Machine machine = two_nodes();
  machine.allowed_cpus = {5};
  const auto variants = planned(machine, {"one-per-core", "one-core"});
  EXPECT_EQ(variants.at(2).same_as, "none");
  EXPECT_TRUE(variants.at(2).alternatives.empty());
}

// A loop over all pairs of these would run into the time limit of the test.
TEST(Variants, AreComparedWithoutLookingAtAllPairs) {
  constexpr unsigned count = 200'000;
  std::vector<PlannedVariant> variants(count);
  for (unsigned i = 0; i < count; ++i) {
    variants[i].name = std::to_string(i);
    variants[i].placement = {{i % (count / 2)}, {}, 1, {}};
  }
  find_equals(variants);
  for (unsigned i = 0; i < count; ++i)
    ASSERT_EQ(variants[i].same_as, i < count / 2 ? "" : std::to_string(i - count / 2));
}

TEST(Variants, AreTheSameOnlyIfTheyRotateAlike) {
  const auto variants = planned(two_nodes(), {"taskset", "cpus:0-1,4-5"});
  EXPECT_EQ(variants.at(1).placement, variants.at(2).placement);
  EXPECT_EQ(variants.at(2).same_as, "");
}

TEST(Ranks, AreVariantsOfOneGroupThatEqualNothing) {
  const auto together = planned(two_nodes(), {"numactl", "ranks-together"});
  ASSERT_THAT(names_of(together), ElementsAre("none", "numactl", "ranks-together:0", "ranks-together:1"));
  for (std::size_t rank : {2u, 3u}) {
    EXPECT_EQ(together[rank].group, "ranks-together");
    EXPECT_EQ(together[rank].placement, together[1].placement);
    EXPECT_EQ(together[rank].alternatives, together[1].alternatives) << "both on the same node in every round";
    EXPECT_EQ(together[rank].same_as, "");
  }
  EXPECT_EQ(together[1].group, "");
}

TEST(Ranks, HaveANodeEachWhereThereAreTwoAndAHalfOfTheCoresWhereThereIsOne) {
  const auto apart = planned(two_nodes(), {"ranks-apart"});
  EXPECT_EQ(apart.at(1).placement, (Placement{{0, 1, 4, 5}, {MemoryPolicy::bind, {0}}, 4, {}}));
  EXPECT_EQ(apart.at(2).placement, (Placement{{2, 3, 6, 7}, {MemoryPolicy::bind, {1}}, 4, {}}));
  const auto halves = planned(one_node(), {"ranks-apart"});
  EXPECT_EQ(halves.at(1).placement, (Placement{{0, 1, 4, 5}, {}, 4, {}}));
  EXPECT_EQ(halves.at(2).placement, (Placement{{2, 3, 6, 7}, {}, 4, {}}));
}

TEST(Ranks, AreSkippedTogether) {
  Machine machine = one_node();
  machine.online = machine.allowed_cpus = machine.nodes[0].cpus = {0};
  const auto apart = planned(machine, {"ranks-apart"});
  for (std::size_t rank : {1u, 2u}) EXPECT_EQ(apart.at(rank).status, VariantStatus::skipped) << rank;
  EXPECT_EQ(apart[1].reason, "ranks-apart:1, which works beside it, cannot be had: " + apart[2].reason);
}

TEST(Ranks, CanBeNamedOneByOneAsTheyAreInAJournal) {
  const auto one_by_one = planned(two_nodes(), {"ranks-apart:0", "ranks-apart:1"});
  EXPECT_EQ(one_by_one, planned(two_nodes(), {"ranks-apart"}));
  EXPECT_EQ(refusal(two_nodes(), {"ranks-apart:2"}), "variant 'ranks-apart:2': ranks-apart has ranks 0 to 1");
}

TEST(DefaultVariants, LeaveWhatIsRarerToTheLargerProfiles) {
  const std::vector<std::string> quick{"none", "taskset", "numactl", "remote", "interleave", "one-per-core"};
  EXPECT_EQ(Catalogue().defaults(Profile::quick), quick);
  EXPECT_THAT(Catalogue().defaults(Profile::nightly),
              ElementsAre("none", "taskset", "numactl", "remote", "interleave", "one-per-core", "one-core"));
  EXPECT_THAT(Catalogue().defaults(Profile::thorough), testing::Contains("each-node"));
  EXPECT_THAT(Catalogue().defaults(Profile::thorough), testing::Not(testing::Contains("matrix")));
}

TEST(Variants, RefuseAnUnknownNameAndSuggestTheNearest) {
  EXPECT_EQ(refusal(two_nodes(), {"numctl"}), "variant 'numctl' is unknown; did you mean 'numactl'?");
  EXPECT_EQ(refusal(two_nodes(), {"somewhere"}),
            "variant 'somewhere' is unknown; "
            "known: none, taskset, numactl, remote, interleave, one-per-core, one-core, interleave-node, ...");
}

TEST(Variants, RefuseANameTwice) {
  EXPECT_EQ(refusal(two_nodes(), {"remote", "taskset", "remote"}), "variant 'remote' is named twice; name each once");
}

TEST(Variants, RefuseAFamilyBesideItsMember) {
  EXPECT_EQ(refusal(two_nodes(), {"each-node:1", "each-node"}),
            "variant 'each-node:1' is named twice, as each-node:1 and as each-node; name each once");
}

TEST(Variants, RefuseABaseThatCannotBe) {
  EXPECT_EQ(refusal(one_node(), {}, "remote"),
            "variant 'remote' cannot be the base here: one node only; choose another");
}

TEST(Variants, RefuseACpuListThatCannotBeHadAsAWhole) {
  Machine machine = two_nodes();
  machine.online = machine.online - IndexSet{7};
  machine.allowed_cpus = {0, 1, 2, 3};
  EXPECT_EQ(refusal(machine, {"cpus:0-9"}),
            "variant 'cpus:0-9': no CPUs 7-9 online on this machine; allowed here: CPUs 0-3");
  EXPECT_EQ(refusal(machine, {"cpus:3-4"}),
            "variant 'cpus:3-4': CPU 4 not allowed for this process by its affinity or cpuset; allowed here: CPUs 0-3");
  EXPECT_EQ(refusal(machine, {"cpus:"}), "variant 'cpus:': names no CPU; allowed here: CPUs 0-3");
  EXPECT_EQ(refusal(machine, {"cpus:a"}), "variant 'cpus:a': 'a' is not a list of ids; write it like 0-3,8");
}

TEST(Variants, RefuseAMachineThatAllowsNoCpu) {
  Machine machine = two_nodes();
  machine.allowed_cpus = {};
  EXPECT_EQ(refusal(machine, {}), "test: no CPU is allowed there; nothing can be planned");
}

TEST(LaunchLines, SayTheSamePlacementInOtherTools) {
  const Machine machine = two_nodes();
  EXPECT_THAT(launch_lines(one(machine, "taskset").placement, machine),
              UnorderedElementsAre(
                  Pair("taskset", "taskset --cpu-list 0-1,4-5"), Pair("numactl", "numactl --physcpubind=0-1,4-5"),
                  Pair("srun", "srun --ntasks=1 --exclusive --cpus-per-task=4 --cpu-bind=mask_cpu:0x33")));
  EXPECT_THAT(launch_lines(one(machine, "remote").placement, machine),
              UnorderedElementsAre(Pair("numactl", "numactl --physcpubind=0-1,4-5 --membind=1"),
                                   Pair("srun",
                                        "srun --ntasks=1 --exclusive --cpus-per-task=4 --cpu-bind=mask_cpu:0x33 "
                                        "--mem-bind=mask_mem:0x2")));
}

TEST(LaunchLines, LeaveOutAToolThatCannotSayIt) {
  const Machine machine = two_nodes();
  EXPECT_THAT(launch_lines(one(machine, "interleave").placement, machine),
              UnorderedElementsAre(Pair("numactl", "numactl --physcpubind=0-7 --interleave=0-1")));
}

TEST(LaunchLines, LeaveOutSrunOnAPartOfAMachine) {
  Machine machine = two_nodes();
  machine.allowed_cpus = {0, 1};
  EXPECT_FALSE(launch_lines(one(machine, "none").placement, machine).contains("srun"));
  EXPECT_EQ(why_no_srun(machine),
            "only CPUs 0-1 of 0-7 may be used, and Slurm counts those that a job was given from 0: the same numbers "
            "would mean others");
  EXPECT_EQ(why_no_srun(two_nodes()), "");
}

TEST(LaunchLines, OfRanksShareANode) {
  const Machine machine = two_nodes();
  EXPECT_EQ(launch_lines(one(machine, "taskset").placement, machine, true).at("srun"),
            "srun --ntasks=1 --overlap --cpu-bind=mask_cpu:0x33");
}

TEST(LaunchLines, WriteMasksOfAnySizeAndTheEnvironment) {
  const Machine machine = two_nodes();
  Placement placement;
  placement.cpus = {1, 70};
  placement.threads = 2;
  placement.memory.policy = MemoryPolicy::preferred;
  placement.memory.nodes.insert(0);
  placement.environment["OMP_PROC_BIND"] = "close";
  EXPECT_THAT(launch_lines(placement, machine),
              UnorderedElementsAre(Pair("numactl", "env OMP_PROC_BIND=close numactl --physcpubind=1,70 --preferred=0"),
                                   Pair("srun",
                                        "env OMP_PROC_BIND=close srun --ntasks=1 --exclusive --cpus-per-task=2 "
                                        "--cpu-bind=mask_cpu:0x400000000000000002 --mem-bind=prefer,mask_mem:0x1")));
}

std::string taskset_line(const Placement& placement) {
  return launch_lines(placement, two_nodes()).at("taskset");
}

TEST(LaunchLines, ComeOutOfAShellAsTheyWentIn) {
  Placement placement;
  placement.cpus = {0};
  placement.environment = {{"EMPTY", ""},
                           {"FOO", "a b;c"},
                           {"LIST", "a,b:c/d=e@f%+-.9_"},
                           {"OMP_PLACES", "{0,1},{2,3}"},
                           {"QUOTES", "it's $HOME"},
                           {"my name", "~"}};
  EXPECT_EQ(taskset_line(placement),
            "env EMPTY='' FOO='a b;c' LIST=a,b:c/d=e@f%+-.9_ OMP_PLACES='{0,1},{2,3}' QUOTES='it'\\''s $HOME' "
            "'my name'='~' taskset --cpu-list 0");
}

TEST(LaunchLines, SayTheNumberOfThreadsWhereItIsNotThatOfTheCpus) {
  Placement placement;
  placement.cpus = {0, 1, 2, 3};
  placement.threads = 4;
  EXPECT_EQ(taskset_line(placement), "taskset --cpu-list 0-3");
  placement.threads = 3;
  EXPECT_EQ(taskset_line(placement), "env OMP_NUM_THREADS=3 taskset --cpu-list 0-3");
  placement.threads = 8;
  EXPECT_EQ(taskset_line(placement), "env OMP_NUM_THREADS=8 taskset --cpu-list 0-3");
  placement.environment["OMP_NUM_THREADS"] = "2";
  EXPECT_EQ(taskset_line(placement), "env OMP_NUM_THREADS=2 taskset --cpu-list 0-3") << "it is the variant's own";
}

TEST(LaunchLines, HaveNoWordOfSlurmForMemoryThatIsLocalAsAWish) {
  Placement placement;
  placement.cpus = {0};
  placement.memory.policy = MemoryPolicy::local;
  EXPECT_THAT(launch_lines(placement, two_nodes()),
              UnorderedElementsAre(Pair("numactl", "numactl --physcpubind=0 --localalloc")));
}

}  // namespace
}  // namespace bindgate
