#include "samples/protocol.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace bindgate::protocol {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string error_of(const auto& result) { return result ? "no error" : result.error().message; }
std::string reply_error(std::string_view line) { return error_of(parse_reply(line, "bench_matmul")); }
std::string command_error(std::string_view line) { return error_of(parse_command(line, "harness")); }

CaseInfo matmul() {
  CaseInfo info;
  info.name = "matmul/transformer/f32/m=1,k=4096,n=4096";
  info.label = "bandwidth-bound";
  info.shape = {{"m", "1"}, {"k", "4096"}};
  info.operations = 33554432;
  info.bytes = 6.7e7;
  info.items = 1;
  info.item = "row";
  info.against = "matmul/plain";
  info.primary = Clock::thread;
  info.preemption = Preemption::cpu_gap;
  info.profile = Profile::quick;
  return info;
}

Block block() {
  Block block;
  block.turn = 7;
  block.attempt = 1;
  block.nanoseconds = {{Clock::wall, {500'000, 510'000}}, {Clock::thread, {499'000, 500'000}}};
  block.forced = {0, 1};
  block.indicators = {1, 0, 2, 1, 0};
  block.references = {{ReferenceKernel::compute, {1000, 1001}}, {ReferenceKernel::faults, {2000, 2002}}};
  block.steal_ticks = 3;
  block.disturbed = "forced switch by a stranger";
  return block;
}

TEST(Protocol, BringsEveryCommandAcross) {
  const std::vector<Command> commands{Begin{"decode/jpeg/w=1"}, Turn{},
                                      Turn{99, 5, 1000, {ReferenceKernel::compute, ReferenceKernel::chase}}, Next{},
                                      Exit{}};
  for (const Command& command : commands) {
    const std::string line = encode(command);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const auto read = parse_command(line, "test");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, command) << line;
  }
}

TEST(Protocol, BringsEveryReplyAcross) {
  Hello hello;
  hello.program = "bench_matmul";
  hello.build_type = "Release";
  hello.libraries = {{"torch", "1.13.1"}};
  hello.settings = {{"blas_core", "Haswell"}};
  hello.cases = {matmul(), CaseInfo{.name = "matmul/plain", .label = {}, .shape = {}, .item = {}}};
  Block bare;
  bare.nanoseconds = {{Clock::device, {0}}, {Clock::interval, {7}}};
  const std::vector<Reply> replies{
      hello, Ready{{900, 800}, {{4096, 1 << 20}}, 2, true}, NotRun{"no bf16 kernel"}, Failed{"wrong\nresult"}, block(), bare,
      Done{}, Done{{{"share_waiting", 0.25}}}};
  for (const Reply& reply : replies) {
    const std::string line = encode(reply);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const auto read = parse_reply(line, "test");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, reply) << line;
  }
}

TEST(Protocol, TellsAReasonThatIsNotUtf8) {
  const auto read = parse_reply(encode(Reply(Failed{"bad byte \xff here"})), "test");
  ASSERT_TRUE(read);
  EXPECT_EQ(std::get<Failed>(*read).reason, "bad byte \xef\xbf\xbd here");
}

TEST(Protocol, AllowsKeysOfNewerPrograms) {
  EXPECT_TRUE(parse_reply(R"({"reply":"done","mood":"good"})", "test"));
  EXPECT_TRUE(parse_command(R"({"command":"next","hurry":true})", "test"));
}

TEST(Protocol, RefusesRubbish) {
  EXPECT_THAT(reply_error("Segmentation fault"), StartsWith("bench_matmul: is not JSON (column 1): "));
  EXPECT_EQ(reply_error(""), "bench_matmul: is empty; expected JSON");
  EXPECT_EQ(reply_error("[]"), "bench_matmul: $: expected an object, found []");
  EXPECT_EQ(reply_error("{}"), "bench_matmul: $: key \"reply\" is missing");
  EXPECT_EQ(reply_error(R"({"reply":"helo"})"), "bench_matmul: $.reply: unknown value \"helo\"; did you mean 'hello'?");
  EXPECT_EQ(command_error(R"({"command":"go"})"),
            "harness: $.command: unknown value \"go\"; known: begin, turn, next, exit");
  EXPECT_THAT(command_error("\xff\xfe"), StartsWith("harness: is not JSON (column 1): "));
}

