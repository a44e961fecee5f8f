#include "core/fingerprint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bindgate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Fingerprint machine{{{"cpu", "AMD EPYC 9554 64-Core Processor"}, {"memory", "64 GiB"}, {"nodes", "2"}}};

// Baselines are found by this name: if it changes, every stored baseline is lost.
TEST(Fingerprint, KeepsItsIdForEver) { EXPECT_EQ(machine.id(), "amd-epyc-9554-64-core-processor-826522ff"); }

TEST(Fingerprint, ChangesItsIdWithEveryFieldAndName) {
  Fingerprint other = machine;
  other.fields["memory"] = "32 GiB";
  EXPECT_NE(other.id(), machine.id());
  other = machine;
  other.fields.erase("nodes");
  EXPECT_NE(other.id(), machine.id());
  EXPECT_NE((Fingerprint{{{"ab", "c"}}}.id()), (Fingerprint{{{"a", "bc"}}}.id()));
}

TEST(Fingerprint, IsSafeAsADirectoryName) {
  const auto id =
      Fingerprint{{{"cpu", "../../Intel(R) Xeon(R) \xc2\xb5 @ 2.20GHz with a name that goes on and on and on"}}}.id();
  EXPECT_THAT(id, ::testing::MatchesRegex("[a-z0-9-]+-[0-9a-f]+"));
  EXPECT_LE(id.size(), 49u);
  EXPECT_TRUE(Fingerprint{}.id().starts_with("machine-"));
}

TEST(Differences, NameWhatDiffersAndNothingElse) {
  EXPECT_THAT(differences({{"memory", "32 GiB"}, {"nodes", "2"}}, {{"memory", "64 GiB"}, {"nodes", "2"}}),
              ElementsAre("memory: 32 GiB here, 64 GiB there"));
  EXPECT_THAT(differences(machine.fields, machine.fields), IsEmpty());
}

TEST(Differences, ShowAnAbsentFieldAsNothing) {
  EXPECT_THAT(differences({{"governor", "powersave"}}, {{"thp", "always"}, {"empty", ""}}),
              ElementsAre("governor: powersave here, nothing there", "thp: nothing here, always there"));
}

}  // namespace
}  // namespace bindgate
