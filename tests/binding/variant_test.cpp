#include "binding/variant.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "binding/variants.hpp"

namespace bindgate {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

std::string file_of(const std::string& variants) {
  return R"j({"schema": "bindgate.variants/1", "variants": [)j" + variants + "]}";
}

std::string fault(const std::string& variants) {
  const auto catalogue = Catalogue::with_text(file_of(variants), "mine.json");
  return catalogue ? "was read" : catalogue.error().message;
}

Catalogue catalogue_of(const std::string& variants) {
  auto catalogue = Catalogue::with_text(file_of(variants), "mine.json");
  EXPECT_TRUE(catalogue) << catalogue.error().message;
  return catalogue ? *std::move(catalogue) : Catalogue();
}

// Two nodes of two cores with two threads each, siblings CPU and CPU + 4.
Machine two_nodes() {
  Machine machine;
  machine.source = "test";
  machine.online = machine.allowed_cpus = IndexSet::range(0, 7);
  machine.allowed_nodes = {0, 1};
  machine.nodes = {{0, {0, 1, 4, 5}, 1u << 30, "dram"}, {1, {2, 3, 6, 7}, 1u << 30, "dram"}};
  for (unsigned core = 0; core < 4; ++core)
    machine.cores.push_back({.cpus = {core, core + 4}, .package = core / 2, .nodes = {core / 2}, .l3 = {}, .kind = ""});
  machine.distances = {{10, 21}, {21, 10}};
  return machine;
}

std::vector<PlannedVariant> planned(const Catalogue& catalogue, std::vector<std::string> names,
                                    const Machine& machine = two_nodes()) {
  const auto plan = plan_variants(catalogue, machine, names);
  EXPECT_TRUE(plan) << plan.error().message;
  return plan ? *plan : std::vector<PlannedVariant>{};
}

PlannedVariant one(const std::string& variant, const Machine& machine = two_nodes()) {
  const auto all = planned(catalogue_of(variant), {"mine"}, machine);
  return all.empty() ? PlannedVariant{} : all.back();
}

std::string refusal(const std::string& name) {
  const auto plan = plan_variants(Catalogue(), two_nodes(), std::vector{name});
  return plan ? "planned" : plan.error().message;
}

TEST(Variant, HasDefaultsForAllButItsName) {
  EXPECT_EQ(one(R"j({"name": "mine"})j").placement, (Placement{IndexSet::range(0, 7), {}, 8, {}}));
  EXPECT_THAT(catalogue_of(R"j({"name": "mine"})j").defaults(Profile::quick), testing::Contains("mine"));
}

TEST(Variant, PlansAllThatItSays) {
  const PlannedVariant variant = one(R"j({"name": "mine", "cpus": "cores(node:1)", "memory": "preferred-many:0-1",
      "threads": "per-core", "workers": "siblings(node:1)", "environment": {"OMP_WAIT_POLICY": "active"}})j");
  EXPECT_EQ(variant.placement, (Placement{{2, 3}, {MemoryPolicy::preferred_many, {0, 1}}, 2,
                                          {{"OMP_WAIT_POLICY", "active"}}, {6, 7}}));
}

TEST(Variant, CountsThreadsWithinTheQuota) {
  Machine machine = two_nodes();
  machine.quota_cpus = 2.9;
  const auto threads = [&](const std::string& wish, const Machine& on) {
    return one(R"j({"name": "mine", "threads": )j" + wish + "}", on).placement.threads;
  };
  EXPECT_EQ(threads("3", two_nodes()), 3u);
  EXPECT_EQ(threads(R"j("per-core")j", two_nodes()), 4u);
  EXPECT_EQ(threads(R"j("3-per-cpu")j", two_nodes()), 24u);
  EXPECT_EQ(threads("3", machine), 2u);
  EXPECT_EQ(threads(R"j("per-core")j", machine), 2u);
  EXPECT_EQ(threads(R"j("3-per-cpu")j", machine), 6u);
  machine.quota_cpus = 0.5;
  EXPECT_EQ(threads(R"j("per-cpu")j", machine), 1u);
}

