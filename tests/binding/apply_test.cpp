#include "binding/apply.hpp"

#include <gtest/gtest.h>
#include <linux/mempolicy.h>

#include "binding/child.hpp"

namespace bindgate {
namespace {

using tests::allowed_cpus;
using tests::allowed_nodes;

Placement on_cpus(IndexSet cpus, Memory memory = {}) {
  Placement placement;
  placement.cpus = std::move(cpus);
  placement.memory = std::move(memory);
  return placement;
}

std::string probe_text(const Placement& placement) {
  const auto probed = probe(placement);
  return probed ? "ok" : probed.error().message;
}

// Why this place has no memory policies; "" where it has. Asked without the code under test.
std::string policies_refused() {
  int mode = 0;
  if (syscall(SYS_get_mempolicy, &mode, nullptr, 0UL, nullptr, 0UL) == 0) return "";
  return "memory policies are refused here: " + describe_errno("get_mempolicy", errno);
}

#define SKIP_WHERE_POLICIES_ARE_REFUSED() \
  if (const std::string why = policies_refused(); !why.empty()) GTEST_SKIP() << why

TEST(Probe, AcceptsAllAllowedCpusWithTheDefaultPolicy) { EXPECT_EQ(probe_text(on_cpus(allowed_cpus())), "ok"); }

TEST(Probe, AcceptsEachAllowedCpu) {
  for (const unsigned cpu : allowed_cpus()) EXPECT_EQ(probe_text(on_cpus({cpu})), "ok");
}

TEST(Probe, LeavesTheCallersOwnMaskAlone) {
  const IndexSet before = allowed_cpus();
  ASSERT_EQ(probe_text(on_cpus({*before.first()})), "ok");
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(Probe, SaysWhatTheKernelMadeOfAMaskWithCpusThatDoNotExist) {
  const IndexSet cpus = allowed_cpus(), wanted = cpus | IndexSet{100000};
  EXPECT_EQ(probe_text(on_cpus(wanted)), "sched_setaffinity: asked for CPUs " + wanted.list() + ", got " + cpus.list());
}

TEST(Probe, NamesTheAllowedCpusWhenNoneOfTheMaskExists) {
  EXPECT_EQ(probe_text(on_cpus({4000})),
            "sched_setaffinity (EINVAL): Invalid argument; asked for CPUs 4000, Cpus_allowed is " +
                allowed_cpus().list());
}

TEST(Probe, AcceptsEveryMemoryPolicy) {
  SKIP_WHERE_POLICIES_ARE_REFUSED();
  for (const MemoryPolicy policy : {MemoryPolicy::bind, MemoryPolicy::preferred, MemoryPolicy::interleave})
    EXPECT_EQ(probe_text(on_cpus(allowed_cpus(), {policy, {*allowed_nodes().first()}})), "ok") << name_of(policy);
}

TEST(Probe, NamesMemsAllowedForANodeThatDoesNotExist) {
  SKIP_WHERE_POLICIES_ARE_REFUSED();
  EXPECT_EQ(probe_text(on_cpus(allowed_cpus(), {MemoryPolicy::bind, {900}})),
            "set_mempolicy (EINVAL): Invalid argument; asked for nodes 900, Mems_allowed is " + allowed_nodes().list());
}

TEST(Probe, SaysSoWhenAContainerRefusesMemoryPolicies) {
  const std::string text = tests::in_child([] {
    if (!tests::refuse_with_eperm(SYS_set_mempolicy)) return std::string("no filters");
    return probe_text(on_cpus(allowed_cpus(), {MemoryPolicy::bind, allowed_nodes()}));
  });
  if (text == "no filters") GTEST_SKIP() << "this kernel has no system call filters";
  EXPECT_EQ(text,
            "set_mempolicy (EPERM): Operation not permitted; "
            "a container refuses it: give it CAP_SYS_NICE or another seccomp profile");
}

TEST(Probe, AcceptsTheDefaultPolicyInAContainerThatRefusesAllOthers) {
  const std::string text = tests::in_child([] {
    if (!tests::refuse_with_eperm(SYS_set_mempolicy) || !tests::refuse_with_eperm(SYS_get_mempolicy))
      return std::string("no filters");
    return probe_text(on_cpus(allowed_cpus()));
  });
  if (text == "no filters") GTEST_SKIP() << "this kernel has no system call filters";
  EXPECT_EQ(text, "ok");
}

TEST(Probe, FindsAnInheritedPolicyWhereItMayBeNeitherSetNorAskedFor) {
  SKIP_WHERE_POLICIES_ARE_REFUSED();
  const unsigned node = *allowed_nodes().first();
  const std::string text = tests::in_child([node] {
    const Placement bound = on_cpus(allowed_cpus(), {MemoryPolicy::interleave, {node}});
    if (Binding(bound).apply().error_number != 0) return std::string("not applied");
    if (!tests::refuse_with_eperm(SYS_set_mempolicy) || !tests::refuse_with_eperm(SYS_get_mempolicy))
      return std::string("no filters");
    return probe_text(on_cpus(allowed_cpus()));
  });
  if (text == "no filters") GTEST_SKIP() << "this kernel has no system call filters";
  EXPECT_EQ(text, "set_mempolicy: is refused here, and the memory policy 'interleave:" + std::to_string(node) +
                      "' is inherited; start bindgate without it");
}

TEST(Binding, TakesAnInheritedMemoryPolicyAway) {
  SKIP_WHERE_POLICIES_ARE_REFUSED();
  const std::string text = tests::in_child([] {
    const Binding bound(on_cpus(allowed_cpus(), {MemoryPolicy::bind, allowed_nodes()}));
    const Binding unbound(on_cpus(allowed_cpus()));
    int before = -1, after = -1;
    if (bound.apply().error_number != 0) return std::string("not applied");
    syscall(SYS_get_mempolicy, &before, nullptr, 0UL, nullptr, 0UL);
    if (unbound.apply().error_number != 0) return std::string("not applied");
    syscall(SYS_get_mempolicy, &after, nullptr, 0UL, nullptr, 0UL);
    return std::to_string(before) + " then " + std::to_string(after);
  });
  EXPECT_EQ(text, std::to_string(MPOL_BIND) + " then " + std::to_string(MPOL_DEFAULT));
}

TEST(Binding, TellsWhichCallFailed) {
  const std::string text = tests::in_child([] {
    const auto failure = Binding(on_cpus({4000})).apply();
    return std::string(Binding::name_of_call(failure.call)) + ' ' + std::to_string(failure.error_number);
  });
  EXPECT_EQ(text, "sched_setaffinity " + std::to_string(EINVAL));
}

}  // namespace
}  // namespace bindgate
