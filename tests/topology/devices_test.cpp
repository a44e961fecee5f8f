#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

#include "topology/machine.hpp"
#include "topology/small_machine.hpp"

namespace bindgate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using tests::put_machine;
using tests::SystemRoot;

Machine machine_of(const SystemRoot& root) {
  const auto machine = read_machine(root.path().string(), true);
  EXPECT_TRUE(machine) << machine.error().message;
  return machine ? *machine : Machine{};
}

// A network card; `behind`: the address of the bridge above it, "" for none.
void put_card(SystemRoot& root, const std::string& address, const std::string& node, const std::string& behind = "") {
  const std::string host = "sys/devices/pci0000:00/", folder = host + (behind.empty() ? "" : behind + '/') + address;
  root.put(folder + "/class", "0x020000").put(folder + "/vendor", "0x8086").put(folder + "/device", "0x1521");
  root.put(folder + "/numa_node", node).put(folder + "/local_cpus", node == "1" ? "00000004" : "00000003");
  root.link("sys/bus/pci/devices/" + address, "../../../../" + folder);
}

void put_bridge(SystemRoot& root, const std::string& address, const std::string& node) {
  const std::string folder = "sys/devices/pci0000:00/" + address;
  root.put(folder + "/class", "0x060400").put(folder + "/vendor", "0x8086").put(folder + "/device", "0x2030");
  root.put(folder + "/numa_node", node).put(folder + "/local_cpus", node == "1" ? "00000004" : "00000003");
  root.link("sys/bus/pci/devices/" + address, "../../../../" + folder);
}

std::map<std::string, std::optional<unsigned>> nodes_of_devices(const Machine& machine) {
  std::map<std::string, std::optional<unsigned>> nodes;
  for (const Device& device : machine.devices) nodes[device.pci] = device.node;
  return nodes;
}
using Nodes = std::map<std::string, std::optional<unsigned>>;

TEST(DevicesOfSysfs, TakeNoUnknownNodeForNodeZero) {
  SystemRoot root;
  put_machine(root);
  put_card(root, "0000:01:00.0", "-1");
  put_card(root, "0000:02:00.0", "1");
  const Machine machine = machine_of(root);
  EXPECT_EQ(nodes_of_devices(machine), (Nodes{{"0000:01:00.0", std::nullopt}, {"0000:02:00.0", 1}}));
  EXPECT_EQ(machine.devices[1].kind, "nic");
  EXPECT_EQ(machine.devices[1].name, "8086:1521");
  EXPECT_THAT(machine.findings, IsEmpty());
}

TEST(DevicesOfSysfs, HaveNoNodeWhereTheirBridgeSaysAnother) {
  SystemRoot root;
  put_machine(root);
  put_bridge(root, "0000:00:01.0", "0");
  put_card(root, "0000:01:00.0", "1", "0000:00:01.0");
  const Machine machine = machine_of(root);
  EXPECT_EQ(nodes_of_devices(machine), (Nodes{{"0000:01:00.0", std::nullopt}}));
  EXPECT_THAT(machine.findings,
              ElementsAre("device 0000:01:00.0: its numa_node is 1, but bridge 0000:00:01.0 above it says 0: "
                          "its node is unknown here"));
}

TEST(DevicesOfSysfs, HaveNoNodeWhereTheCpusNearThemAreAnothers) {
  SystemRoot root;
  put_machine(root);
  put_card(root, "0000:02:00.0", "1");
  root.put("sys/devices/pci0000:00/0000:02:00.0/local_cpus", "00000003");
  const Machine machine = machine_of(root);
  EXPECT_EQ(nodes_of_devices(machine), (Nodes{{"0000:02:00.0", std::nullopt}}));
  EXPECT_THAT(machine.findings,
              ElementsAre("device 0000:02:00.0: its numa_node is 1, but the CPUs near it are those of "
                          "node 0: its node is unknown here"));
}

TEST(DevicesOfSysfs, HaveNoNodeThatDoesNotExist) {
  SystemRoot root;
  put_machine(root);
  put_card(root, "0000:02:00.0", "7");
  const Machine machine = machine_of(root);
  EXPECT_EQ(nodes_of_devices(machine), (Nodes{{"0000:02:00.0", std::nullopt}}));
  EXPECT_THAT(machine.findings, ElementsAre(HasSubstr("its numa_node is 7, but there is no such node")));
}

// Intel's VMD puts disks into domains of their own above 0xffff, which hwloc leaves out.
TEST(DevicesOfSysfs, MayBeInDomainsOf32Bits) {
  SystemRoot root;
  put_machine(root);
  put_card(root, "0000:02:00.0", "1");
  put_card(root, "10000:e1:00.0", "1");
  const std::string disk = "sys/devices/pci0000:00/10000:e1:00.0/";
  root.put(disk + "class", "0x010802").put(disk + "vendor", "0x144d").put(disk + "device", "0xa80a");
  EXPECT_THAT(machine_of(root).devices,
              ElementsAre(testing::Field(&Device::pci, "0000:02:00.0"),
                          Device{"10000:e1:00.0", "other", "144d:a80a", 1}));
}