TEST(Variant, FollowsItsChoiceWithMemoryAndWorkers) {
  const PlannedVariant variant =
      one(R"j({"name": "mine", "cpus": "cores(node:any)", "memory": "bind:near", "workers": "far(node:any)"})j");
  EXPECT_THAT(variant.alternatives,
              ElementsAre(Placement{{0, 1}, {MemoryPolicy::bind, {0}}, 2, {}, {2, 3, 6, 7}},
                          Placement{{2, 3}, {MemoryPolicy::bind, {1}}, 2, {}, {0, 1, 4, 5}}));
}

TEST(Variant, KeepsOfItsChoicesThoseThatAreStillAlike) {
  const PlannedVariant variant = one(R"j({"name": "mine", "cpus": "node:any - cpus:0"})j");
  EXPECT_EQ(variant.placement.cpus, (IndexSet{2, 3, 6, 7}));
  EXPECT_TRUE(variant.alternatives.empty());
}

TEST(Variant, IsWrittenInItsSimplestForm) {
  const auto memory = [](const std::string& wish, const Machine& machine) {
    return one(R"j({"name": "mine", "memory": ")j" + wish + "\"}", machine).placement.memory;
  };
  for (const char* wish : {"interleave:1", "weighted-interleave:1", "preferred-many:1"})
    EXPECT_EQ(memory(wish, two_nodes()), (Memory{MemoryPolicy::preferred, {1}})) << wish << " spills when it is full";
  EXPECT_EQ(memory("weighted-interleave:all", two_nodes()), (Memory{MemoryPolicy::weighted_interleave, {0, 1}}));
  EXPECT_EQ(memory("local", two_nodes()), (Memory{MemoryPolicy::local, {}}));
  Machine machine = two_nodes();
  machine.allowed_nodes = {1};
  for (const char* wish : {"bind:1", "preferred:1", "interleave:all", "local"})
    EXPECT_EQ(memory(wish, machine), Memory{}) << wish;
  EXPECT_EQ(one(R"j({"name": "mine", "workers": "allowed"})j").placement.workers, IndexSet{}) << "the same CPUs";
}

TEST(Variant, IsSkippedWhereItsMemoryCannotBeHad) {
  Machine machine = two_nodes();
  machine.allowed_nodes = {1};
  EXPECT_EQ(one(R"j({"name": "mine", "memory": "bind:0,7"})j", machine).reason,
            "nodes 0,7 have no memory that is allowed here (only node 1); Mems_allowed leaves out node 0");
  EXPECT_EQ(one(R"j({"name": "mine", "cpus": "node:0", "memory": "bind:near"})j", machine).reason,
            "no allowed memory on node 0; Mems_allowed leaves out node 0");
  EXPECT_EQ(one(R"j({"name": "mine", "memory": "farthest"})j").reason,
            "the CPUs take part in every node with allowed memory; none is far from them");
  EXPECT_EQ(one(R"j({"name": "mine", "cpus": "node:0 & node:1"})j").reason, "no allowed CPU is in 'node:0 & node:1'");
}

TEST(Variant, TakesAGpusMemoryOnlyWhereItIsNamed) {
  Machine machine = two_nodes();
  machine.nodes.push_back({9, {}, 1u << 30, "gpu"});
  machine.allowed_nodes = {0, 1, 9};
  machine.distances.clear();
  EXPECT_EQ(one(R"j({"name": "mine", "memory": "interleave:all"})j", machine).placement.memory.nodes, (IndexSet{0, 1}));
  EXPECT_EQ(one(R"j({"name": "mine", "memory": "bind:9"})j", machine).placement.memory.nodes, IndexSet{9});
}

TEST(Families, HaveAMemberForEachOfWhatTheyAreFor) {
  std::vector<std::string> names;
  for (const PlannedVariant& variant : planned(Catalogue(), {"each-node", "matrix"})) names.push_back(variant.name);
  EXPECT_THAT(names, ElementsAre("none", "each-node:0", "each-node:1", "matrix:0,0", "matrix:0,1", "matrix:1,0",
                                 "matrix:1,1"));
  const auto cell = planned(Catalogue(), {"matrix:0,1"}).back();
  EXPECT_EQ(cell.placement, (Placement{{0, 1, 4, 5}, {MemoryPolicy::bind, {1}}, 4, {}}));
}

