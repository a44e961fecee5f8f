#include "binding/proof.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "binding/apply.hpp"
#include "binding/child.hpp"
#include "binding/pages.hpp"
#include "support/scratch_directory.hpp"

namespace bindgate {
namespace {

using tests::allowed_cpus;
using tests::allowed_nodes;
using tests::WaitingChild;

constexpr std::uint64_t mebibyte = 1u << 20;

Placement on_cpus(IndexSet cpus, Memory memory = {}) {
  Placement placement;
  placement.cpus = std::move(cpus);
  placement.memory = std::move(memory);
  return placement;
}

IndexSet first_cpu() { return {*allowed_cpus().first()}; }

// In a child: the affinity alone, as a library or a launcher would set it.
void run_on(const IndexSet& cpus) { (void)Binding(on_cpus(cpus)).apply(); }

std::uint64_t nothing() { return 0; }

// In a child: `bytes` of memory, of which the first `touched` are in use.
std::uint64_t map_memory(std::size_t bytes, std::size_t touched) {
  void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::memset(start, 1, touched);
  return reinterpret_cast<std::uint64_t>(start);
}

Proof prove(const WaitingChild& child, const Placement& placement, unsigned node_count = 1,
            std::vector<protocol::Range> ranges = {}) {
  Prover prover(child.pid(), placement, node_count);
  prover.check_threads(0);
  return prover.conclude(ranges);
}

#define NEEDS_TWO_CPUS() \
  if (allowed_cpus().size() < 2) GTEST_SKIP() << "needs two CPUs, one is allowed"

bool pages_may_be_asked_for() {
  void* page = &page;
  int node = 0;
  return syscall(SYS_move_pages, 0, 1UL, &page, nullptr, &node, 0) == 0 || errno != EPERM;
}

#define NEEDS_PAGES_TO_BE_ASKED_FOR() \
  if (!pages_may_be_asked_for()) GTEST_SKIP() << "move_pages is refused here"

TEST(Prover, HoldsForAChildThatRunsWhereItWasPut) {
  const WaitingChild child([] { return run_on(first_cpu()), nothing(); });
  const Proof proof = prove(child, on_cpus(first_cpu()));
  EXPECT_EQ(proof.status, ProofStatus::held) << proof.detail;
  EXPECT_EQ(proof.detail, "");
  EXPECT_EQ(proof.threads, 1u);
  EXPECT_TRUE(proof.node_bytes.empty());
}

TEST(Prover, NamesAThreadWhoseMaskIsWider) {
  NEEDS_TWO_CPUS();
  const WaitingChild child([] {
    prctl(PR_SET_NAME, "wanderer");
    return nothing();
  });
  const Proof proof = prove(child, on_cpus(first_cpu()));
  EXPECT_EQ(proof.status, ProofStatus::violated);
  EXPECT_EQ(proof.detail, "thread 'wanderer' (" + std::to_string(child.pid()) + ") may run on CPUs " +
                              allowed_cpus().list() + " instead of " + first_cpu().list() +
                              " since turn 0 (likely: the program, a library or its launcher has set its own mask)");
}

TEST(Prover, NamesOneNarrowedThreadAmongSeveral) {
  NEEDS_TWO_CPUS();
  const WaitingChild child([] {
    std::thread([] {
      prctl(PR_SET_NAME, "narrow");
      run_on(first_cpu());
      pause();
    }).detach();
    while (true) {  // the thread is ready when its mask shows
      const auto threads = read_threads(getpid());
      for (const ThreadState& thread : *threads)
        if (thread.cpus == first_cpu()) return nothing();
    }
  });
  const Proof proof = prove(child, on_cpus(allowed_cpus()));
  EXPECT_EQ(proof.status, ProofStatus::violated);
  EXPECT_EQ(proof.threads, 2u);
  EXPECT_TRUE(proof.detail.starts_with("thread 'narrow' (")) << proof.detail;
  EXPECT_TRUE(proof.detail.ends_with("may run on CPUs " + first_cpu().list() + " instead of " + allowed_cpus().list() +
                                     " since turn 0 (likely: the program or a library narrows its threads itself)"))
      << proof.detail;
}

TEST(Prover, AcceptsNarrowedThreadsOfAVariantThatBindsThem) {
  NEEDS_TWO_CPUS();
  const WaitingChild child([] { return run_on(first_cpu()), nothing(); });
  Placement placement = on_cpus(allowed_cpus());
  placement.environment["OMP_PROC_BIND"] = "close";
  EXPECT_EQ(prove(child, placement).status, ProofStatus::held);
  placement.environment["OMP_PROC_BIND"] = "false";
  EXPECT_EQ(prove(child, placement).status, ProofStatus::violated);
}

TEST(Prover, LetsACaseMoveItsOwnThreadsWithinThePlacementOnly) {
  NEEDS_TWO_CPUS();
  const WaitingChild child([] { return run_on(first_cpu()), nothing(); });
  Prover prover(child.pid(), on_cpus(allowed_cpus()), 1);
  prover.check_threads(0, true);
  const Proof proof = prover.conclude({});
  EXPECT_EQ(proof.status, ProofStatus::held);
  EXPECT_EQ(proof.detail, "the case itself moves its threads, within CPUs " + allowed_cpus().list());
  prover.check_threads(0);
  EXPECT_EQ(prover.conclude({}).status, ProofStatus::violated);

  const WaitingChild wide([] { return run_on(allowed_cpus()), nothing(); });
  Prover strict(wide.pid(), on_cpus(first_cpu()), 1);
  strict.check_threads(0, true);
  EXPECT_EQ(strict.conclude({}).status, ProofStatus::violated);
}

TEST(Prover, TellsSinceWhichTurnAndForgetsAtTheNextCase) {
  NEEDS_TWO_CPUS();
  const WaitingChild child([] { return run_on(first_cpu()), nothing(); });
  Prover prover(child.pid(), on_cpus(first_cpu()), 1);
  prover.check_threads(0);
  cpu_set_t all;
  std::memset(&all, 0xff, sizeof all);
  ASSERT_EQ(sched_setaffinity(child.pid(), sizeof all, &all), 0);
  prover.check_threads(1);
  prover.check_threads(2);
  const Proof first = prover.conclude({});
  EXPECT_EQ(first.status, ProofStatus::violated);
  EXPECT_TRUE(first.detail.ends_with("since turn 1 (likely: the program or a library has set its mask while it ran)"))
      << first.detail;

  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(*first_cpu().first(), &one);
  ASSERT_EQ(sched_setaffinity(child.pid(), sizeof one, &one), 0);
  prover.check_threads(0);
  EXPECT_EQ(prover.conclude({}).status, ProofStatus::held);
}

TEST(Prover, LooksAtDescendantsToo) {
  NEEDS_TWO_CPUS();
  const WaitingChild child([all = allowed_cpus()]() -> std::uint64_t {
    run_on(first_cpu());
    Pipe up = tests::new_pipe();
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      run_on(all);
      (void)!write(up.write.get(), "x", 1);
      pause();
    }
    char ready = 0;
    (void)!read(up.read.get(), &ready, 1);
    return static_cast<std::uint64_t>(grandchild);
  });
  const Proof proof = prove(child, on_cpus(first_cpu()));
  EXPECT_EQ(proof.status, ProofStatus::violated);
  EXPECT_EQ(proof.threads, 2u);
  EXPECT_NE(proof.detail.find("of process " + std::to_string(child.answer())), std::string::npos) << proof.detail;
  kill(static_cast<pid_t>(child.answer()), SIGKILL);
}

// A child with one worker process; each is put on its own CPUs.
std::uint64_t with_worker_on(const IndexSet& own, const IndexSet& workers) {
  run_on(own);
  Pipe up = tests::new_pipe();
  const pid_t worker = fork();
  if (worker == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    run_on(workers);
    (void)!write(up.write.get(), "x", 1);
    pause();
  }
  char ready = 0;
  (void)!read(up.read.get(), &ready, 1);
  return static_cast<std::uint64_t>(worker);
}

TEST(Prover, JudgesWorkersAgainstTheirOwnCpus) {
  NEEDS_TWO_CPUS();
  const IndexSet last{*allowed_cpus().last()};
  const WaitingChild apart([=] { return with_worker_on(first_cpu(), last); });
  Placement placement = on_cpus(first_cpu());
  placement.workers = last;
  EXPECT_EQ(prove(apart, placement).status, ProofStatus::held);
  placement.workers = {};
  EXPECT_EQ(prove(apart, placement).status, ProofStatus::violated);

  const WaitingChild together([=] { return with_worker_on(first_cpu(), first_cpu()); });
  EXPECT_EQ(prove(together, placement).status, ProofStatus::held);
  placement.workers = last;
  const Proof proof = prove(together, placement);
  EXPECT_EQ(proof.status, ProofStatus::violated);
  EXPECT_NE(proof.detail.find("may run on CPUs " + first_cpu().list() + " instead of " + last.list()),
            std::string::npos)
      << proof.detail;
  kill(static_cast<pid_t>(apart.answer()), SIGKILL);
  kill(static_cast<pid_t>(together.answer()), SIGKILL);
}

TEST(Prover, TellsWhereThreadsRanAndTheirPolicy) {
  const WaitingChild child([] { return run_on(first_cpu()), nothing(); });
  const Proof proof = prove(child, on_cpus(first_cpu()));
  EXPECT_EQ(proof.ran_on, first_cpu());
  if (access("/proc/self/numa_maps", R_OK) != 0) return;
  EXPECT_EQ(proof.thread_policies, std::set<std::string>{"default"});
}

TEST(Prover, FindsMemoryBesideASmallReportedRange) {
  if (access("/proc/self/numa_maps", R_OK) != 0) GTEST_SKIP() << "this kernel has no numa_maps";
  const WaitingChild child([] { return map_memory(64 * mebibyte, 64 * mebibyte); });
  const Proof proof = prove(child, on_cpus(allowed_cpus()), 1, {{child.answer(), mebibyte}});
  ASSERT_GE(proof.beside.size(), 1u);  // an instrumented child has mappings of its own
  std::uint64_t bytes = 0;
  for (const auto& [node, on_node] : proof.beside.front().node_bytes) bytes += on_node;
  EXPECT_GE(bytes, 63 * mebibyte);
  for (const auto& mapping : prove(child, on_cpus(allowed_cpus()), 1, {{child.answer(), 64 * mebibyte}}).beside)
    for (const auto& [node, on_node] : mapping.node_bytes) EXPECT_LT(on_node, 32 * mebibyte);
}

TEST(Prover, CallsMemoryBesideTheRangesAViolationOfABinding) {
  NEEDS_PAGES_TO_BE_ASKED_FOR();
  if (access("/proc/self/numa_maps", R_OK) != 0) GTEST_SKIP() << "this kernel has no numa_maps";
  if (allowed_nodes().size() > 1) GTEST_SKIP() << "its pages may lie on several nodes here";
  const WaitingChild child([] { return map_memory(64 * mebibyte, 64 * mebibyte); });
  const unsigned node = *allowed_nodes().first();
  const Proof proof = prove(child, on_cpus(allowed_cpus(), {MemoryPolicy::bind, {node + 1}}), 2,
                            {{child.answer(), mebibyte}});
  EXPECT_EQ(proof.status, ProofStatus::violated);
  EXPECT_NE(proof.detail.find("beside the reported ranges, in its largest mappings: "), std::string::npos)
      << proof.detail;
  EXPECT_NE(proof.detail.find("(likely: the memory policy of that memory is default instead of bind:"),
            std::string::npos)
      << proof.detail;
}

TEST(Prover, FindsALibraryThatBindsItsOwnMemoryElsewhereHoweverMuchLiesInPlace) {
  NEEDS_PAGES_TO_BE_ASKED_FOR();
  if (allowed_nodes().size() > 1) GTEST_SKIP() << "its pages may lie on several nodes here";
  const WaitingChild child([] { return map_memory(mebibyte, mebibyte); });
  const unsigned node = *allowed_nodes().first();
  const std::string in_place = std::to_string(node), elsewhere = std::to_string(node + 1);
  const testing::ScratchDirectory root;
  std::string smaps, numa_maps;
  for (int i = 1; i <= 6; ++i) {
    const std::string start = std::to_string(i) + "0000000";
    smaps += start + '-' + std::to_string(i) + "8000000 rw-p 0 00:00 0\n";
    numa_maps += start + " bind:" + (i == 6 ? elsewhere : in_place) + " anon=9 N" + (i == 6 ? elsewhere : in_place) +
                 '=' + std::to_string(10240 - 1024 * i) + " kernelpagesize_kB=4\n";
  }
  testing::write_text(root / ("proc/" + std::to_string(child.pid()) + "/smaps"), smaps);
  testing::write_text(root / ("proc/" + std::to_string(child.pid()) + "/numa_maps"), numa_maps);
  Prover prover(child.pid(), on_cpus(allowed_cpus(), {MemoryPolicy::bind, {node}}), 2, root.path());
  prover.check_threads(0);
  const Proof proof = prover.conclude(std::vector<protocol::Range>{{child.answer(), mebibyte}});
  EXPECT_EQ(proof.status, ProofStatus::violated);
  EXPECT_NE(proof.detail.find("16.0 MiB of 156 MiB on node " + elsewhere + " instead of " + in_place +
                              " (likely: the memory policy of that memory is bind:" + elsewhere +
                              " instead of bind:" + in_place + ", set by the program or a library)"),
            std::string::npos)
      << proof.detail;
  EXPECT_EQ(proof.beside.size(), 4u);
}

TEST(Prover, SaysWhereMemoryBesideTheRangesCouldNotBeLookedAt) {
  NEEDS_PAGES_TO_BE_ASKED_FOR();
  if (allowed_nodes().size() > 1) GTEST_SKIP() << "its pages may lie on several nodes here";
  const WaitingChild child([] { return map_memory(mebibyte, mebibyte); });
  const testing::ScratchDirectory root;
  const std::string folder = "proc/" + std::to_string(child.pid());
  const auto detail = [&](const Memory& memory) {
    Prover prover(child.pid(), on_cpus(allowed_cpus(), memory), 2, root.path());
    prover.check_threads(0);
    const Proof proof = prover.conclude(std::vector<protocol::Range>{{child.answer(), mebibyte}});
    EXPECT_EQ(proof.status, ProofStatus::held) << proof.detail;
    return proof.detail;
  };
  const Memory bound{MemoryPolicy::bind, {*allowed_nodes().first()}};
  EXPECT_EQ(detail(bound), "mappings beside the ranges: not readable (" + (root / folder / "smaps").string() +
                               ": open (ENOENT): No such file or directory; check the path)");
  EXPECT_EQ(detail({}), "") << "which claims nothing of them";
  testing::write_text(root / folder / "smaps", "");
  EXPECT_EQ(detail(bound), "") << "a kernel that tells no nodes";
  testing::write_text(root / folder / "numa_maps" / "unreadable", "");
  EXPECT_NE(detail(bound).find("numa_maps: is a directory"), std::string::npos);
}

TEST(Prover, TellsAWishThatWasNotFulfilled) {
  NEEDS_PAGES_TO_BE_ASKED_FOR();
  const WaitingChild child([] { return map_memory(mebibyte, mebibyte); });
  const unsigned absent = *allowed_nodes().last() + 1;
  for (const MemoryPolicy policy : {MemoryPolicy::preferred, MemoryPolicy::preferred_many}) {
    const Proof proof = prove(child, on_cpus(allowed_cpus(), {policy, {absent}}), 2, {{child.answer(), mebibyte}});
    EXPECT_EQ(proof.status, ProofStatus::held);
    EXPECT_TRUE(proof.detail.starts_with("a wish only: ")) << proof.detail;
  }
  const Proof local = prove(child, on_cpus(allowed_cpus(), {MemoryPolicy::local, {}}), 2, {{child.answer(), mebibyte}});
  EXPECT_EQ(local.status, ProofStatus::held);
  EXPECT_EQ(local.detail, "");
}

TEST(Prover, CountsAsAPartOfManyPagesWhatAllOfThemAre) {
  NEEDS_PAGES_TO_BE_ASKED_FOR();
  if (allowed_nodes().size() > 1) GTEST_SKIP() << "its pages may lie on several nodes here";
  static constexpr std::uint64_t size = 257 * mebibyte + 4096;
  const WaitingChild child([] { return map_memory(size, size); });
  const auto bytes = bytes_by_node(child.pid(), std::vector<protocol::Range>{{child.answer(), size}});
  ASSERT_TRUE(bytes) << bytes.error().message;
  EXPECT_EQ(*bytes, (NodeBytes{{*allowed_nodes().first(), size}}));
}

TEST(Prover, TellsWhenTheKernelThrottledTheCase) {
  const testing::ScratchDirectory root;
  testing::write_text(root / "proc/self/cgroup", "0::/job\n");
  testing::write_text(root / "proc/self/mountinfo", "30 29 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  testing::write_text(root / "sys/fs/cgroup/job/cpu.stat", "usage_usec 100\nthrottled_usec 1000000\n");
  testing::write_text(root / "proc/vmstat", "numa_hit 5\nnuma_pages_migrated 7\n");
  const WaitingChild child(nothing);
  Prover prover(child.pid(), on_cpus(allowed_cpus()), 1, root.path());
  prover.begin({});
  prover.check_threads(0);
  testing::write_text(root / "sys/fs/cgroup/job/cpu.stat", "usage_usec 100\nthrottled_usec 3500000\n");
  const Proof proof = prover.conclude({});
  EXPECT_EQ(proof.throttled_seconds, 2.5);
  EXPECT_EQ(proof.balanced_bytes, 0u);
  prover.check_threads(0);
  EXPECT_EQ(prover.conclude({}).throttled_seconds, std::nullopt) << "the case was never begun";
}

TEST(Prover, IsUnverifiableWhenNoThreadWasEverChecked) {
  const WaitingChild child(nothing);
  const Proof proof = Prover(child.pid(), on_cpus(allowed_cpus()), 1).conclude({});
  EXPECT_EQ(proof.status, ProofStatus::unverifiable);
  EXPECT_EQ(proof.detail, "no thread was read; check_threads was never called for this case");
}

TEST(Prover, IsUnverifiableWhenTheProcessIsGone) {
  WaitingChild child(nothing);
  const int pid = child.pid();
  child.end();
  Prover prover(pid, on_cpus(allowed_cpus()), 1);
  prover.check_threads(0);
  const Proof proof = prover.conclude({});
  EXPECT_EQ(proof.status, ProofStatus::unverifiable);
  EXPECT_EQ(proof.detail, "/proc/" + std::to_string(pid) + "/task: holds no living thread; the process has ended");
}

// Two nodes are claimed to exist so that pages are asked for; they all lie on the one that does.
TEST(Prover, CountsEveryPageOnceHoweverTheRangesOverlap) {
  NEEDS_PAGES_TO_BE_ASKED_FOR();
  if (allowed_nodes().size() > 1) GTEST_SKIP() << "its pages may lie on several nodes here";
  const WaitingChild child([] { return map_memory(4 * mebibyte, 4 * mebibyte); });
  const unsigned node = *allowed_nodes().first();
  const Placement placement = on_cpus(allowed_cpus(), {MemoryPolicy::bind, {node}});
  const Proof proof = prove(child, placement, 2,
                            {{child.answer() + mebibyte, mebibyte},
                             {child.answer(), 4 * mebibyte},
                             {child.answer() + mebibyte / 2 + 1, 1}});
  EXPECT_EQ(proof.status, ProofStatus::held) << proof.detail;
  EXPECT_EQ(proof.node_bytes, (std::map<unsigned, std::uint64_t>{{node, 4 * mebibyte}}));
}

TEST(Prover, CountsTouchedPagesOnly) {
  NEEDS_PAGES_TO_BE_ASKED_FOR();
  if (allowed_nodes().size() > 1) GTEST_SKIP() << "its pages may lie on several nodes here";
  const WaitingChild child([] { return map_memory(64 * mebibyte, mebibyte); });
  const unsigned node = *allowed_nodes().first();
  const Placement placement = on_cpus(allowed_cpus(), {MemoryPolicy::bind, {node}});
  const Proof proof = prove(child, placement, 2, {{child.answer(), 64 * mebibyte}});
  EXPECT_GE(proof.node_bytes.at(node), mebibyte);
  EXPECT_LE(proof.node_bytes.at(node), 4 * mebibyte);  // huge pages may reach over what was touched
}

TEST(Prover, TellsHowMuchLiesOnTheWrongNode) {
  NEEDS_PAGES_TO_BE_ASKED_FOR();
  if (allowed_nodes().size() > 1) GTEST_SKIP() << "its pages may lie on several nodes here";
  const WaitingChild child([] { return map_memory(4 * mebibyte, 4 * mebibyte); });
  const unsigned node = *allowed_nodes().first();
  const Placement placement = on_cpus(allowed_cpus(), {MemoryPolicy::bind, {node + 1}});
  const Proof proof = prove(child, placement, 2, {{child.answer(), 4 * mebibyte}});
  EXPECT_EQ(proof.status, ProofStatus::violated);
  EXPECT_TRUE(proof.detail.starts_with("4.00 MiB of 4.00 MiB on node " + std::to_string(node) + " instead of " +
                                       std::to_string(node + 1)))
      << proof.detail;
}

TEST(Prover, FindsAnInterleavingThatLeftANodeOut) {
  NEEDS_PAGES_TO_BE_ASKED_FOR();
  if (allowed_nodes().size() > 1) GTEST_SKIP() << "its pages may lie on several nodes here";
  const WaitingChild child([] { return map_memory(32 * mebibyte, 32 * mebibyte); });
  const unsigned node = *allowed_nodes().first();
  const Placement placement = on_cpus(allowed_cpus(), {MemoryPolicy::interleave, {node, node + 1}});
  const Proof proof = prove(child, placement, 2, {{child.answer(), 32 * mebibyte}});
  EXPECT_EQ(proof.status, ProofStatus::violated);
  EXPECT_TRUE(proof.detail.starts_with("only 0 B of 32.0 MiB on node " + std::to_string(node + 1) +
                                       ", its share is 16.0 MiB"))
      << proof.detail;
}

TEST(Prover, DoesNotJudgeTheSharesOfATinyInterleavedRange) {
  NEEDS_PAGES_TO_BE_ASKED_FOR();
  const WaitingChild child([] { return map_memory(mebibyte, mebibyte); });
  const unsigned node = *allowed_nodes().first();
  const Placement placement = on_cpus(allowed_cpus(), {MemoryPolicy::interleave, allowed_nodes() | IndexSet{node + 1}});
  EXPECT_EQ(prove(child, placement, 2, {{child.answer(), mebibyte}}).status, ProofStatus::held);
}

TEST(Prover, ReportsAPreferenceWithoutJudgingIt) {
  NEEDS_PAGES_TO_BE_ASKED_FOR();
  const WaitingChild child([] { return map_memory(mebibyte, mebibyte); });
  const Placement placement = on_cpus(allowed_cpus(), {MemoryPolicy::preferred, {*allowed_nodes().last() + 1}});
  const Proof proof = prove(child, placement, 2, {{child.answer(), mebibyte}});
  EXPECT_EQ(proof.status, ProofStatus::held) << proof.detail;
  EXPECT_FALSE(proof.node_bytes.empty());
}

TEST(Prover, IsUnverifiableWithoutPagesToAskFor) {
  NEEDS_PAGES_TO_BE_ASKED_FOR();
  const WaitingChild child([] { return map_memory(mebibyte, 0); });
  const Placement placement = on_cpus(allowed_cpus(), {MemoryPolicy::bind, allowed_nodes()});
  EXPECT_EQ(prove(child, placement, 2).detail, "no memory range was reported");
  const Proof proof = prove(child, placement, 2, {{child.answer(), mebibyte}});
  EXPECT_EQ(proof.status, ProofStatus::unverifiable);
  EXPECT_EQ(proof.detail, "no page of the reported ranges is in memory");
}

TEST(Prover, NamesTheCallAndErrnoWhenPagesMayNotBeAskedFor) {
  const std::string text = tests::in_child([] {
    const WaitingChild child([] { return map_memory(mebibyte, mebibyte); });
    if (!tests::refuse_with_eperm(SYS_move_pages)) return std::string("no filters");
    const Placement placement = on_cpus(allowed_cpus(), {MemoryPolicy::bind, allowed_nodes()});
    const Proof proof = prove(child, placement, 2, {{child.answer(), mebibyte}});
    return std::string(name_of(proof.status)) + ": " + proof.detail;
  });
  if (text == "no filters") GTEST_SKIP() << "this kernel has no system call filters";
  EXPECT_EQ(text, "unverifiable: move_pages (EPERM): Operation not permitted; this container's filter of system calls "
                  "refuses it, with CAP_SYS_NICE it does not");
}

TEST(Prover, NeedsNoPagesOnOneNodeOrWithTheDefaultPolicy) {
  const WaitingChild child(nothing);
  EXPECT_EQ(prove(child, on_cpus(allowed_cpus(), {MemoryPolicy::bind, allowed_nodes()}), 1).status, ProofStatus::held);
  EXPECT_EQ(prove(child, on_cpus(allowed_cpus()), 2).status, ProofStatus::held);
}

TEST(Prover, ListsAtMostThreeStrayThreads) {
  NEEDS_TWO_CPUS();
  const WaitingChild child([] {
    for (int i = 0; i < 5; ++i) std::thread([] { pause(); }).detach();
    return nothing();
  });
  const Proof proof = prove(child, on_cpus(first_cpu()));
  EXPECT_EQ(proof.threads, 6u);
  EXPECT_NE(proof.detail.find("; and 3 more threads (likely: "), std::string::npos) << proof.detail;
}

std::uint64_t migrations_of(const WaitingChild& child) {
  std::uint64_t sum = 0;
  const auto threads = read_threads(child.pid());
  for (const ThreadState& thread : *threads) sum += thread.migrations.value_or(0);
  return sum;
}

TEST(Prover, CountsTheMigrationsOfEachCaseByItself) {
  NEEDS_TWO_CPUS();
  if (!read_threads(getpid())->front().migrations) GTEST_SKIP() << "this kernel keeps no count of migrations";
  const WaitingChild child([first = first_cpu(), last = IndexSet{*allowed_cpus().last()}] {
    std::thread([first, last] {
      while (true) run_on(first), run_on(last);
    }).detach();
    return nothing();
  });
  Prover prover(child.pid(), on_cpus(allowed_cpus()), 1);
  prover.check_threads(0);
  const std::uint64_t before = migrations_of(child);
  while (migrations_of(child) < before + 2) sched_yield();
  kill(child.pid(), SIGSTOP);
  ASSERT_EQ(waitpid(child.pid(), nullptr, WUNTRACED), child.pid());
  prover.check_threads(1);
  EXPECT_GE(prover.conclude({}).migrations, 2u);
  prover.check_threads(0);
  EXPECT_EQ(prover.conclude({}).migrations, 0u);
}

TEST(Threads, AreReadWithTheirCounts) {
  const auto threads = read_threads(getpid());
  ASSERT_TRUE(threads) << threads.error().message;
  ASSERT_GE(threads->size(), 1u);
  const ThreadState& self = threads->front();
  EXPECT_EQ(self.process, getpid());
  EXPECT_EQ(self.id, getpid());
  EXPECT_EQ(self.name, "test_binding");
  EXPECT_EQ(self.cpus, allowed_cpus());
}

TEST(Threads, OfAProcessThatNeverWasAreAnError) {
  EXPECT_EQ(read_threads(999999999).error().message,
            "/proc/999999999/task: holds no living thread; the process has ended");
}

}  // namespace
}  // namespace bindgate
