#include "binding/expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace bindgate {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Two packages of one node each, with nodes 0 and 8; two cores of two threads in each, siblings far apart as Linux
// numbers them (CPU and CPU + 4), an L3 cache for each core of the second.
Machine two_packages() {
  Machine machine;
  machine.source = "test";
  machine.online = machine.allowed_cpus = IndexSet::range(0, 7);
  machine.allowed_nodes = {0, 8};
  machine.isolated = IndexSet();
  machine.packages = {{0, {0, 1, 4, 5}}, {1, {2, 3, 6, 7}}};
  machine.dies = {{0, 0, {0, 1, 4, 5}}, {1, 1, {3, 7}}};
  machine.nodes = {{0, {0, 1, 4, 5}, 1u << 30, "dram"}, {8, {2, 3, 6, 7}, 1u << 30, "dram"}};
  machine.l3 = {{0, {0, 1, 4, 5}, 1}, {2, {2, 6}, 1}, {3, {3, 7}, 1}};
  machine.clusters = {{5, {2, 3}}};
  for (unsigned core = 0; core < 4; ++core)
    machine.cores.push_back(
        {.cpus = {core, core + 4}, .package = core / 2, .nodes = {core / 2 * 8}, .l3 = {}, .kind = ""});
  machine.distances = {{10, 21}, {21, 10}};
  machine.devices = {
      {"0000:81:00.0", "gpu", "", 8}, {"0000:01:00.0", "nic", "", {}}, {"10000:01:00.0", "other", "", 5}};
  return machine;
}

std::string value(const Machine& machine, const std::string& text) {
  const auto expression = Expression::parse(text);
  if (!expression) return "cannot be read: " + expression.error().message;
  const Ground ground(machine);
  const auto open = expression->open();
  const auto choices = open ? ground.choices(*open) : std::vector<Choice>(1);
  if (!choices) return choices.error().message;
  const auto cpus = expression->evaluate(ground, &choices->front());
  return cpus ? cpus->list() : cpus.error().message;
}

std::string value(const std::string& text) { return value(two_packages(), text); }

std::string fault(const std::string& text) {
  const auto expression = Expression::parse(text);
  return expression ? "was read" : expression.error().message;
}

TEST(Expression, SharesCoresNodeAfterNode) {
  for (const auto& [text, cpus] : std::vector<std::pair<std::string, std::string>>{
           {"share:0/2(allowed)", "0-1,4-5"}, {"share:1/2(allowed)", "2-3,6-7"}, {"share:3/2(allowed)", "2-3,6-7"},
           {"share:0/3(allowed)", "0-1,4-5"}, {"share:2/3(allowed)", "3,7"},     {"share:1/4(cores(allowed))", "1"},
           {"share:4/5(allowed)", ""}})
    EXPECT_EQ(value(text), cpus) << text;
  Machine crossed = two_packages();  // even cores on one node, odd ones on the other
  crossed.nodes[0].cpus = {0, 2, 4, 6};
  crossed.nodes[1].cpus = {1, 3, 5, 7};
  EXPECT_EQ(value(crossed, "share:0/2(allowed)"), "0,2,4,6");
  EXPECT_THAT(fault("share(allowed)"), HasSubstr("as share:0/2(allowed)"));
  EXPECT_THAT(fault("share:1/0(allowed)"), HasSubstr("at ^ in 'share^:1/0(allowed)'"));
  EXPECT_THAT(fault("share:1(allowed)"), HasSubstr("how many there are"));
}

TEST(Expression, NamesSetsOfCpus) {
  for (const auto& [text, cpus] : std::vector<std::pair<std::string, std::string>>{
           {"allowed", "0-7"},         {"online", "0-7"},       {"node:8", "2-3,6-7"},  {"node:0,8", "0-7"},
           {"package:1", "2-3,6-7"},   {"die:1.1", "3,7"},      {"l3:3", "3,7"},        {"cluster:5", "2-3"},
           {"cpus:0-2,7", "0-2,7"},    {"device:81:00.0", "2-3,6-7"},                   {" node:0 ", "0-1,4-5"},
           {"device:0000:81:00.0", "2-3,6-7"},                  {"node:any", "0-1,4-5"}, {"package:any", "0-1,4-5"},
           {"l3:any", "0-1,4-5"},      {"core:any", "0,4"}})
    EXPECT_EQ(value(text), cpus) << text;
}

TEST(Expression, AppliesFunctions) {
  for (const auto& [text, cpus] : std::vector<std::pair<std::string, std::string>>{
           {"cores(node:8)", "2-3"},    {"siblings(node:8)", "6-7"},  {"packed(allowed)", "0-1,4-5"},
           {"packed(cores(allowed))", "0-3"},                         {"packed(cpus:0,1,4,2)", "0-1,4"},
           {"even(allowed)", "0,2,4,6"}, {"near(cpus:0)", "0-1,4-5"}, {"far(cpus:0)", "2-3,6-7"},
           {"cores(siblings(node:0))", "4-5"}})
    EXPECT_EQ(value(text), cpus) << text;
}

