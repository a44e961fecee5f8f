// The scan against the strict reader: it may decline anything, but what it accepts, both read alike.
#include "samples/journal_scan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "samples/journal_lines.hpp"
#include "support/example_run.hpp"

namespace bindgate {
namespace {

using namespace testing;
namespace lines = journal_lines;

Block full_block() {
  Block block = example_block(7);
  block.attempt = 1;
  block.steal_ticks = 3;
  block.disturbed = "a stranger ran on CPU 1";
  block.references[ReferenceKernel::faults] = {520'000};
  block.spent_ns = 7'000'000;
  for (const Clock clock : clocks) block.nanoseconds[clock] = block.nanoseconds.at(Clock::wall);
  return block;
}

/// A run in which one launch is at its first case.
bindgate::Run started_run() {
  bindgate::Run run = example_run_header();
  run.launches = {example_launch(5, 0, "none", Role::base)};
  run.launches[0].cases[0].outcome = CaseOutcome::unfinished;
  run.launches[0].cases[0].blocks.clear();
  run.launches[0].cases[0].proof.reset();
  return run;
}

/// What the strict reader alone makes of a line; a space in front, which JSON allows, makes the scan decline.
Result<bindgate::Run> read_strictly(const std::string& line) {
  bindgate::Run run = started_run();
  if (auto read = lines::read(' ' + line, "test", run); !read) return tl::unexpected(read.error());
  return run;
}

bool is_scanned(const std::string& line) {
  return lines::scan_block(line) || lines::scan_case_start(line) || lines::scan_case_end(line);
}

CaseRun ended_case(CaseOutcome outcome, const std::string& reason) {
  CaseRun run = example_case_run("matmul/f32/m=1", 0);
  run.outcome = outcome;
  run.reason = reason;
  return run;
}

std::vector<std::string> written_lines() {
  CaseRun unproven = ended_case(CaseOutcome::not_run, "no bf16 kernel");
  unproven.proof.reset();
  CaseRun two_nodes = ended_case(CaseOutcome::ok, "");
  two_nodes.proof = Proof{ProofStatus::violated, "thread 12 ran on CPU 3", 2, {{0, 4096}, {1, 8192}}, 7};
  CaseRun nowhere = ended_case(CaseOutcome::failed, "expected 1.0, found 2.0");
  nowhere.proof = Proof{ProofStatus::unverifiable, "no pages", 0, {}, 0};
  nowhere.wall_seconds = 12.5;
  nowhere.others_cpu_seconds = 1.5e-7;
  nowhere.steal_seconds = 0;
  CaseRun evident = two_nodes;
  evident.proof->node_bytes_before = {{0, 12288}};
  evident.proof->ran_on = {0, 1, 3};
  evident.proof->policies = {"bind:1", "default"};
  evident.proof->thread_policies = {"default"};
  evident.proof->huge_page_bytes = std::map<std::uint64_t, std::uint64_t>{{2097152, 4194304}};
  evident.proof->balanced_bytes = 8192;
  evident.proof->throttled_seconds = 0.25;
  CaseRun plain = two_nodes;
  plain.proof->huge_page_bytes.emplace();
  plain.proof->balanced_bytes = 0;
  plain.proof->throttled_seconds = 0;
  Block bare;
  bare.nanoseconds[Clock::wall] = {0};
  return {lines::block(5, "matmul/f32/m=1", full_block()),
          lines::block(5, "matmul/f32/m=1", example_block(0)),
          lines::block(5, "matmul/f32/m=1", bare),
          lines::case_started(5, example_case_run("matmul/f32/m=2", 0)),
          lines::case_ended(5, ended_case(CaseOutcome::ok, "")),
          lines::case_ended(5, unproven),
          lines::case_ended(5, two_nodes),
          lines::case_ended(5, nowhere),
          lines::case_ended(5, evident),
          lines::case_ended(5, plain)};
}

TEST(JournalScan, KnowsEveryCommonLineThatTheJournalWrites) {
  for (const std::string& line : written_lines()) {
    EXPECT_TRUE(is_scanned(line)) << line;
    bindgate::Run run = started_run();
    ASSERT_TRUE(lines::read(line, "test", run)) << line;
    EXPECT_EQ(run, read_strictly(line).value()) << line;
  }
}

TEST(JournalScan, TakesKeysInAnyOrder) {
  const auto found =
      lines::scan_block(R"({"turn":3,"case":"a","nanoseconds":{"thread":[4],"wall":[5]},"launch":2,"line":"block"})");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->launch, 2);
  EXPECT_EQ(found->case_name, "a");
  EXPECT_EQ(found->content.nanoseconds,
            (std::map<Clock, std::vector<std::int64_t>>{{Clock::wall, {5}}, {Clock::thread, {4}}}));
}

TEST(JournalScan, DeclinesAProofThatHeldAndSawNoThread) {
  const auto line = [](const std::string& status, const std::string& threads) {
    return R"({"line":"case_ended","launch":0,"case":"a","outcome":"ok","reason":"","proof":{"status":")" + status +
           R"(","detail":"","threads":)" + threads + R"(,"node_bytes":{},"migrations":0}})";
  };
  EXPECT_TRUE(lines::scan_case_end(line("held", "1")));
  EXPECT_FALSE(lines::scan_case_end(line("held", "0")));
  EXPECT_TRUE(lines::scan_case_end(line("unverifiable", "0")));
}