TEST(Protocol, SurvivesDeepNesting) {
  EXPECT_THAT(reply_error(std::string(100'000, '[')), HasSubstr("nested deeper"));
  EXPECT_THAT(reply_error(R"({"reply":"ready","warmup_ns":)" + std::string(100'000, '[')), HasSubstr("nested deeper"));
}

TEST(Protocol, RefusesAnotherVersionAndSaysBoth) {
  EXPECT_EQ(
      reply_error(R"({"reply":"hello","protocol":2,"program":"p","cases":[]})"),
      "bench_matmul: $.protocol: speaks version 2 of the protocol, this harness 1; build both from the same source");
}

TEST(Protocol, RefusesACaseListedTwice) {
  EXPECT_EQ(
      reply_error(R"({"reply":"hello","protocol":1,"program":"p","cases":[{"name":"a"},{"name":"b"},{"name":"a"}]})"),
      "bench_matmul: $.cases[2].name: case \"a\" is listed twice; every case needs its own name");
}

TEST(Protocol, RefusesNamesThatNoBaselineFileCanCarry) {
  const auto named = [](const std::string& name) {
    return reply_error(R"({"reply":"hello","protocol":1,"program":"p","cases":[{"name":")" + name + R"("}]})");
  };
  const std::string place = "bench_matmul: $.cases[0].name: ";
  EXPECT_EQ(named("matmul/square/f32/m=256,n=256"), "no error");
  EXPECT_EQ(named(""), place + "a case needs a name; write program/case/parameters");
  EXPECT_EQ(named("a+b"), place + "holds '+', a space or a control character; baseline files cannot be named after it");
  EXPECT_EQ(named("a b"), place + "holds '+', a space or a control character; baseline files cannot be named after it");
  EXPECT_EQ(named("a\\u0000b"),
            place + "holds '+', a space or a control character; baseline files cannot be named after it");
  EXPECT_EQ(named(std::string(201, 'x')), place + "is longer than 200 bytes; shorten the parameters");
}

TEST(Protocol, RefusesTimesThatCannotBe) {
  const auto timed = [](const std::string& samples) {
    return reply_error(R"({"reply":"block","turn":0,"nanoseconds":{"wall":)" + samples + "}}");
  };
  EXPECT_EQ(timed("[1,0]"), "no error");
  EXPECT_EQ(timed("[5,-1]"),
            "bench_matmul: $.nanoseconds.wall[1]: expected a whole number from 0 to 1000000000000000, found -1");
  EXPECT_EQ(timed("[1.5]"), "bench_matmul: $.nanoseconds.wall[0]: expected a whole number, found 1.5");
  EXPECT_EQ(timed("[1e999]"), "bench_matmul: holds a number too large for a double; numbers must be finite");
  EXPECT_EQ(timed("[9223372036854775807]"),
            "bench_matmul: $.nanoseconds.wall[0]: expected a whole number from 0 to 1000000000000000, found "
            "9223372036854775807");
  EXPECT_THAT(timed("[NaN]"), StartsWith("bench_matmul: is not JSON (column 50): "));
  EXPECT_EQ(timed("[null]"), "bench_matmul: $.nanoseconds.wall[0]: expected a whole number, found null");
  EXPECT_EQ(timed("[]"), "bench_matmul: $.nanoseconds.wall: a block needs at least one sample");
}

TEST(Protocol, RefusesBlocksThatContradictThemselves) {
  const auto block_with = [](const std::string& rest) {
    return reply_error(R"({"reply":"block","turn":0,)" + rest + "}");
  };
  EXPECT_EQ(block_with(R"("nanoseconds":{})"), "bench_matmul: $.nanoseconds: a block needs at least one clock");
  EXPECT_EQ(block_with(R"("nanoseconds":{"sun":[1]})"),
            "bench_matmul: $.nanoseconds.sun: unknown clock; known: wall, thread, process, tree, interval, device");
  EXPECT_EQ(block_with(R"("nanoseconds":{"wall":[1,2],"thread":[1]})"),
            "bench_matmul: $.nanoseconds.wall: every clock needs as many samples as the others");
  EXPECT_EQ(block_with(R"("nanoseconds":{"wall":[1,2]},"forced":[0])"),
            "bench_matmul: $.forced: needs one count for each sample");
  EXPECT_EQ(block_with(R"("nanoseconds":{"wall":[1]},"references":{"l2":[0]})"),
            "bench_matmul: $.references.l2[0]: expected a whole number from 1 to 1000000000000000, found 0");
  EXPECT_EQ(block_with(R"("nanoseconds":{"wall":[1]},"attempt":2)"),
            "bench_matmul: $.attempt: expected a whole number from 0 to 1, found 2");
}

TEST(Protocol, RefusesAReadyWithoutWarmUpOrThreads) {
  EXPECT_EQ(reply_error(R"({"reply":"ready","warmup_ns":[]})"),
            "bench_matmul: $.warmup_ns: needs at least one warm-up iteration");
  EXPECT_EQ(reply_error(R"({"reply":"ready","warmup_ns":[5],"threads":0})"),
            "bench_matmul: $.threads: expected a whole number from 1 to 1048575, found 0");
  EXPECT_EQ(reply_error(R"({"reply":"ready","warmup_ns":[5],"ranges":[{"start":1}]})"),
            "bench_matmul: $.ranges[0]: key \"bytes\" is missing");
}

TEST(Protocol, RefusesTurnsWithoutSamplesAndUnknownKernels) {
  EXPECT_EQ(command_error(R"({"command":"turn","turn":0,"samples":0,"batch":1,"references":[]})"),
            "harness: $.samples: expected a whole number from 1 to 1000000, found 0");
  EXPECT_EQ(command_error(R"({"command":"turn","turn":0,"samples":1,"batch":0,"references":[]})"),
            "harness: $.batch: expected a whole number from 1 to 1000000000, found 0");
  EXPECT_EQ(command_error(R"({"command":"turn","turn":0,"samples":1,"batch":1,"references":["l4"]})"),
            "harness: $.references[0]: unknown value \"l4\"; did you mean 'l2'?");
  EXPECT_EQ(command_error(R"({"command":"begin"})"), "harness: $: key \"case\" is missing");
}

TEST(Protocol, ReadsAnAmountThatCouldNotBeCountedAsNotCounted) {
  Hello hello;
  hello.program = "p";
  hello.cases = {CaseInfo{
      .name = "a", .label = {}, .shape = {}, .operations = std::numeric_limits<double>::quiet_NaN(), .item = {}}};
  const auto read = parse_reply(encode(Reply(hello)), "test");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(std::get<Hello>(*read).cases[0].operations, 0);
}

TEST(Protocol, EveryPrefixOfALineIsAnErrorAndNothingWorse) {
  const std::string line = encode(Reply(block()));
  for (std::size_t size = 0; size < line.size(); ++size)
    EXPECT_FALSE(parse_reply(line.substr(0, size), "test")) << size;
}

TEST(Protocol, EveryByteChangedIsReadOrRefusedAndNothingWorse) {
  const std::string line = encode(Reply(block()));
  for (std::size_t place = 0; place < line.size(); ++place)
    for (const char byte : {'\0', '"', '9', '-', '[', '}', '\xff'}) {
      std::string changed = line;
      changed[place] = byte;
      if (const auto read = parse_reply(changed, "test"); !read) {
        EXPECT_TRUE(read.error().message.starts_with("test: ")) << read.error().message;
        EXPECT_EQ(read.error().message.find('\n'), std::string::npos);
      }
    }
}

TEST(CleanSamples, AreThoseWhoseWallTimeTheThreadUsedItself) {
  Block block;
  block.nanoseconds = {{Clock::wall, {1'000'000, 1'000'000, 10'000'000, 10'000'000}},
                       {Clock::thread, {950'000, 949'999, 9'900'000, 9'899'999}}};
  block.forced = {1, 1, 1, 1};  // the clocks of one thread that never waits tell more
  EXPECT_EQ(clean_samples(block, Preemption::cpu_gap), (std::vector<bool>{true, false, true, false}));
}

TEST(CleanSamples, AreThoseWithoutForcedSwitchesWhereWaitingIsByDesign) {
  Block block;
  block.nanoseconds = {{Clock::wall, {10, 10, 10}}, {Clock::thread, {1, 1, 1}}};
  block.forced = {0, 2, 0};
  EXPECT_EQ(clean_samples(block, Preemption::switches), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(clean_samples(block, Preemption::own), (std::vector<bool>{true, true, true}));
  block.steal_ticks = 1;
  EXPECT_EQ(clean_samples(block, Preemption::switches), (std::vector<bool>{false, false, false}));
  EXPECT_EQ(clean_samples(block, Preemption::own), (std::vector<bool>{false, false, false}));
}

TEST(CleanSamples, FallBackOnSwitchesWithoutTheThreadsClock) {
  Block block;
  block.nanoseconds = {{Clock::wall, {10, 10}}};
  block.forced = {0, 1};
  EXPECT_EQ(clean_samples(block, Preemption::cpu_gap), (std::vector<bool>{true, false}));
  EXPECT_TRUE(clean_samples(Block{}, Preemption::cpu_gap).empty());
}

}  // namespace
}  // namespace bindgate::protocol