TEST(Expression, BindsAndTighterThanOrAndMinusWhichGoFromTheLeft) {
  EXPECT_EQ(value("node:0 | node:8 & cpus:2"), "0-2,4-5");
  EXPECT_EQ(value("(node:0 | node:8) & cpus:2"), "2");
  EXPECT_EQ(value("allowed - node:0 | cpus:0"), "0,2-3,6-7");
  EXPECT_EQ(value("allowed - (node:0 | cpus:2)"), "3,6-7");
}

TEST(Expression, TakesAMinusForARangeOnlyBeforeADigit) {
  EXPECT_EQ(value("cpus:0-3-cpus:1"), "0,2-3");
  EXPECT_EQ(value("allowed-cpus:0-6"), "7");
  EXPECT_EQ(value("device:81:00.0-cpus:2"), "3,6-7");
}

TEST(Expression, MeansTheSameChoiceWhereverItIsNamed) {
  EXPECT_EQ(value("node:any - cores(node:any)"), "4-5");
  EXPECT_THAT(fault("node:any & l3:any"), HasSubstr("only one choice may be left open"));
}

TEST(Expression, HasNoCpuThatIsOfflineOrNotAllowed) {
  Machine machine = two_packages();
  machine.online = machine.online - IndexSet{6};
  machine.allowed_cpus = machine.allowed_cpus - IndexSet{0};
  for (const char* text : {"allowed", "near(cpus:1) | far(cpus:1)", "package:0,1", "l3:0,2,3", "node:0,8"})
    EXPECT_EQ(value(machine, text), "1-5,7") << text;
  EXPECT_EQ(value(machine, "cores(node:0)"), "1,4") << "a sibling stands for a core whose first thread is not allowed";
  EXPECT_EQ(value(machine, "cpus:0-1"),
            "CPU 0 not allowed for this process by its affinity or cpuset; allowed here: CPUs 1-5,7");
  EXPECT_EQ(value(machine, "cpus:6"), "no CPU 6 online on this machine; allowed here: CPUs 1-5,7");
}

TEST(Expression, PacksWholeCoresFirstWhereCoresHaveUnequalThreads) {
  Machine machine = two_packages();
  machine.online = machine.online - IndexSet{4};  // core 0 has one thread
  EXPECT_EQ(value(machine, "packed(allowed)"), "1-2,5-6");
}

TEST(Expression, SaysWhatTheMachineLacks) {
  EXPECT_EQ(value("node:1"), "no node 1 on this machine; it has 0,8");
  EXPECT_EQ(value("die:0.3"), "no die 0.3 on this machine; it has 0.0, 1.1");
  EXPECT_EQ(value("isolated"), "no CPU is isolated on this machine (isolcpus=)");
  EXPECT_EQ(value("kind:performance"), "this machine tells of no kinds of cores");
  EXPECT_EQ(value("far(allowed)"), "no other node has an allowed CPU");
  Machine untold = two_packages();
  untold.isolated = std::nullopt;
  EXPECT_EQ(value(untold, "isolated"), "which CPUs are isolated (isolcpus=) is not told of this machine");
  untold.distances.clear();
  EXPECT_EQ(value(untold, "far(cpus:0)"), "2-3,6-7") << "the only other one";
  untold.nodes = {{0, {0}, 1, ""}, {3, {1}, 1, ""}, {8, {2}, 1, ""}};
  EXPECT_EQ(value(untold, "far(cpus:0)"),
            "no distances between nodes are known here, so none of nodes 3,8 is known to be the farthest");
  Machine bare = two_packages();
  bare.l3.clear();
  EXPECT_EQ(value(bare, "l3:any"), "this machine tells of no L3 cache");
  EXPECT_EQ(value(bare, "l3:0"), "no L3 cache 0 on this machine, which tells of none");
}

TEST(Expression, NamesTheDevicesWhereOneIsNotKnownOrHasNoNode) {
  const std::string known =
      "; known: 0000:81:00.0 (gpu, node 8), 0000:01:00.0 (nic, node not told), 10000:01:00.0 (other, node 5)";
  EXPECT_EQ(value("device:82:00.0"), "no device 0000:82:00.0 on this machine" + known);
  EXPECT_EQ(value("device:01:00.0"),
            "the machine does not tell which node device 0000:01:00.0 is at (numa_node is -1, or contradicted by a "
            "finding of bindgate topology)" + known);
  EXPECT_EQ(value("device:10000:01:00.0"), "node 5, at which device 10000:01:00.0 is, has no allowed CPU");
}

