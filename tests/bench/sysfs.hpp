#pragma once
// A small folder of sysfs with CPUs and their caches. Only what bench reads.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/scratch_directory.hpp"

namespace bindgate::testing {

class Sysfs {
 public:
  [[nodiscard]] const std::filesystem::path& root() const { return scratch_.path(); }
  [[nodiscard]] std::filesystem::path cpu(unsigned id) const { return root() / ("cpu" + std::to_string(id)); }

  void cache(unsigned id, unsigned index, const char* level, const char* type, const char* size, const char* sharers) {
    const auto folder = cpu(id) / "cache" / ("index" + std::to_string(index));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "level") << level << '\n';
    std::ofstream(folder / "type") << type << '\n';
    std::ofstream(folder / "size") << size << '\n';
    std::ofstream(folder / "shared_cpu_list") << sharers << '\n';
  }
  void node(unsigned id, unsigned node) {
    std::filesystem::create_directories(cpu(id) / ("node" + std::to_string(node)));
  }

 private:
  ScratchDirectory scratch_;
};

/// Two packages and nodes of four CPUs: 0-3, 4-7; each has two L3 (of 32 and of 16 MiB) shared by two CPUs, but on
/// node 0 CPUs 0 and 1 are threads of one core: they share their L2.
inline void make_two_nodes(Sysfs& sysfs) {
  const char* const pairs[] = {"0-1", "0-1", "2-3", "2-3", "4-5", "4-5", "6-7", "6-7"};
  for (unsigned id = 0; id < 8; ++id) {
    const std::string own = std::to_string(id);
    sysfs.cache(id, 0, "1", "Data", "32K", own.c_str());
    sysfs.cache(id, 1, "1", "Instruction", "32K", own.c_str());
    sysfs.cache(id, 2, "2", "Unified", "1024K", id < 2 ? "0-1" : own.c_str());
    sysfs.cache(id, 3, "3", "Unified", id < 4 ? "32768K" : "16384K", pairs[id]);
    sysfs.node(id, id / 4);
  }
}

}  // namespace bindgate::testing