TEST(JournalScan, DeclinesSecondsThatNobodyCanHaveTaken) {
  const std::string start = R"({"line":"case_ended","launch":0,"case":"a","outcome":"ok","reason":"","wall_seconds":)";
  EXPECT_TRUE(lines::scan_case_end(start + "1e9}"));
  for (const char* seconds : {"1.000001e9", "1e300", "1e999", "-1", "01", "1.", ".5", "1e", "null", "\"1\""})
    EXPECT_FALSE(lines::scan_case_end(start + seconds + '}')) << seconds;
}

TEST(JournalScan, DeclinesWhatItDoesNotKnowForCertain) {
  const std::string start = R"({"line":"block","launch":0,"case":"a","turn":0,"nanoseconds":)";
  ASSERT_TRUE(lines::scan_block(start + R"({"wall":[1]}})"));
  for (const std::string rest : {R"({"wall":[01]}})",
                                 R"({"wall":[-1]}})",
                                 R"({"wall":[1.0]}})",
                                 R"({"wall":[1e3]}})",
                                 R"({"wall":[null]}})",
                                 R"({"wall":[1000000000000001]}})",
                                 R"({"wall":[99999999999999999999]}})",
                                 R"({"wall":[]}})",
                                 R"({"wall":[1,]}})",
                                 R"({"wall":[1],"thread":[1,2]}})",
                                 R"({"wall":[1],"wall":[1]}})",
                                 R"({"moon":[1]}})",
                                 R"({}})",
                                 R"({"wall":[1]},"turn":0})",
                                 R"({"wall":[1]},"color":"red"})",
                                 R"({"wall":[1]},"forced":[0,0]})",
                                 R"({"wall":[1]},"attempt":2})",
                                 R"({"wall":[1]},"references":{"l2":[0]}})",
                                 R"({"wall":[1]},"disturbed":"\u0041"})",
                                 R"({"wall":[1]},"disturbed":null})",
                                 R"({"wall":[1]}} )",
                                 R"({"wall":[1]})",
                                 R"({"wall":[1]}}})"})
    EXPECT_FALSE(lines::scan_block(start + rest)) << rest;
  EXPECT_FALSE(lines::scan_block(R"({"line":"block","launch":0,"case":"a","nanoseconds":{"wall":[1]}})")) << "no turn";
  EXPECT_FALSE(lines::scan_case_start(lines::block(5, "a", example_block(0))));
}

/// Bytes that JSON is made of, mostly; a change often leaves something that is almost right.
char some_byte(std::mt19937_64& random) {
  static constexpr std::string_view likely = "0123456789-+.eE,:[]{}\"\\ ntf";
  const auto place = random() % (likely.size() + 4);
  return place < likely.size() ? likely[place] : static_cast<char>(random());
}

TEST(JournalScan, NeverDisagreesWithTheStrictReaderHoweverALineWasChanged) {
  std::mt19937_64 random(1);
  unsigned accepted = 0;
  for (const std::string& line : written_lines())
    for (unsigned trial = 0; trial < 4000; ++trial) {
      std::string changed = line;
      for (unsigned changes = 1 + static_cast<unsigned>(random() % 3); changes > 0; --changes) {
        const std::size_t place = random() % changed.size();
        switch (random() % 3) {
          case 0:
            changed[place] = some_byte(random);
            break;
          case 1:
            changed.insert(place, 1, some_byte(random));
            break;
          default:
            changed.erase(place, 1);
        }
      }
      if (!is_scanned(changed)) continue;
      ++accepted;
      bindgate::Run run = started_run();
      const auto quick = lines::read(changed, "test", run);
      const auto strict = read_strictly(changed);
      ASSERT_EQ(quick.has_value(), strict.has_value()) << changed;
      if (strict)
        ASSERT_EQ(run, *strict) << changed;
      else
        ASSERT_EQ(quick.error(), strict.error()) << changed;
    }
  EXPECT_GT(accepted, 1000U) << "else nothing was compared";
}

}  // namespace
}  // namespace bindgate
