#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "topology/machine.hpp"

namespace bindgate {
namespace {

Machine small_machine() {
  Machine machine;
  machine.source = "test";
  machine.cpu_model = "Some CPU @ 2.00GHz";
  machine.traits = {{"isa", "avx2"}, {"l2", "1.00 MiB x 4"}};
  machine.online = machine.allowed_cpus = IndexSet::range(0, 7);
  machine.allowed_nodes = {0, 8};
  machine.packages = {{0, {0, 1, 2, 3}}, {1, {4, 5, 6, 7}}};
  machine.nodes = {{0, {0, 1, 2, 3}, 8'000'000'000, "dram"}, {8, {4, 5, 6, 7}, 8'400'000'000, "dram"}};
  for (unsigned core = 0; core < 4; ++core)
    machine.cores.push_back({{2 * core, 2 * core + 1}, core / 2, {core / 2 * 8}, std::nullopt, ""});
  machine.distances = {{10, 21}, {21, 10}};
  return machine;
}

TEST(MachineFingerprint, HasTheFieldsThatMakeMachinesComparable) {
  EXPECT_EQ(fingerprint_of(small_machine()).fields,
            (std::map<std::string, std::string>{{"cpu", "Some CPU @ 2.00GHz"},
                                                {"isa", "avx2"},
                                                {"l2", "1.00 MiB x 4"},
                                                {"packages", "2"},
                                                {"nodes", "2"},
                                                {"cores", "4"},
                                                {"threads_per_core", "2"},
                                                {"memory", "16.0 GiB"}}));
}

TEST(MachineFingerprint, StaysTheSameForever) {
  EXPECT_EQ(fingerprint_of(small_machine()).id(), "some-cpu-2-00ghz-cf0e574c");
}

TEST(MachineFingerprint, IsFreeOfWhatVariesFromBootToBootAndOfListingOrder) {
  Machine other = small_machine();
  other.source = "elsewhere";
  other.nodes[0].memory_bytes -= 100'000'000;
  other.allowed_cpus = {0};
  other.quota_cpus = 1;
  other.findings = {"something"};
  other.isolated = other.no_tick = other.offline = {3};
  other.hypervisor = "QEMU";
  other.nodes[0].bandwidth_mib_s = other.nodes[0].latency_ns = 1000;
  std::reverse(other.nodes.begin(), other.nodes.end());
  std::reverse(other.cores.begin(), other.cores.end());
  std::reverse(other.packages.begin(), other.packages.end());
  EXPECT_EQ(fingerprint_of(other), fingerprint_of(small_machine()));
}

TEST(MachineFingerprint, DoesNotCountTheMemoryNodesOfGpus) {
  Machine other = small_machine();
  other.nodes.push_back({250, {}, 100'000'000'000, "gpu"});
  EXPECT_EQ(fingerprint_of(other), fingerprint_of(small_machine()));
}

TEST(MachineFingerprint, TellsUnevenCoresApart) {
  Machine other = small_machine();
  other.cores[3].cpus = {6};
  EXPECT_EQ(fingerprint_of(other).fields.at("threads_per_core"), "1 to 2");
}

TEST(MachineFingerprint, RoundsMemoryToTheNearestPowerOfTwo) {
  const auto memory = [](std::uint64_t mebibytes) {
    Machine machine = small_machine();
    machine.nodes = {{0, {}, mebibytes << 20, "dram"}};
    return fingerprint_of(machine).fields.at("memory");
  };
  EXPECT_EQ(memory(1024), "1.00 GiB");
  EXPECT_EQ(memory(1535), "1.00 GiB");
  EXPECT_EQ(memory(1536), "2.00 GiB");
  EXPECT_EQ(memory(3900), "4.00 GiB");
  EXPECT_EQ(memory(0), "0 B");
}

TEST(MachineJson, HasTheDocumentedKeys) {
  Machine machine = small_machine();
  machine.l3 = {{3, {0, 1, 2, 3}, 1048576}};
  machine.cores[0].l3 = 3;
  machine.nodes[1].bandwidth_mib_s = 90'000;
  machine.dies = {{1, 0, {2, 3}}};
  machine.clusters = {{48, {4, 5}}};
  machine.offline = {8, 9};
  machine.isolated = {7};
  machine.no_tick = {6, 7};
  machine.hypervisor = "QEMU";
  machine.devices = {{"0000:81:00.0", "gpu", "some", 8}, {"0000:82:00.0", "nic", "eth0", std::nullopt}};
  const nlohmann::json json = to_json(machine);
  EXPECT_EQ(json["fingerprint"], fingerprint_of(machine).id());
  EXPECT_EQ(json["fingerprint_fields"]["memory"], "16.0 GiB");
  EXPECT_EQ(json["allowed"], (nlohmann::json{{"cpus", "0-7"}, {"nodes", "0,8"}}));
  EXPECT_EQ(json["online"], "0-7");
  EXPECT_TRUE(json["quota_cpus"].is_null());
  EXPECT_EQ(json["packages"][1], (nlohmann::json{{"id", 1}, {"cpus", "4-7"}}));
  EXPECT_EQ(json["nodes"][1],
            (nlohmann::json{{"id", 8},
                            {"cpus", "4-7"},
                            {"memory_bytes", 8'400'000'000},
                            {"kind", "dram"},
                            {"bandwidth_mib_s", 90'000},
                            {"latency_ns", nullptr}}));
  EXPECT_EQ(json["dies"][0], (nlohmann::json{{"id", 1}, {"package", 0}, {"cpus", "2-3"}}));
  EXPECT_EQ(json["clusters"][0], (nlohmann::json{{"id", 48}, {"cpus", "4-5"}}));
  EXPECT_EQ(json["offline"], "8-9");
  EXPECT_EQ(json["isolated"], "7");
  EXPECT_EQ(json["nohz_full"], "6-7");
  EXPECT_EQ(json["hypervisor"], "QEMU");
  EXPECT_EQ(json["cores"][0],
            (nlohmann::json{{"cpus", "0-1"}, {"package", 0}, {"nodes", "0"}, {"l3", 3}, {"kind", nullptr}}));
  EXPECT_EQ(json["l3"][0], (nlohmann::json{{"id", 3}, {"cpus", "0-3"}, {"bytes", 1048576}}));
  EXPECT_EQ(json["distances"], nlohmann::json::parse("[[10,21],[21,10]]"));
  EXPECT_EQ(json["devices"][0]["node"], 8);
  EXPECT_TRUE(json["devices"][1]["node"].is_null());
  EXPECT_EQ(json["findings"], nlohmann::json::array());
}

TEST(MachineJson, TellsNothingApartFromNotTold) {
  const std::pair<const char*, std::optional<IndexSet> Machine::*> sets[] = {
      {"offline", &Machine::offline}, {"isolated", &Machine::isolated}, {"nohz_full", &Machine::no_tick}};
  Machine machine = small_machine();
  for (const auto& [key, set] : sets) {
    (machine.*set).emplace();
    EXPECT_EQ(to_json(machine)[key], "") << key;
    (machine.*set).reset();
    EXPECT_TRUE(to_json(machine)[key].is_null()) << key;
  }
}

TEST(MachineJson, IsNullWhereNothingIsKnown) {
  Machine machine = small_machine();
  machine.distances.clear();
  machine.quota_cpus = 1.5;
  EXPECT_TRUE(to_json(machine)["distances"].is_null());
  EXPECT_TRUE(to_json(machine)["hypervisor"].is_null());
  EXPECT_EQ(to_json(machine)["quota_cpus"], 1.5);
}

}  // namespace
}  // namespace bindgate
