#include "binding/apply.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <fstream>
#include <string>

namespace bindgate {
namespace {

Placement on_cpus(IndexSet cpus) {
  Placement placement;
  placement.cpus = std::move(cpus);
  return placement;
}

IndexSet allowed_here(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key + ":\t")) return *IndexSet::parse(line.substr(key.size() + 2));
  return {};
}

TEST(Probe, AcceptsAllAllowedCpusWithTheDefaultPolicy) {
  const auto probed = probe(on_cpus(allowed_here("Cpus_allowed_list")));
  EXPECT_TRUE(probed) << probed.error().message;
}

TEST(Probe, AcceptsOneCpu) {
  const auto probed = probe(on_cpus({*allowed_here("Cpus_allowed_list").last()}));
  EXPECT_TRUE(probed) << probed.error().message;
}

TEST(Probe, LeavesTheCallersOwnMaskAlone) {
  const IndexSet before = allowed_here("Cpus_allowed_list");
  ASSERT_TRUE(probe(on_cpus({*before.first()})));
  EXPECT_EQ(allowed_here("Cpus_allowed_list"), before);
}

TEST(Probe, SaysWhatTheKernelMadeOfAMaskWithCpusThatDoNotExist) {
  const IndexSet cpus = allowed_here("Cpus_allowed_list");
  const auto probed = probe(on_cpus(cpus | IndexSet{4000}));
  ASSERT_FALSE(probed);
  EXPECT_EQ(probed.error().message,
            "sched_setaffinity: asked for CPUs " + (cpus | IndexSet{4000}).list() + ", got " + cpus.list());
}

TEST(Probe, NamesTheAllowedCpusWhenNoneOfTheMaskExists) {
  const auto probed = probe(on_cpus({4000}));
  ASSERT_FALSE(probed);
  EXPECT_EQ(probed.error().message, "sched_setaffinity (EINVAL): Invalid argument; asked for CPUs 4000, Cpus_allowed is " +
                                        allowed_here("Cpus_allowed_list").list());
}

TEST(Probe, BindsMemoryToANodeAndReadsItBack) {
  Placement placement = on_cpus(allowed_here("Cpus_allowed_list"));
  placement.memory = {MemoryPolicy::bind, {*allowed_here("Mems_allowed_list").first()}};
  const auto probed = probe(placement);
  if (!probed && probed.error().message.find("EPERM") != std::string::npos)
    GTEST_SKIP() << "memory policies are refused here: " << probed.error().message;
  EXPECT_TRUE(probed) << probed.error().message;
}

TEST(Probe, NamesMemsAllowedForANodeThatDoesNotExist) {
  Placement placement = on_cpus(allowed_here("Cpus_allowed_list"));
  placement.memory = {MemoryPolicy::bind, {900}};
  const auto probed = probe(placement);
  ASSERT_FALSE(probed);
  if (probed.error().message.find("EPERM") != std::string::npos) GTEST_SKIP() << probed.error().message;
  EXPECT_EQ(probed.error().message, "set_mempolicy (EINVAL): Invalid argument; asked for nodes 900, Mems_allowed is " +
                                        allowed_here("Mems_allowed_list").list());
}

TEST(Binding, NamesItsCalls) {
  EXPECT_STREQ(Binding::name_of_call(0), "sched_setaffinity");
  EXPECT_STREQ(Binding::name_of_call(1), "set_mempolicy");
}

}  // namespace
}  // namespace bindgate