TEST(Families, OfMoreMembersThanAnybodyMeasuresAreSkippedButNotThoseThatAreNamed) {
  Machine machine;
  machine.source = "test";
  for (unsigned node = 0; node < 64; ++node) machine.nodes.push_back({node, {node}, 1u << 30, "dram"});
  machine.online = machine.allowed_cpus = IndexSet::range(0, 64);
  machine.allowed_nodes = IndexSet::range(0, 64);
  EXPECT_EQ(planned(Catalogue(), {"matrix"}, machine).size(), 1u + 64 * 64);
  machine.nodes.push_back({64, {64}, 1u << 30, "dram"});
  const auto variants = planned(Catalogue(), {"matrix", "matrix:64,0"}, machine);
  ASSERT_EQ(variants.size(), 3u);
  EXPECT_EQ(variants[1].name, "matrix");
  EXPECT_EQ(variants[1].reason,
            "it is more than 4096 variants here; name those that matter, like matrix[:NODE,NODE]");
  EXPECT_EQ(describe(variants[2].placement), "CPUs 64, memory bind 0, 1 thread");
}

TEST(Catalogues, SayWhatAVariantMeansWithItsOwnValues) {
  const Catalogue mine = catalogue_of(
      R"({"name": "socket", "for": ["node", "memory-node"], "meaning": "{node} with {memory-node}",
          "cpus": "node:{node}", "memory": "bind:{memory-node}"}, {"name": "silent"})");
  EXPECT_EQ(mine.meaning_of("socket:0,8"), "0 with 8");
  EXPECT_EQ(mine.meaning_of("socket"), "{node} with {memory-node}");
  EXPECT_EQ(mine.meaning_of("socket:0"), "") << "no member";
  EXPECT_EQ(mine.meaning_of("silent"), "");
  EXPECT_EQ(mine.meaning_of("nobody"), "");
  EXPECT_EQ(mine.meaning_of("cpus:0-3,8"), mine.meaning_of("cpus"));
  EXPECT_EQ(mine.meaning_of("ranks-apart:1"), mine.meaning_of("ranks-apart"));
}

TEST(Catalogues, TellWhatNoProfileMeasuresUnasked) {
  std::vector<std::string> asked;
  for (const VariantHelp& variant : catalogue_of(R"({"name": "mine", "profile": "asked"}, {"name": "quick"})").help())
    if (variant.asked) asked.push_back(variant.name);
  EXPECT_THAT(asked, ElementsAre("matrix[:NODE,NODE]", "ranks-together", "ranks-apart", "device:PCI", "away-from:PCI",
                                 "wrapper:taskset", "wrapper:numactl", "wrapper:hwloc-bind", "cpus:LIST", "mine"));
}

TEST(Families, HaveOneMemberForAnAddressThatSeveralDevicesHave) {
  Machine machine = two_nodes();
  machine.devices = {{"0000:81:00.0", "gpu", "", {}}, {"0000:81:00.0", "nic", "", {}}};
  const auto variants = planned(Catalogue(), {"device"}, machine);
  ASSERT_EQ(variants.size(), 2u);
  EXPECT_EQ(variants[1].name, "device:0000:81:00.0");
  EXPECT_EQ(variants[1].status, VariantStatus::skipped);
}

TEST(Families, GoByDevicesToo) {
  Machine machine = two_nodes();
  machine.devices = {{"0000:81:00.0", "gpu", "", 1}, {"0000:00:1f.0", "other", "", 0}};
  const auto variants = planned(Catalogue(), {"device", "away-from:81:00.0"}, machine);
  ASSERT_EQ(variants.size(), 3u);
  EXPECT_EQ(variants[1].name, "device:0000:81:00.0");
  EXPECT_EQ(variants[1].placement, (Placement{{2, 3, 6, 7}, {MemoryPolicy::bind, {1}}, 4, {}}));
  EXPECT_EQ(variants[2].name, "away-from:0000:81:00.0");
  EXPECT_EQ(variants[2].placement, (Placement{{0, 1, 4, 5}, {MemoryPolicy::bind, {0}}, 4, {}}));
  EXPECT_EQ(planned(Catalogue(), {"device"}).back().reason, "no GPU or network device is known here");
}

