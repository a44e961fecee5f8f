#pragma once
// Every machine that tests plan on without being it: the project's own in tests/machines, and dumps of real ones where
// BINDGATE_TOPOLOGIES names a folder of them. Packed roots are unpacked for as long as the list lives.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "topology/system_root.hpp"

namespace bindgate::testing {

inline std::filesystem::path own_machines() { return std::filesystem::path(BINDGATE_TESTS) / "machines"; }
inline std::filesystem::path machines_of_guests() { return own_machines() / "guests"; }
inline std::filesystem::path real_machines() { return BINDGATE_TOPOLOGIES; }

/// Not everyone has dumps of real machines: a test that lacks its `folder` is skipped where it calls this, or fails
/// where BINDGATE_REQUIRE_TOPOLOGIES is set.
inline void do_without(const std::filesystem::path& folder) {
  const std::string what =
      folder.string() + ": no such folder; -DBINDGATE_TOPOLOGIES=FOLDER names the one of real machines";
  const char* required = std::getenv("BINDGATE_REQUIRE_TOPOLOGIES");
  if (required && *required) FAIL() << what;
  GTEST_SKIP() << what;
}

struct DescribedMachine {
  std::string name;    ///< of its golden files: an XML file's name, a packed root's without ".tar...", or as listed
  std::string source;  ///< for read_machine
};

class DescribedMachines {
 public:
  /// `folder`: *.xml, *.tar.* (each with one directory in it) and synthetic.txt ("NAME DESCRIPTION" on each line).
  explicit DescribedMachines(const std::filesystem::path& folder) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string name = entry.path().filename();
      if (name.ends_with(".xml")) machines_.push_back({name, entry.path()});
      if (const auto tar = name.find(".tar"); tar != std::string::npos) unpack(entry.path(), name.substr(0, tar));
      if (name == "synthetic.txt") list(entry.path());
    }
    std::sort(machines_.begin(), machines_.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  }

  [[nodiscard]] auto begin() const { return machines_.begin(); }
  [[nodiscard]] auto end() const { return machines_.end(); }
  [[nodiscard]] bool empty() const { return machines_.empty(); }

 private:
  void unpack(const std::filesystem::path& file, const std::string& name) {
    const std::filesystem::path place = unpacked_.path() / name;
    std::filesystem::create_directories(place);
    const std::string command = "tar -xf '" + file.string() + "' -C '" + place.string() + '\'';
    if (std::system(command.c_str()) != 0) return machines_.push_back({name, "unpacked: tar failed on " + file.string()});
    for (const auto& entry : std::filesystem::directory_iterator(place)) machines_.push_back({name, entry.path()});
  }

  void list(const std::filesystem::path& file) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);)
      if (const auto space = line.find(' '); !line.starts_with('#') && space != std::string::npos)
        machines_.push_back({line.substr(0, space), "synthetic:" + line.substr(space + 1)});
  }

  tests::SystemRoot unpacked_;
  std::vector<DescribedMachine> machines_;
};

}  // namespace bindgate::testing
