#pragma once
// Golden files of every described machine, whatever is told of it there. tests/machines/derive.py derives the same from
// hwloc's own programs and the meaning of each variant, so that a golden file is not merely what the code once did.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/described_machines.hpp"
#include "support/golden.hpp"
#include "topology/machine.hpp"

namespace bindgate::testing {

/// What `tell` tells of each machine in `folder` stands in its golden file NAME.`what`.json.
template <class Tell>
void expect_goldens(const std::filesystem::path& folder, const std::string& what, Tell tell) {
  if (!std::filesystem::is_directory(folder)) return do_without(folder);
  const DescribedMachines machines(folder);
  EXPECT_FALSE(machines.empty()) << folder;
  for (const DescribedMachine& described : machines) {
    SCOPED_TRACE(described.name);
    const auto machine = read_machine(described.source, true);
    ASSERT_TRUE(machine) << machine.error().message;
    const Result<std::string> told = tell(*machine);
    ASSERT_TRUE(told) << told.error().message;
    expect_golden("machines/" + described.name + '.' + what + ".json", *told);
  }
}

}  // namespace bindgate::testing