TEST(Expression, PrefersPerformanceCoresForAnyCore) {
  Machine machine = two_packages();
  for (unsigned core = 0; core < 4; ++core) machine.cores[core].kind = core < 2 ? "efficiency" : "performance";
  EXPECT_EQ(value(machine, "core:any"), "2,6");
  EXPECT_EQ(value(machine, "kind:efficiency"), "0-1,4-5");
}

TEST(Expression, ShowsThePlaceOfAFaultWithACaret) {
  EXPECT_EQ(fault("cores(nod:1)"),
            "character 7, at ^ in 'cores(^nod:1)': expected a set (allowed, node:1, package:0, die:0.1, l3:3, "
            "cluster:2, cpus:0-7,16, device:0000:81:00.0, kind:performance, isolated, or any: node:any, package:any, "
            "l3:any, core:any), a function of one (cores, packed, siblings, even, near, far, share:0/2), or a set in "
            "parentheses, found 'nod'; did you mean 'node:1'?");
  EXPECT_EQ(fault("node:0 node:1"), "character 8, at ^ in 'node:0 ^node:1': expected &, |, - or the end, found 'n'");
  EXPECT_EQ(fault("(node:0"), "character 8, at ^ in '(node:0^': expected ), &, | or -, found the end");
  EXPECT_EQ(fault("node 0"), "character 6, at ^ in 'node ^0': expected : after node, found '0'");
  EXPECT_EQ(fault("node:"), "character 6, at ^ in 'node:^': expected an id as 0, a list as 0,8, or any, found the end");
  EXPECT_EQ(fault("cpus:3-1"),
            "character 6, at ^ in 'cpus:^3-1': range '3-1' runs backwards; write the lower id first");
  EXPECT_EQ(fault("kind:perfomance"),
            "character 6, at ^ in 'kind:^perfomance': expected performance or efficiency; did you mean 'performance'?");
  EXPECT_EQ(fault("core:0"),
            "character 6, at ^ in 'core:^0': expected any; a certain core is named by its CPUs, as cpus:0,4");
  EXPECT_EQ(fault("cores node:0"), "character 7, at ^ in 'cores ^node:0': expected ( after cores, found 'n'");
  for (const char* text : {"", "node:0 &", "- node:0", "()", "die:0", "die:x.1", "device:xyz", "device:", "l3:any3"})
    EXPECT_THAT(fault(text), StartsWith("character ")) << text;
  EXPECT_THAT(fault("xyzzy"), HasSubstr("expected a set (allowed, node:1,"));
}

TEST(Expression, TellsWhatMayStandThereAndWhatWasMeant) {
  for (const auto& [text, told] : std::vector<std::pair<std::string, std::string>>{
           {"0-1", "found '0-1'; did you mean 'cpus:0-1'?"},
           {"7", "found '7'; did you mean 'cpus:7'?"},
           {"node:0 | 2,4-node:1", "found '2,4'; did you mean 'cpus:2,4'?"},
           {"all", "found 'all'; did you mean 'allowed'?"},
           {"socket:0", "found 'socket'; did you mean 'package:0'?"},
           {"numa:0-1", "found 'numa'; did you mean 'node:0-1'?"},
           {"cores(numanode:8)", "found 'numanode'; did you mean 'node:8'?"},
           {"pu:0", "found 'pu'; did you mean 'cpus:0'?"},
           {"cpu:0", "found 'cpu'; did you mean 'cpus:0'?"},
           {"core(node:0)", "expected : after core, found '('; did you mean 'cores('?"},
           {"sibling(node:0)", "found 'sibling'; did you mean 'siblings('?"},
           {"nod(0)", "found 'nod'"},  // no function, though nearly a set
           {"0xff", "found '0xff'"}})
    EXPECT_THAT(fault(text), testing::EndsWith(told)) << text;
  EXPECT_THAT(fault("0-1"), StartsWith("character 1, at ^ in '^0-1': expected a set (allowed, "));
  EXPECT_THAT(fault("core(node:0)"), StartsWith("character 5, at ^ in 'core^(node:0)': "));
}

TEST(Expression, RefusesWhatNobodyWouldWrite) {
  EXPECT_THAT(fault(std::string(1001, 'a')), HasSubstr("at most 1000 are read"));
  EXPECT_THAT(fault(std::string(200, '(')), HasSubstr("nested deeper than 50"));
}

TEST(PciAddress, IsReadInItsLongAndShortForm) {
  EXPECT_EQ(pci_address("81:00.0"), "0000:81:00.0");
  EXPECT_EQ(pci_address("0000:AF:1c.7"), "0000:af:1c.7");
  EXPECT_EQ(pci_address("10000:01:00.0"), "10000:01:00.0");
  for (const char* text : {"", "81:00", "81:00.00", "0000:81:0g.0", "0000-81:00.0", "123456789:81:00.0", ":81:00.0"})
    EXPECT_EQ(pci_address(text), std::nullopt) << text;
}

}  // namespace
}  // namespace bindgate
