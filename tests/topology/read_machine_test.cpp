#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/utsname.h>

#include <cstdlib>

#include "topology/machine.hpp"
#include "topology/system_files.hpp"
#include "topology/small_machine.hpp"

namespace bindgate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using tests::put_machine;
using tests::SystemRoot;

Machine machine_of(const std::string& source, bool with_devices = false) {
  const auto machine = read_machine(source, with_devices);
  EXPECT_TRUE(machine) << machine.error().message;
  return machine ? *machine : Machine{};
}

std::string refusal(const std::string& source) {
  const auto machine = read_machine(source, false);
  return machine ? "read" : machine.error().message;
}

TEST(LiveMachine, AllowsWhatTheKernelAllowsThisThread) {
  const Machine machine = machine_of("live");
  EXPECT_TRUE(machine.live);
  EXPECT_EQ(machine.source, "live");
  cpu_set_t set;
  ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  EXPECT_EQ(machine.allowed_cpus.size(), static_cast<std::size_t>(CPU_COUNT(&set)));
  for (const unsigned cpu : machine.allowed_cpus) EXPECT_TRUE(CPU_ISSET(cpu, &set));
  EXPECT_FALSE(machine.allowed_nodes.empty());
  EXPECT_FALSE(machine.cores.empty());
  EXPECT_THAT(machine.devices, IsEmpty());
}

TEST(LiveMachine, FollowsANarrowerAffinityAndLeavesItAlone) {
  cpu_set_t before, one, after;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  const unsigned cpu = *machine_of("live").allowed_cpus.last();
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(machine_of("live").allowed_cpus, IndexSet{cpu});
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&after, &one));
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(LiveMachine, IsTheSameWhateverHwlocsVariablesSayAndLeavesThemAlone) {
  const Machine expected = machine_of("live");
  setenv("HWLOC_SYNTHETIC", "core:64 pu:2", 1);
  setenv("HWLOC_FSROOT", "/nowhere", 1);
  EXPECT_EQ(machine_of("live"), expected);
  EXPECT_STREQ(std::getenv("HWLOC_SYNTHETIC"), "core:64 pu:2");
  EXPECT_STREQ(std::getenv("HWLOC_FSROOT"), "/nowhere");
  unsetenv("HWLOC_SYNTHETIC");
  unsetenv("HWLOC_FSROOT");
  EXPECT_EQ(machine_of("live"), expected);
  EXPECT_EQ(std::getenv("HWLOC_FSROOT"), nullptr);
}

TEST(LiveMachine, CanBeReadWithDevices) {
  for (const Device& device : machine_of("live", true).devices)
    EXPECT_THAT(device.kind, testing::AnyOf("gpu", "nic", "other")) << device.pci;
}

