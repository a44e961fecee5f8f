#include "report/verification.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace bindgate {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// What a process may call itself and its threads: an escape sequence, a line of its own, and what is no UTF-8.
VerifyReport hostile_report() {
  VerifyReport report;
  report.facts.process = 4711;
  report.facts.command = "prog\x1b[2J\xff\nfits numactl";
  report.facts.groups = {{{0, 1}, "default", 2, {0}, {"a\x1b]0;b\x07", "\xc2\x9b" "31m", "gr\xc3\xb6\xc3\x9f"}}};
  report.facts.node_bytes = report.facts.anonymous_node_bytes = {{0, 1u << 20}};
  report.facts.largest = {{"/tmp/\x1b[31m", "default", {{0, 1u << 20}}}};
  report.variant = "numactl";
  report.placement.emplace();
  report.verification.emplace();
  report.verification->status = ProofStatus::violated;
  report.verification->misfits = {"2 threads (\x1b[8m) may run on CPUs 0-1 instead of 0"};
  return report;
}

TEST(VerifyText, LetsNoProcessSpeakToTheTerminal) {
  const std::string text = verify_text(hostile_report(), Style{false, 100});
  for (const char* control : {"\x1b", "\x07", "\xff", "\xc2\x9b", "\nfits"}) EXPECT_THAT(text, Not(HasSubstr(control)));
  EXPECT_THAT(text, HasSubstr("process   4711: prog?[2J\xef\xbf\xbd fits numactl\n"));
  EXPECT_THAT(text, HasSubstr("(a?]0;b?, ?31m, gr\xc3\xb6\xc3\x9f)"));
  EXPECT_THAT(text, HasSubstr("/tmp/?[31m"));
  EXPECT_THAT(text, HasSubstr("2 threads (?[8m)"));
}

TEST(VerifyText, SaysThatNothingIsProvenWithoutAVariant) {
  const std::string words = "nothing claimed, nothing proven: name a --variant to hold it against\n";
  VerifyReport facts;
  facts.facts.process = 4711;
  EXPECT_THAT(verify_text(facts, Style{false, 100}), EndsWith(words));
  EXPECT_THAT(verify_text(hostile_report(), Style{false, 100}), Not(HasSubstr(words)));
}

TEST(VerifyText, KeepsItsOwnColours) {
  EXPECT_THAT(verify_text(hostile_report(), Style{true, 100}), HasSubstr("\033[31mdoes not fit numactl\033[0m\n"));
}

TEST(VerifyJson, HasTheNamesAsTheyAre) {
  const auto json = nlohmann::json::parse(verify_json(hostile_report(), 4));
  EXPECT_EQ(json["threads"][0]["names"][0], "a\x1b]0;b\x07");
  EXPECT_EQ(json["command"], "prog\x1b[2J\xef\xbf\xbd\nfits numactl");
}

}  // namespace
}  // namespace bindgate
