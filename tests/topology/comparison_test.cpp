#include "topology/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "topology/system_root.hpp"

namespace bindgate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Machine machine() {
  Machine one;
  one.source = "live";
  one.live = true;
  one.cpu_model = "Some CPU";
  one.hypervisor = "none";
  one.traits = {{"isa", "avx2"}};
  one.online = one.allowed_cpus = IndexSet::range(0, 7);
  one.isolated = {3};
  one.offline = one.no_tick = IndexSet();
  one.allowed_nodes = {0, 1};
  one.packages = {{0, {0, 1, 2, 3}}, {1, {4, 5, 6, 7}}};
  one.dies = {{0, 0, {0, 1}}, {1, 0, {2, 3}}};
  one.nodes = {{0, {0, 1, 2, 3}, std::uint64_t{8} << 30, "dram", 20'000, 90},
               {1, {4, 5, 6, 7}, std::uint64_t{8} << 30, "dram"}};
  for (unsigned core = 0; core < 4; ++core)
    one.cores.push_back({{2 * core, 2 * core + 1}, core / 2, {core / 2}, core / 2, ""});
  one.l3 = {{0, {0, 1, 2, 3}, 1 << 20}, {1, {4, 5, 6, 7}, 1 << 20}};
  one.clusters = {{4, {0, 1}}};
  one.distances = {{10, 21}, {21, 10}};
  one.devices = {{"0000:81:00.0", "gpu", "H200", 0}, {"0000:82:00.0", "nic", "mlx5", std::nullopt}};
  return one;
}

std::string printed(const Machine& one) {
  nlohmann::json json = to_json(one);
  json["schema"] = "bindgate.topology/1";
  return json.dump();
}

MachineDocument document(const Machine& one) {
  const auto read = parse_machine_document(printed(one), "then.json");
  EXPECT_TRUE(read) << read.error().message;
  return read ? *read : MachineDocument{};
}

std::vector<std::string> lines(const Machine& now) {
  std::vector<std::string> all;
  for (const MachineDifference& difference : compare(document(machine()), document(now)).differences)
    all.push_back(difference.line);
  return all;
}

TEST(MachineDocument, IsTheMachineThatWasPrinted) {
  EXPECT_EQ(document(machine()).machine, machine());
  EXPECT_EQ(document(machine()).fingerprint, fingerprint_of(machine()));
  Machine unknown = machine();
  unknown.distances.clear();
  unknown.hypervisor.clear();
  unknown.offline = unknown.isolated = unknown.no_tick = std::nullopt;
  unknown.dies[0].package = unknown.cores[0].l3 = std::nullopt;
  unknown.quota_cpus = 1.5;
  unknown.findings = {"something"};
  EXPECT_EQ(document(unknown).machine, unknown);
}

std::string refusal(const std::string& from, const std::string& to) {
  std::string text = printed(machine());
  const auto at = text.find(from);
  if (at == std::string::npos) return "not in the text";
  const auto read = parse_machine_document(text.replace(at, from.size(), to), "then.json");
  return read ? "read" : read.error().message;
}

TEST(MachineDocument, ThatIsNoneIsRefusedWithFileKeyAndCure) {
  EXPECT_EQ(refusal("bindgate.topology/1", "bindgate.variants_plan/1"),
            "then.json: $.schema: is 'bindgate.variants_plan/1'; give a file that bindgate topology --json wrote "
            "(bindgate.topology/1)");
  EXPECT_THAT(refusal("\"cpus\":\"0-7\"", "\"cpus\":\"7-0\""),
              HasSubstr("then.json: $.allowed.cpus: range '7-0' runs backwards"));
  EXPECT_THAT(refusal("\"online\":\"0-7\"", "\"online\":7"), HasSubstr("then.json: $.online: "));
  EXPECT_THAT(refusal("[21,10]", "[21]"), HasSubstr("then.json: $.distances[1]: needs one distance for each node"));
  EXPECT_THAT(refusal(",[21,10]", ""), HasSubstr("then.json: $.distances: needs one row for each node"));
  EXPECT_THAT(parse_machine_document("[]", "then.json").error().message, HasSubstr("then.json"));
}

TEST(MachineDocument, MayAlsoBeAnyOtherSource) {
  tests::SystemRoot root;
  root.put("then.json", "\n" + printed(machine()));
  EXPECT_EQ(read_machine_document((root.path() / "then.json").string())->machine, machine());
  const auto synthetic = read_machine_document("synthetic:package:2 core:2 pu:1");
  ASSERT_TRUE(synthetic);
  EXPECT_TRUE(synthetic->told.contains("nodes"));
  EXPECT_FALSE(synthetic->told.contains("quota_cpus"));
  EXPECT_THAT(read_machine_document("/no/such/file").error().message, HasSubstr("no such file or directory"));
}

TEST(Comparison, OfAMachineWithItselfSaysThatNothingDiffers) {
  Machine reordered = machine();
  reordered.source = "elsewhere";
  std::reverse(reordered.devices.begin(), reordered.devices.end());
  std::reverse(reordered.cores.begin(), reordered.cores.end());
  reordered.nodes[1].memory_bytes -= 4 << 20;  // the next kernel keeps a little more
  const MachineComparison comparison = compare(document(machine()), document(reordered));
  EXPECT_TRUE(comparison.nothing_differs());
  EXPECT_EQ(comparison.then_fingerprint, fingerprint_of(machine()).id());
}

TEST(Comparison, TellsDevicesOfOneAddressApart) {
  Machine one = machine();
  one.devices.push_back({"0000:81:00.0", "nic", "also there", 1});
  Machine same = one;
  std::swap(same.devices[0], same.devices[2]);
  EXPECT_TRUE(compare(document(one), document(same)).nothing_differs());
  same.devices.erase(same.devices.begin());
  EXPECT_THAT(compare(document(one), document(same)).differences.size(), 1u);
}

TEST(Comparison, NamesADeviceThatMoved) {
  Machine now = machine();
  now.devices[0].node = 1;
  EXPECT_THAT(lines(now), ElementsAre("device 0000:81:00.0 (gpu) was on node 0, is on node 1"));
  now.devices[0].node = std::nullopt;
  EXPECT_THAT(lines(now), ElementsAre("device 0000:81:00.0 (gpu) was on node 0, is on no known node"));
  const MachineComparison comparison = compare(document(machine()), document(now));
  EXPECT_EQ(comparison.differences[0].what, "device 0000:81:00.0");
  EXPECT_EQ(comparison.differences[0].then, "node 0");
  EXPECT_EQ(comparison.differences[0].now, "no known node");
  EXPECT_THAT(comparison.fingerprint_fields, IsEmpty()) << "devices are no part of it";
}

TEST(Comparison, NamesDevicesThatCameAndWent) {
  Machine now = machine();
  now.devices[1].pci = "0000:c1:00.0";
  EXPECT_THAT(lines(now), ElementsAre("device 0000:82:00.0 (nic) was there (no known node, mlx5), is gone",
                                      "device 0000:c1:00.0 (nic) is new (no known node, mlx5)"));
}

TEST(Comparison, NamesMemoryThatWentAndTheFieldOfTheFingerprint) {
  Machine now = machine();
  now.nodes[1].memory_bytes = std::uint64_t{2} << 30;
  EXPECT_THAT(lines(now), ElementsAre("node 1 had 8.00 GiB, has 2.00 GiB"));
  const MachineComparison comparison = compare(document(machine()), document(now));
  ASSERT_EQ(comparison.fingerprint_fields.size(), 1u);
  EXPECT_EQ(comparison.fingerprint_fields[0],
            (MachineDifference{"memory", "16.0 GiB", "8.00 GiB", "memory: 16.0 GiB then, 8.00 GiB now"}));
  EXPECT_FALSE(comparison.nothing_differs());
}

TEST(Comparison, NamesCpusThatWent) {
  Machine now = machine();
  now.online = now.allowed_cpus = IndexSet::range(0, 6);
  now.offline = {7};
  now.isolated = {2};
  now.packages[1].cpus = now.nodes[1].cpus = {4, 5, 6};
  now.cores[3].cpus = {6};
  EXPECT_THAT(lines(now),
              ElementsAre("allowed CPUs were 0-7, are 0-6 (without 7)", "online CPUs were 0-7, are 0-6 (without 7)",
                          "offline CPUs were none, are 7 (with 7)", "isolated CPUs were 3, are 2 (without 3, with 2)",
                          "package 1 had CPUs 4-7, has CPUs 4-6", "node 1 had CPUs 4-7, has CPUs 4-6",
                          "core of CPU 6 had CPUs 6-7, has CPU 6"));
}

TEST(Comparison, NamesAllElseThatMatters) {
  Machine now = machine();
  now.quota_cpus = 2;
  now.hypervisor = "QEMU";
  now.nodes[0].bandwidth_mib_s = 30'000;
  now.nodes[0].latency_ns = std::nullopt;  // not told now, so nothing is said of it
  now.distances[0][1] = 31;
  now.findings = {"something is odd"};
  EXPECT_THAT(lines(now),
              ElementsAre("quota was none, is 2.00 CPUs", "hypervisor was none, is QEMU",
                          "node 0 had 20000 MiB/s, has 30000 MiB/s", "distance from node 0 to node 1 was 21, is 31",
                          "found now: something is odd"));
}

TEST(Comparison, LeavesOutWhatAnEarlierVersionDidNotPrint) {
  nlohmann::json json = nlohmann::json::parse(printed(machine()));
  for (const char* key : {"dies", "clusters", "offline", "isolated", "nohz_full", "hypervisor"}) json.erase(key);
  for (auto& node : json["nodes"]) node.erase("bandwidth_mib_s");
  for (auto& node : json["nodes"]) node.erase("latency_ns");
  const auto then = parse_machine_document(json.dump(), "then.json");
  ASSERT_TRUE(then) << then.error().message;
  const MachineComparison comparison = compare(*then, document(machine()));
  EXPECT_TRUE(comparison.nothing_differs());
  EXPECT_THAT(comparison.untold_then, ElementsAre("offline CPUs", "isolated CPUs", "CPUs without a tick", "hypervisor",
                                                  "dies", "clusters"));
  EXPECT_THAT(comparison.untold_now, IsEmpty());
}

TEST(Comparison, ListsWhatOneSideCannotTellApart) {
  Machine file = machine();
  file.live = false;
  file.cpu_model = "unknown";
  file.traits.clear();
  file.hypervisor.clear();
  file.isolated = std::nullopt;
  file.nodes[0].kind = "unknown";
  file.distances.clear();
  MachineDocument then = document(file);
  then.told.erase("quota_cpus");
  Machine live = machine();
  live.quota_cpus = 2;
  const MachineComparison comparison = compare(then, document(live));
  EXPECT_TRUE(comparison.nothing_differs());
  EXPECT_NE(comparison.then_fingerprint, comparison.now_fingerprint);
  EXPECT_THAT(comparison.untold_then,
              ElementsAre("cpu", "isa", "isolated CPUs", "quota", "hypervisor", "distances"));
  EXPECT_EQ(compare(document(live), then).untold_now, comparison.untold_then);
  EXPECT_THAT(compare(then, then).untold_now, IsEmpty()) << "there is nothing to compare it with";
}

TEST(MachineDocument, IsASourceThatIsNotLive) {
  tests::SystemRoot root;
  root.put("monday.json", printed(machine()));
  const std::string source = (root.path() / "monday.json").string();
  const auto read = read_machine(source, true);
  ASSERT_TRUE(read) << read.error().message;
  Machine expected = machine();
  expected.live = false;
  expected.source = source;
  EXPECT_EQ(*read, expected);
  Machine twice = machine();
  twice.nodes[1].id = 0;
  root.put("twice.json", printed(twice)).put("other.json", "{\"schema\": \"bindgate.gate/1\"}");
  EXPECT_THAT(read_machine((root.path() / "twice.json").string(), true).error().message,
              HasSubstr("twice.json: has two nodes of the number 0"));
  EXPECT_THAT(read_machine((root.path() / "other.json").string(), true).error().message,
              HasSubstr("other.json: $.schema: is 'bindgate.gate/1'; give a file that bindgate topology --json wrote"));
}

}  // namespace
}  // namespace bindgate