TEST(SyntheticMachine, HasTheTreeThatWasDescribed) {
  const Machine machine = machine_of("synthetic:package:2 numa:2(memory=2GB) l3:1(size=8MB) core:2 pu:2");
  EXPECT_FALSE(machine.live);
  EXPECT_EQ(machine.cpu_model, "synthetic");
  EXPECT_EQ(machine.online, IndexSet::range(0, 15));
  EXPECT_EQ(machine.allowed_cpus, machine.online);
  EXPECT_EQ(machine.allowed_nodes, IndexSet::range(0, 3));
  ASSERT_EQ(machine.packages.size(), 2u);
  EXPECT_EQ(machine.packages[1], (Package{1, IndexSet::range(8, 15)}));
  ASSERT_EQ(machine.nodes.size(), 4u);
  EXPECT_EQ(machine.nodes[2], (Node{2, IndexSet::range(8, 11), 2'000'000'000, "unknown"}));
  ASSERT_EQ(machine.l3.size(), 4u);
  EXPECT_EQ(machine.l3[3], (L3Cache{3, IndexSet::range(12, 15), 8'000'000}));
  ASSERT_EQ(machine.cores.size(), 8u);
  EXPECT_EQ(machine.cores[5], (Core{{10, 11}, 1, {2}, 2, ""}));
  EXPECT_THAT(machine.findings, IsEmpty());
}

TEST(SyntheticMachine, HasTheDistancesThatLinuxTakesWhereFirmwareTellsNone) {
  EXPECT_THAT(machine_of("synthetic:numa:2 pu:2").distances, ElementsAre(ElementsAre(10, 20), ElementsAre(20, 10)));
  EXPECT_THAT(machine_of("synthetic:pu:2").distances, IsEmpty());
}

TEST(SyntheticMachine, MayHaveThousandsOfCpus) {
  const Machine machine = machine_of("synthetic:package:8 numa:4 core:32 pu:2");
  EXPECT_EQ(machine.online.size(), 2048u);
  EXPECT_EQ(machine.nodes.size(), 32u);
}

TEST(SysfsMachine, KeepsWhatIsOfflineAndWhoseCpusAreWhoseApart) {
  SystemRoot root;
  put_machine(root);
  const Machine machine = machine_of(root.path().string());
  EXPECT_EQ(machine.online, (IndexSet{0, 1, 2}));
  EXPECT_EQ(machine.offline, IndexSet{3});
  ASSERT_EQ(machine.nodes.size(), 3u);
  EXPECT_EQ(machine.nodes[0], (Node{0, {0, 1}, 1u << 30, "unknown"}));
  EXPECT_EQ(machine.nodes[1], (Node{1, {2}, 1u << 30, "unknown"}));
  EXPECT_EQ(machine.nodes[2], (Node{4, {}, 1u << 30, "unknown"}));
  EXPECT_THAT(machine.distances,
              ElementsAre(ElementsAre(10, 21, 17), ElementsAre(21, 10, 28), ElementsAre(17, 28, 10)));
  ASSERT_EQ(machine.cores.size(), 2u);
  EXPECT_EQ(machine.cores[0], (Core{{0, 1}, 0, {0}, std::nullopt, ""}));
  EXPECT_EQ(machine.traits.at("isa"), "avx2");
  EXPECT_EQ(machine.cpu_model, "Some CPU");
  EXPECT_THAT(machine.findings, IsEmpty());
}

TEST(Source, ThatDoesNotExistIsRefused) {
  EXPECT_EQ(refusal("/no/such/file.xml"),
            "'/no/such/file.xml': no such file or directory; "
            "a source is live, an hwloc XML file, a sysfs root directory, what bindgate topology --json wrote, or "
            "synthetic:DESCRIPTION");
  EXPECT_THAT(refusal(""), HasSubstr("'': no such file or directory"));
}

TEST(Source, ThatIsADirectoryWithoutSysfsIsRefused) {
  const SystemRoot root;
  EXPECT_EQ(refusal(root.path().string()), root.path().string() +
                                               ": is no sysfs root (no sys/devices/system/cpu in it); "
                                               "name the directory that holds sys and proc");
}

TEST(Source, ThatIsNoHwlocXmlIsRefused) {
  SystemRoot root;
  root.put("notes.xml", "<notes/>");
  const std::string file = (root.path() / "notes.xml").string();
  EXPECT_EQ(refusal(file),
            file + ": is no hwloc XML file (no <topology> in it); "
                   "a source is live, an hwloc XML file, a sysfs root directory, what bindgate topology --json "
                   "wrote, or synthetic:DESCRIPTION");
}

TEST(Source, ThatIsNewerXmlIsRefusedWithTheCure) {
  SystemRoot root;
  root.put("new.xml", "<?xml version=\"1.0\"?>\n<topology version=\"3.0\">\n</topology>");
  const std::string file = (root.path() / "new.xml").string();
  EXPECT_EQ(refusal(file), file + ": is hwloc XML of version 3, newer than this hwloc reads; "
                                  "export it there again with lstopo --export-xml-flags v2");
}

TEST(Source, ThatDeclaresItsOwnDocumentTypeIsRefusedBeforeHwlocSeesIt) {
  const std::string topology = "<topology version=\"2.0\"></topology>";
  for (const char* type : {"<!DOCTYPE x [<!ENTITY a \"aa\">]>", "<!DOCTYPE topology>", "<!DOCTYPE topology [ ]>",
                           "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\" [<!ENTITY a \"aa\">]>",
                           "<!-- <topology --><!DOCTYPE topology PUBLIC \"a\" \"b\">", "<!DOCTYPE"}) {
    SystemRoot root;
    root.put("own.xml", type + topology);
    const std::string file = (root.path() / "own.xml").string();
    EXPECT_EQ(refusal(file), file + ": declares a document type of its own (<!DOCTYPE); hwloc's is "
                                    "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">, and none is fine too") << type;
  }
}

TEST(Source, ThatHasAnEmptyTopologyIsRefused) {
  for (const char* type : {"", "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">", "<!DOCTYPE topology SYSTEM 'hwloc2.dtd' >"})
    for (const char* topology : {"<topology version=\"2.0\"></topology>", "<topology version=\"2.0\"/>"}) {
      SystemRoot root;
      root.put("empty.xml", std::string(type) + topology);
      const std::string file = (root.path() / "empty.xml").string();
      EXPECT_EQ(refusal(file), file + ": hwloc cannot make a machine of it; check it with lstopo -i");
    }
}

TEST(Source, ThatIsDamagedXmlIsRefused) {
  SystemRoot root;
  root.put("torn.xml", "<?xml version=\"1.0\"?>\n<topology version=\"2.0\">\n<object type=\"Machine\" cpuset=\"0x1\"");
  const std::string file = (root.path() / "torn.xml").string();
  EXPECT_THAT(refusal(file), testing::StartsWith(file + ": hwloc cannot"));
}

TEST(Source, ThatGivesANumberTwiceIsRefused) {
  EXPECT_EQ(refusal("synthetic:numa:2(indexes=0,0) pu:2"),
            "synthetic:numa:2(indexes=0,0) pu:2: gives the number 0 twice in indexes=0,0; number each once");
  EXPECT_EQ(refusal("synthetic:numa:2(memory=1GB indexes=3,1) pu:2(indexes=0,2,2,3)"),
            "synthetic:numa:2(memory=1GB indexes=3,1) pu:2(indexes=0,2,2,3): "
            "gives the number 2 twice in indexes=0,2,2,3; number each once");
  EXPECT_EQ(refusal("synthetic:numa:2(indexes=1,0) pu:2(indexes=2*2:1*2)"), "read");
  SystemRoot root;
  const auto node = [](int cpu) {
    const std::string cpus = "cpuset=\"" + std::to_string(1 << cpu) + "\" complete_cpuset=\"" +
                             std::to_string(1 << cpu) + "\" ";
    const std::string nodes = "nodeset=\"0x1\" complete_nodeset=\"0x1\"";
    return "<object type=\"Package\" os_index=\"" + std::to_string(cpu) + "\" " + cpus + nodes +
           "><object type=\"NUMANode\" os_index=\"0\" " + cpus + nodes + " local_memory=\"1024\"/>" +
           "<object type=\"PU\" os_index=\"" + std::to_string(cpu) + "\" " + cpus + nodes + "/></object>";
  };
  root.put("twice.xml", "<topology version=\"2.0\"><object type=\"Machine\" os_index=\"0\" cpuset=\"0x3\" "
                        "complete_cpuset=\"0x3\" allowed_cpuset=\"0x3\" nodeset=\"0x1\" complete_nodeset=\"0x1\" "
                        "allowed_nodeset=\"0x1\">" + node(0) + node(1) + "</object></topology>");
  const std::string file = (root.path() / "twice.xml").string();
  EXPECT_EQ(refusal(file), file + ": has two nodes of the number 0; each has its own on any machine");
}

TEST(Source, ThatIsNonsenseAfterSyntheticIsRefusedWithAnExample) {
  EXPECT_EQ(refusal("synthetic:many cores"),
            "synthetic:many cores: is not in hwloc's notation; write it like synthetic:package:2 numa:1 core:4 pu:2");
  EXPECT_THAT(refusal("synthetic:"), HasSubstr("is not in hwloc's notation"));
}

TEST(Environment, OfThisSystemNamesItsKernel) {
  utsname system{};
  ASSERT_EQ(uname(&system), 0);
  const auto environment = read_environment();
  EXPECT_EQ(environment.at("kernel"), system.release);
  EXPECT_THAT(environment.at("hypervisor"), testing::AnyOf("yes", "no"));
  for (const auto& [name, value] : environment) EXPECT_NE(value, "") << name;
}

}  // namespace
}  // namespace bindgate