TEST(Families, NeedDevicesOnlyWhereOneIsNamed) {
  const Catalogue own = catalogue_of(R"j({"name": "mine", "workers": "device:81:00.0"})j");
  EXPECT_TRUE(own.needs_devices(std::vector<std::string>{"none", "mine"}));
  EXPECT_TRUE(own.needs_devices(std::vector<std::string>{"device:81:00.0"}));
  EXPECT_FALSE(Catalogue().needs_devices(Catalogue().defaults(Profile::thorough)));
}

TEST(Families, RefuseValuesOfAnotherForm) {
  EXPECT_EQ(refusal("matrix:0"), "variant 'matrix:0': a value is missing; write it like matrix[:NODE,NODE]");
  EXPECT_EQ(refusal("matrix:0,1,2"), "variant 'matrix:0,1,2': '1,2' is no node's id; write it like 0");
  EXPECT_EQ(refusal("device:x"), "variant 'device:x': 'x' is no PCI address; write it like 0000:81:00.0 or 81:00.0");
  EXPECT_EQ(refusal("cpus"), "variant 'cpus': it needs a list, as cpus:0-3,8");
  EXPECT_EQ(planned(Catalogue(), {"each-node:7"}).back().reason,
            "node 7 has no memory that is allowed here (only nodes 0-1)");
}

TEST(VariantsFile, NamesTheFileTheFieldAndTheFix) {
  EXPECT_EQ(fault(R"j({"name": "mine", "cpu": "node:0"})j"),
            "mine.json: $.variants[0]: unknown key \"cpu\"; did you mean 'cpus'?");
  EXPECT_EQ(fault(R"j({"cpus": "node:0"})j"), "mine.json: $.variants[0]: key \"name\" is missing");
  EXPECT_THAT(fault(R"j({"name": "mine", "cpus": "cores(nod:1)"})j"),
              AllOf(StartsWith("mine.json: $.variants[0].cpus: character 7, at ^ in 'cores(^nod:1)': expected a set"),
                    EndsWith("found 'nod'; did you mean 'node:1'?")));
  EXPECT_EQ(fault(R"j({"name": "mine", "memory": "membind:0"})j"),
            "mine.json: $.variants[0].memory: no memory policy 'membind' is known; write default, local, farthest, or "
            "bind, preferred, preferred-many, interleave or weighted-interleave with nodes, as bind:0,2, "
            "interleave:all or preferred:near");
  EXPECT_THAT(fault(R"j({"name": "mine", "memory": "interleav:all"})j"), HasSubstr("did you mean 'interleave'?"));
  EXPECT_THAT(fault(R"j({"name": "mine", "memory": "bind"})j"), HasSubstr("'bind' needs nodes"));
  EXPECT_THAT(fault(R"j({"name": "mine", "memory": "local:0"})j"), HasSubstr("'local' takes no nodes"));
  EXPECT_THAT(fault(R"j({"name": "mine", "memory": "preferred:0,1"})j"), HasSubstr("write preferred-many for several"));
  EXPECT_THAT(fault(R"j({"name": "mine", "threads": 0})j"),
              HasSubstr("$.variants[0].threads: expected a whole number"));
  EXPECT_THAT(fault(R"j({"name": "mine", "threads": "per-cpus"})j"), HasSubstr("'per-cpus' is no number of threads"));
  EXPECT_THAT(fault(R"j({"name": "mine", "profile": "quik"})j"), HasSubstr("did you mean 'quick'?"));
  EXPECT_THAT(fault(R"j({"name": "mine", "wrapper": "numctl"})j"), HasSubstr("did you mean 'numactl'?"));
  EXPECT_THAT(fault(R"j({"name": "mine", "cpus": "node:any", "workers": "l3:any"})j"),
              HasSubstr("$.variants[0].workers: leaves another choice open than cpus"));
  for (const auto& [typed, meant] : std::map<std::string, std::string>{
           {"env", "environment"}, {"cpu", "cpus"}, {"mem", "memory"}, {"thread", "threads"}, {"worker", "workers"}})
    EXPECT_THAT(fault(R"j({"name": "mine", ")j" + typed + R"j(": "0"})j"),
                EndsWith("unknown key \"" + typed + "\"; did you mean '" + meant + "'?"));
  EXPECT_THAT(Catalogue::with_text(R"j({"schema": "bindgate.run/1", "variants": []})j", "mine.json").error().message,
              HasSubstr("expected \"bindgate.variants/1\""));
}

