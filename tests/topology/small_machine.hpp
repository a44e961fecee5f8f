#pragma once
// The files of one small machine, for tests that change one of them and look what becomes of it.

#include <string>

#include "topology/system_root.hpp"

namespace bindgate::tests {

// Two nodes of two CPUs, of which CPU 3 is offline, and a node without CPUs.
inline void put_machine(SystemRoot& root) {
  root.put("sys/devices/system/cpu/online", "0-2").put("sys/devices/system/cpu/possible", "0-3");
  root.put("sys/devices/system/cpu/present", "0-3").put("sys/devices/system/node/online", "0-1,4");
  for (const std::string cpu : {"0", "1", "2"}) {
    const std::string folder = "sys/devices/system/cpu/cpu" + cpu + "/topology/";
    const bool first = cpu != "2";
    root.put(folder + "physical_package_id", first ? "0" : "1").put(folder + "core_id", cpu);
    root.put(folder + "thread_siblings", first ? "00000003" : "00000004");
    root.put(folder + "core_siblings", first ? "00000003" : "00000004");
  }
  const auto put_node = [&root](const std::string& id, const std::string& map, const std::string& distances) {
    const std::string folder = "sys/devices/system/node/node" + id + "/";
    root.put(folder + "cpumap", map).put(folder + "distance", distances);
    root.put(folder + "meminfo", "Node " + id + " MemTotal:     1048576 kB");
  };
  put_node("0", "00000003", "10 21 17");
  put_node("1", "0000000c", "21 10 28");
  put_node("4", "00000000", "17 28 10");
  root.put("proc/cpuinfo", "processor\t: 0\nmodel name\t: Some   CPU\nflags\t\t: avx avx2 fma");
}

}  // namespace bindgate::tests