// One node with the CPUs of two packages; `inside`: what hangs on the first package, `on_top`: on the whole machine.
std::string one_node_xml(const std::string& inside, const std::string& on_top) {
  const auto sets = [](const std::string& cpus) {
    return " cpuset=\"" + cpus + "\" complete_cpuset=\"" + cpus + "\" nodeset=\"0x1\" complete_nodeset=\"0x1\" ";
  };
  const auto package = [&](const std::string& id, const std::string& cpus, const std::string& devices) {
    return "<object type=\"Package\" os_index=\"" + id + "\"" + sets(cpus) + "gp_index=\"1" + id + "\">" +
           "<object type=\"PU\" os_index=\"" + id + "\"" + sets(cpus) + "gp_index=\"2" + id + "\"/>" + devices +
           "</object>";
  };
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
         "<topology version=\"2.0\"><object type=\"Machine\" os_index=\"0\" allowed_cpuset=\"0x3\" "
         "allowed_nodeset=\"0x1\"" + sets("0x3") + "gp_index=\"1\">"
         "<object type=\"NUMANode\" os_index=\"0\"" + sets("0x3") + "gp_index=\"2\" local_memory=\"1048576\"/>" +
         package("0", "0x1", inside) + package("1", "0x2", "") + on_top + "</object></topology>\n";
}

// Two nodes of a CPU each, with what hangs on them.
std::string two_nodes_xml(const std::string& on_first, const std::string& on_second) {
  const auto sets = [](const std::string& mask) {
    return " cpuset=\"" + mask + "\" complete_cpuset=\"" + mask + "\" nodeset=\"" + mask + "\" complete_nodeset=\"" +
           mask + "\" ";
  };
  const auto package = [&](const std::string& id, const std::string& mask, const std::string& devices) {
    return "<object type=\"Package\" os_index=\"" + id + "\"" + sets(mask) + "gp_index=\"1" + id + "\">" +
           "<object type=\"NUMANode\" os_index=\"" + id + "\"" + sets(mask) + "gp_index=\"2" + id +
           "\" local_memory=\"1048576\"/><object type=\"PU\" os_index=\"" + id + "\"" + sets(mask) + "gp_index=\"3" +
           id + "\"/>" + devices + "</object>";
  };
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
         "<topology version=\"2.0\"><object type=\"Machine\" os_index=\"0\" allowed_cpuset=\"0x3\" "
         "allowed_nodeset=\"0x3\"" + sets("0x3") + "gp_index=\"1\">" + package("0", "0x1", on_first) +
         package("1", "0x2", on_second) + "</object></topology>\n";
}

// `number`: a digit that no other card of the file has.
std::string xml_card(const std::string& address, const std::string& number) {
  return "<object type=\"Bridge\" gp_index=\"4" + number +
         "\" bridge_type=\"0-1\" depth=\"0\" bridge_pci=\"0000:[00-0f]\"><object type=\"PCIDev\" gp_index=\"5" +
         number + "\" pci_busid=\"" + address +
         "\" pci_type=\"0200 [8086:1521] [8086:0001] 01\" pci_link_speed=\"0.000000\"/></object>";
}

TEST(DevicesOfXml, HaveTheNodeOfTheirPlaceUnlessThatIsTheWholeMachine) {
  SystemRoot root;
  root.put("one.xml", one_node_xml(xml_card("0000:01:01.0", "1"), xml_card("0000:02:02.0", "2")));
  const auto machine = read_machine((root.path() / "one.xml").string(), true);
  ASSERT_TRUE(machine) << machine.error().message;
  EXPECT_EQ(nodes_of_devices(*machine), (Nodes{{"0000:01:01.0", 0}, {"0000:02:02.0", std::nullopt}}));
}

TEST(DevicesOfXml, HaveNoNodeWhereSeveralOfOneAddressAreAtDifferentOnes) {
  SystemRoot root;
  root.put("two.xml", two_nodes_xml(xml_card("0000:01:01.0", "1") + xml_card("0000:03:00.0", "2"),
                                    xml_card("0000:01:01.0", "3")));
  const auto machine = read_machine((root.path() / "two.xml").string(), true);
  ASSERT_TRUE(machine) << machine.error().message;
  ASSERT_EQ(machine->devices.size(), 3u);
  for (const Device& device : machine->devices)
    EXPECT_EQ(device.node, device.pci == "0000:03:00.0" ? std::optional(0u) : std::nullopt) << device.pci;
  EXPECT_THAT(machine->findings,
              ElementsAre("device 0000:01:01.0: several have this address, at nodes 0-1: its node is unknown here"));
}

TEST(DevicesOfXml, MayBeInDomainsOf32Bits) {
  SystemRoot root;
  root.put("one.xml", one_node_xml(xml_card("0000:01:01.0", "1") + xml_card("10000:e1:02.0", "2"), ""));
  const auto machine = read_machine((root.path() / "one.xml").string(), true);
  ASSERT_TRUE(machine) << machine.error().message;
  EXPECT_THAT(machine->devices, ElementsAre(testing::Field(&Device::pci, "0000:01:01.0"),
                                            Device{"10000:e1:02.0", "nic", "8086:1521", std::nullopt}));
}

}  // namespace
}  // namespace bindgate
