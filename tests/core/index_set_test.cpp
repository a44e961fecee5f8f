#include "core/index_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bindgate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

IndexSet parsed(std::string_view list) {
  auto set = IndexSet::parse(list);
  EXPECT_TRUE(set) << list << ": " << (set ? "" : set.error().message);
  return set.value_or(IndexSet{});
}

std::string error_of(std::string_view list) {
  const auto set = IndexSet::parse(list);
  return set ? "read as " + set->list() : set.error().message;
}

TEST(IndexSet, ReadsLinuxListsAndWritesTheShortestForm) {
  EXPECT_EQ(parsed("0-3,8,10-11").list(), "0-3,8,10-11");
  EXPECT_EQ(parsed("3,1,2,0,0").list(), "0-3");
  EXPECT_EQ(parsed("0-5,3-8").list(), "0-8");
  EXPECT_EQ(parsed("7").list(), "7");
  EXPECT_EQ(parsed("1048575").list(), "1048575");
}

TEST(IndexSet, ReadsAnEmptyListAsTheEmptySet) {
  EXPECT_TRUE(parsed("").empty());
  EXPECT_TRUE(parsed(" \n").empty());
  EXPECT_EQ(IndexSet{}.list(), "");
}

TEST(IndexSet, AllowsTheLineFeedThatSysfsEndsWith) { EXPECT_EQ(parsed(" 0-1\n").list(), "0-1"); }

TEST(IndexSet, RefusesARangeThatRunsBackwards) {
  EXPECT_EQ(error_of("0,5-3"), "range '5-3' runs backwards; write the lower id first");
}

TEST(IndexSet, RefusesWhatIsNoListAndQuotesIt) {
  for (const char* list :
       {"a", "-1", "1-", "0--3", "0,", ",0", "0,,1", "0 1", "0-3:2", "+1", "1.5", "0x1", "all", "1-2-3"})
    EXPECT_EQ(error_of(list), "'" + std::string(list) + "' is not a list of ids; write it like 0-3,8");
}

TEST(IndexSet, RefusesAnIdThatWouldAllocateGigabytes) {
  EXPECT_EQ(error_of("1048576"), "id 1048576 is above 1048575");
  EXPECT_EQ(error_of("0-4294967295"), "id 4294967295 is above 1048575");
  EXPECT_EQ(error_of("99999999999999999999"), "id 99999999999999999999 is above 1048575");
}

TEST(IndexSet, ReadsThousandsOfWideRangesAsFastAsOne) {
  std::string list = "0-1048575";
  for (int i = 0; i < 4000; ++i) list += ",0-1048575";  // as a union for each: hours under a sanitizer
  EXPECT_EQ(parsed(list).list(), "0-1048575");
  EXPECT_EQ(parsed("4-5,0-1,1-3,9,8-9").list(), "0-5,8-9");
}

TEST(IndexSet, HoldsItsIdsInOrderWithoutDuplicates) {
  IndexSet set{5, 1, 5, 3};
  set.insert(4);
  set.insert(4);
  EXPECT_THAT(std::vector<unsigned>(set.begin(), set.end()), ElementsAre(1, 3, 4, 5));
  EXPECT_EQ(set.size(), 4u);
  EXPECT_EQ(set.first(), 1u);
  EXPECT_EQ(set.last(), 5u);
  EXPECT_FALSE(IndexSet{}.first());
  EXPECT_FALSE(IndexSet{}.last());
}

TEST(IndexSet, HasTheAlgebraOfSets) {
  const IndexSet a{0, 1, 2, 3}, b{2, 3, 4};
  EXPECT_EQ((a & b).list(), "2-3");
  EXPECT_EQ((a | b).list(), "0-4");
  EXPECT_EQ((a - b).list(), "0-1");
  EXPECT_TRUE(a.contains(IndexSet{1, 3}));
  EXPECT_TRUE(a.contains(IndexSet{}));
  EXPECT_FALSE(a.contains(b));
  EXPECT_TRUE(a.contains(3));
  EXPECT_FALSE(a.contains(4));
  EXPECT_TRUE(a.intersects(b));
  EXPECT_FALSE(a.intersects(IndexSet{7}));
  EXPECT_FALSE(a.intersects(IndexSet{}));
}

TEST(IndexSet, WritesWhatItReads) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    IndexSet set;
    for (unsigned id = 0; id < 8; ++id)
      if (bits >> id & 1u) set.insert(id);
    EXPECT_EQ(parsed(set.list()), set);
  }
}

TEST(IndexSet, EndsARangeAtTheLargestNumberThereIs) {
  EXPECT_EQ(IndexSet::range(4294967294u, 4294967295u).size(), 2u);
  EXPECT_TRUE(IndexSet::range(2, 1).empty());
}

}  // namespace
}  // namespace bindgate