std::string fault_of_environment(const std::string& setting) {
  return fault(R"({"name": "mine", "environment": {)" + setting + "}}");
}

TEST(VariantsFile, RefusesVariablesThatNoProgramCouldHave) {
  const std::map<std::string, std::string> written{
      {"", R"([""])"},       {"A B", R"(["A B"])"},           {"A=B", R"(["A=B"])"},   {"1A", ".1A"},
      {"A-B", R"(["A-B"])"}, {R"(A\u0000)", R"(["A\u0000"])"}, {R"(A\n)", R"(["A\n"])"}, {R"(A\u007f)", R"(["A?"])"}};
  for (const auto& [name, place] : written)
    EXPECT_EQ(fault_of_environment('"' + name + R"(": "1")"),
              "mine.json: $.variants[0].environment" + place +
                  ": no variable has such a name; write letters, digits and _, no digit first");
  for (const char* value : {R"(\u0000)", R"(b\nc)", R"(\u007f)", R"(\u009b)"})
    EXPECT_EQ(fault_of_environment(R"("A": ")" + std::string(value) + '"'),
              "mine.json: $.variants[0].environment.A: holds a control character; leave it out");
  EXPECT_EQ(fault_of_environment(R"("_a1": "b = c")"), "was read");
}

TEST(VariantsFile, RefusesVariablesThatOtherKeysDecide) {
  for (const std::string name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"})
    EXPECT_EQ(fault_of_environment('"' + name + R"(": "4")"),
              "mine.json: $.variants[0].environment." + name +
                  ": is set to the number of threads; use the key threads");
  EXPECT_THAT(fault_of_environment(R"("BINDGATE_THREADS": "1")"), HasSubstr("is for bindgate to set"));
  EXPECT_EQ(fault_of_environment(R"("NUMEXPR_NUM_THREADS": "1", "OMP_PROC_BIND": "close")"), "was read");
}

TEST(VariantsFile, RefusesPlaceholdersThatNothingIsPutIn) {
  const std::string place = "mine.json: $.variants[0].";
  EXPECT_EQ(fault(R"j({"name": "mine", "cpus": "cores(node:{node})"})j"),
            place + "cpus: {node} needs \"for\", as \"for\": [\"node\"]: a variant for each");
  EXPECT_EQ(fault(R"j({"name": "mine", "for": ["node"], "memory": "bind:{memory-node}"})j"),
            place + "memory: {memory-node} needs \"for\", as \"for\": [\"memory-node\"]: a variant for each");
  EXPECT_EQ(fault(R"j({"name": "mine", "workers": "share:{rank}/2(allowed)"})j"),
            place + "workers: {rank} needs \"ranks\", as \"ranks\": 2");
  EXPECT_EQ(fault(R"j({"name": "mine", "for": ["node"], "cpus": "node:{nodes}"})j"),
            place + "cpus: nothing is put in place of {nodes}; did you mean 'node'?");
  EXPECT_THAT(fault(R"j({"name": "mine", "cpus": "node:{"})j"),
              StartsWith(place + "cpus: nothing is put in place of {"));
}

TEST(VariantsFile, IsRefusedByLineAndColumnWhereItIsNotJson) {
  const auto catalogue = Catalogue::with_text(
      R"({
           "schema": "bindgate.variants/1"
           "variants": []
         })", "mine.json");
  ASSERT_FALSE(catalogue);
  EXPECT_EQ(catalogue.error().message,
            "mine.json: is not JSON (line 3, column 21): expected a comma or }, found string literal");
}

TEST(VariantsFile, RefusesNullForEveryKey) {
  const std::map<std::string, std::string> expected{
      {"meaning", "a string"}, {"for", "an array"}, {"ranks", "a whole number"}, {"cpus", "a string"},
      {"memory", "a string"}, {"threads", "1 to 4096, per-cpu, per-core"}, {"workers", "a string"},
      {"environment", "an object"}, {"wrapper", "taskset, numactl, hwloc-bind"},
      {"profile", "quick, nightly, thorough, asked"}};
  for (const auto& [key, allowed] : expected) {
    const std::string found = fault(R"j({"name": "mine", ")j" + key + R"j(": null})j");
    EXPECT_THAT(found, testing::StartsWith("mine.json: $.variants[0]." + key + ": expected ")) << key;
    EXPECT_THAT(found, HasSubstr(allowed)) << key;
    EXPECT_THAT(found, testing::EndsWith("found null")) << key;
  }
  EXPECT_EQ(fault(R"j({"name": null})j"), "mine.json: $.variants[0].name: expected a string, found null");
  EXPECT_EQ(fault("null"), "mine.json: $.variants[0]: expected an object, found null");
  EXPECT_THAT(Catalogue::with_text(R"j({"schema": "bindgate.variants/1", "variants": null})j", "mine.json")
                  .error().message, HasSubstr("$.variants: expected an array, found null"));
}

TEST(VariantsFile, RefusesNamesThatCannotBeToldApart) {
  EXPECT_EQ(fault(R"j({"name": "a"}, {"name": "a"})j"),
            "mine.json: $.variants[1].name: 'a' is named twice; give each its own name");
  EXPECT_EQ(fault(R"j({"name": "numactl"})j"), "mine.json: variant 'numactl' is built in; give it another name");
  EXPECT_EQ(fault(R"j({"name": "cpus:0"})j"),
            "mine.json: variant 'cpus:0' reads like a member of the built-in cpus; give it another name");
  EXPECT_EQ(fault(R"j({"name": "x", "ranks": 2}, {"name": "x:0"})j"),
            "mine.json: variant 'x:0' reads like a member of variant 'x'; give one of them another name");
  EXPECT_EQ(fault(R"j({"name": "x:far"}, {"name": "x", "for": ["node"]})j"),
            "mine.json: variant 'x:far' reads like a member of variant 'x'; give one of them another name");
  EXPECT_EQ(catalogue_of(R"j({"name": "x"}, {"name": "x:0"}, {"name": "xy", "ranks": 2}, {"name": "xy-0"})j")
                .variants().size(), Catalogue().variants().size() + 4);
  for (const char* name : {"", "a/b", "a*", "a b", "a-degraded"})
    EXPECT_THAT(fault(R"j({"name": ")j" + std::string(name) + "\"}"), HasSubstr("$.variants[0].name: ")) << name;
}

TEST(VariantsFile, IsWrittenAsItIsRead) {
  const auto variants = Catalogue().variants();
  const auto again = parse_variants(to_json(variants).dump(), "again");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, variants);
}

// The example of harness/binding/README.md, as it stands there.
TEST(VariantsFile, IsTaughtByAnExampleThatWorks) {
  std::ifstream file(BINDGATE_TESTS "/../harness/binding/README.md");
  std::stringstream text;
  text << file.rdbuf();
  const std::string readme = text.str();
  const auto begin = readme.find("    {\"schema\"");
  ASSERT_NE(begin, std::string::npos);
  const auto catalogue = Catalogue::with_text(readme.substr(begin, readme.find("]}", begin) + 2 - begin), "README.md");
  ASSERT_TRUE(catalogue) << catalogue.error().message;
  const auto variants = planned(*catalogue, {"loader-on-siblings", "half", "socket"});
  EXPECT_EQ(describe(variants[1].placement), "CPUs 0-1, memory bind 0, 2 threads, workers on CPUs 4-5");
  EXPECT_EQ(variants[2].placement.cpus, (IndexSet{0, 1, 4, 5}));
  EXPECT_THAT(variants[3].name, HasSubstr("socket"));
}

}  // namespace
}  // namespace bindgate
