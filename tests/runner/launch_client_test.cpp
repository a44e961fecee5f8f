#include "runner/launch_client.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>

#include <csignal>

#include "binding/apply.hpp"
#include "binding/environment.hpp"
#include "launches.hpp"

namespace bindgate {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::hasty;
using ::testing::Not;
using testing::order_for;
using testing::patient;
using ::testing::StartsWith;

Answer<LaunchClient::TurnAnswer> turn_of(LaunchClient& client, const protocol::Turn& turn) {
  if (auto asked = client.ask_turn(turn); !asked) return tl::unexpected(asked.error());
  return client.hear_turn(turn);
}

class ALaunch : public testing::NothingLeft {
 protected:
  LaunchClient start(const std::string& child, std::map<std::string, std::string> environment,
                     const Deadlines& deadlines) {
    auto client = LaunchClient::start(order_for(child, std::move(environment)), deadlines, stop_);
    EXPECT_TRUE(client) << client.error().message;
    return *std::move(client);
  }
  LaunchClient liar(const std::string& mode, const Deadlines& deadlines = patient()) {
    return start("child_liar", {{"LIAR_MODE", mode}}, deadlines);
  }
  // How a liar's launch ends that says a proper hello and then breaks the rules in its first case.
  std::string end_in_begin(const std::string& mode, const Deadlines& deadlines = patient()) {
    LaunchClient client = liar(mode, deadlines);
    EXPECT_TRUE(client.hello());
    const auto answer = client.begin("liar/case");
    EXPECT_FALSE(answer);
    return answer ? "" : answer.error().how;
  }
  std::string end_in_hello(const std::string& mode, const Deadlines& deadlines = patient()) {
    LaunchClient client = liar(mode, deadlines);
    const auto hello = client.hello();
    EXPECT_FALSE(hello);
    return hello ? "" : hello.error().how;
  }
  std::string end_in_turn(const std::string& mode) {
    LaunchClient client = liar(mode);
    EXPECT_TRUE(client.hello());
    EXPECT_TRUE(client.begin("liar/case"));
    const auto answer = turn_of(client, {3, 2, 1, {}});
    EXPECT_FALSE(answer);
    return answer ? "" : answer.error().how;
  }
};

TEST_F(ALaunch, ThatBehavesIsServedToItsEnd) {
  LaunchClient client = start("child_steady", {}, patient());
  const auto hello = client.hello();
  ASSERT_TRUE(hello) << hello.error().how;
  EXPECT_EQ(hello->program, "child_steady");
  const auto begun = client.begin("steady/fast");
  ASSERT_TRUE(begun && std::holds_alternative<protocol::Ready>(*begun));
  const auto taken = turn_of(client, {0, 4, 300, {ReferenceKernel::compute}});
  ASSERT_TRUE(taken && std::holds_alternative<Block>(*taken));
  EXPECT_EQ(std::get<Block>(*taken).nanoseconds.at(Clock::wall), std::vector<std::int64_t>(4, 300'000));
  EXPECT_TRUE(client.next());
  const auto wrong = client.begin("steady/wrong");
  ASSERT_TRUE(wrong && std::holds_alternative<protocol::Failed>(*wrong));
  EXPECT_EQ(std::get<protocol::Failed>(*wrong).reason, "expected 1, found 2");
  const auto absent = client.begin("steady/absent");
  EXPECT_TRUE(absent && std::holds_alternative<protocol::NotRun>(*absent));
  EXPECT_EQ(client.finish(), "");
}

// As the kernel does to a process whose bound memory runs out.
TEST_F(ALaunch, ThatIsKilledWithBoundMemorySaysHowMuchWasFree) {
  LaunchOrder order = order_for("child_liar", {{"LIAR_MODE", "killed"}});
  order.placement.memory = {MemoryPolicy::bind, {0}};
  if (!probe(order.placement)) GTEST_SKIP() << "memory may not be bound to node 0 here";
  std::uint64_t readings = 0;
  order.free_bytes = [&](unsigned) { return ++readings == 1 ? std::uint64_t{900} << 20 : std::uint64_t{12} << 20; };
  auto client = LaunchClient::start(order, patient(), stop_);
  ASSERT_TRUE(client) << client.error().message;
  ASSERT_TRUE(client->hello());
  const auto answer = client->begin("liar/case");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().how,
            "killed by SIGKILL (out of memory?); its memory was bound to node 0, which had 12.0 MiB free: "
            "MPOL_BIND never spills");

  order.free_bytes = [](unsigned) { return std::nullopt; };
  auto blind = LaunchClient::start(order, patient(), stop_);
  ASSERT_TRUE(blind && blind->hello());
  EXPECT_EQ(blind->begin("liar/case").error().how,
            "killed by SIGKILL (out of memory?); its memory was bound to node 0: MPOL_BIND never spills");
}

TEST_F(ALaunch, ThatIsKilledWithoutBoundMemoryBlamesNone) {
  EXPECT_EQ(end_in_begin("killed"), "killed by SIGKILL (out of memory?)");
}

TEST_F(ALaunch, GetsThreadsAndAFixedLocale) {
  const auto order = order_for("child_steady", {});
  auto inherited = order;
  inherited.inherited["LANG"] = "de_DE.UTF-8";
  inherited.inherited["LC_NUMERIC"] = "de_DE.UTF-8";
  auto client = LaunchClient::start(inherited, patient(), stop_);
  ASSERT_TRUE(client);
  ASSERT_TRUE(client->hello());
  EXPECT_EQ(client->environment().at("LC_ALL"), "C");
  EXPECT_EQ(client->environment().at("BINDGATE_THREADS"), std::to_string(order.placement.threads));
  EXPECT_THAT(client->removed(), AllOf(Contains("LANG"), Contains("LC_NUMERIC")));
  const auto environment = environment_of(client->pid());
  ASSERT_TRUE(environment) << environment.error().message;
  EXPECT_EQ(environment->at("LC_ALL"), "C");
  EXPECT_FALSE(environment->contains("LANG"));
  EXPECT_EQ(client->finish(), "");
}

TEST_F(ALaunch, InheritsNoDescriptorsAndNoSignalSettings) {
  const Descriptor leaky(dup(2));  // without close-on-exec
  auto* const before = std::signal(SIGPIPE, SIG_IGN);
  LaunchClient client = start("child_steady", {}, patient());
  std::signal(SIGPIPE, before);
  ASSERT_TRUE(client.hello());
  const std::string process = "/proc/" + std::to_string(client.pid());
  std::vector<std::string> open;
  for (const auto& entry : std::filesystem::directory_iterator(process + "/fd"))
    open.push_back(entry.path().filename());
  EXPECT_THAT(open, ::testing::UnorderedElementsAre("0", "1", "2", "3", "4", "5"));
  EXPECT_EQ(std::filesystem::read_symlink(process + "/fd/0"), "/dev/null");
  const std::string status = read_file(process + "/status").value_or("");
  EXPECT_THAT(status, HasSubstr("SigBlk:\t0000000000000000"));
  const auto ignored = status.find("SigIgn:\t");
  EXPECT_EQ(std::stoull(status.substr(ignored + 8, 16), nullptr, 16) & (1u << (SIGPIPE - 1)), 0u);
  EXPECT_EQ(getpgid(client.pid()), client.pid());
}

TEST_F(ALaunch, RefusesAProgramThatIsNotThere) {
  auto order = order_for("child_steady", {});
  order.path = "/no/such/program";
  const auto client = LaunchClient::start(order, patient(), stop_);
  ASSERT_FALSE(client);
  EXPECT_THAT(client.error().message, AllOf(StartsWith("/no/such/program: "), HasSubstr("execve (ENOENT)")));
}

TEST_F(ALaunch, NamesTheRefusedBinding) {
  auto order = order_for("child_steady", {});
  order.placement.cpus = IndexSet{IndexSet::largest_id};
  const auto client = LaunchClient::start(order, patient(), stop_);
  ASSERT_FALSE(client);
  EXPECT_THAT(client.error().message, HasSubstr("sched_setaffinity (EINVAL)"));
}

TEST_F(ALaunch, ThatCrashesIsCalledBySignalAndLastWords) {
  EXPECT_THAT(end_in_begin("crash"), AllOf(HasSubstr("killed by SIGSEGV"), HasSubstr("'about to crash'")));
}

TEST_F(ALaunch, ThatCrashesInATurnOrTearDownIsOver) {
  EXPECT_THAT(end_in_turn("crash-in-turn"), HasSubstr("killed by SIGSEGV"));
  LaunchClient client = liar("crash-in-next");
  ASSERT_TRUE(client.hello() && client.begin("liar/case"));
  const auto done = client.next();
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().how, HasSubstr("killed by SIGSEGV"));
}

TEST_F(ALaunch, ThatHangsMissesItsDeadline) { EXPECT_EQ(end_in_begin("hang", hasty()), "no reply within 50.0 ms"); }

TEST_F(ALaunch, ThatIgnoresSigtermIsKilled) { EXPECT_EQ(end_in_begin("hang-on", hasty()), "no reply within 50.0 ms"); }

TEST_F(ALaunch, ThatIsSilentFromTheStartMissesTheHelloDeadline) {
  Deadlines deadlines = hasty();
  deadlines.hello = Milliseconds(50);
  EXPECT_EQ(end_in_hello("silent", deadlines), "no reply within 50.0 ms");
}

TEST(DeadlinesFor, BoundEveryStepAndTheEndByWhatAUserAllows) {
  const Deadlines hasty = deadlines_for(Milliseconds(300)), slow = deadlines_for(Milliseconds(900'000));
  for (const Milliseconds step : {hasty.hello, hasty.set_up, hasty.turn, hasty.tear_down, hasty.exit, hasty.grace})
    EXPECT_EQ(step, Milliseconds(300));
  for (const Milliseconds step : {slow.hello, slow.set_up, slow.turn, slow.tear_down})
    EXPECT_EQ(step, Milliseconds(900'000));
  EXPECT_EQ(slow.exit, Milliseconds(150'000)) << "where all is slow, so are destructors";
  EXPECT_EQ(deadlines_for(Milliseconds(30'000)).exit, Deadlines().exit);
  EXPECT_EQ(slow.grace, Deadlines().grace);
}

TEST_F(ALaunch, HasADeadlineForTheWhole) {
  Deadlines deadlines = patient();
  deadlines.launch = Milliseconds(0);
  LaunchClient client = liar("", deadlines);
  const auto hello = client.hello();
  ASSERT_FALSE(hello);
  EXPECT_THAT(hello.error().how, HasSubstr("as a whole"));
}

TEST_F(ALaunch, ThatEndsWithoutHelloIsNotTakenForSuccess) {
  EXPECT_EQ(end_in_hello("no-hello"), "exited with status 0 before its time");
}

TEST_F(ALaunch, ThatExitsTellsItsStatus) { EXPECT_EQ(end_in_begin("status"), "exited with status 3"); }

TEST_F(ALaunch, ThatPrintsRubbishIsQuoted) {
  EXPECT_THAT(end_in_hello("rubbish"), AllOf(StartsWith("said rubbish: "), HasSubstr("'Hello,?[2J world'")));
}

TEST_F(ALaunch, ThatSaysAnotherWordThanDueIsRubbish) {
  EXPECT_EQ(end_in_hello("wrong-hello"), "said rubbish: 'done' where a hello was due");
}

TEST_F(ALaunch, ThatSpeaksAnotherVersionIsRefusedWithBothVersions) {
  EXPECT_THAT(end_in_hello("version"), HasSubstr("speaks version 99 of the protocol, this harness 1"));
}

TEST_F(ALaunch, WithDuplicateCasesIsRefused) { EXPECT_THAT(end_in_hello("duplicate"), HasSubstr("is listed twice")); }

TEST_F(ALaunch, ThatSpeaksUnaskedIsRubbish) {
  LaunchClient client = liar("unasked");
  ASSERT_TRUE(client.hello());
  const auto begun = client.begin("liar/case");
  ASSERT_FALSE(begun);
  EXPECT_THAT(begun.error().how, StartsWith("said rubbish: "));
}

TEST_F(ALaunch, WithHalfALineTellsTheHalf) {
  EXPECT_THAT(end_in_begin("half-line", hasty()),
              AllOf(StartsWith("no reply within 50.0 ms"), HasSubstr("after half a line: '{\"reply\":\"rea'")));
  EXPECT_THAT(end_in_begin("half-line-exit"), HasSubstr("after half a line: '{\"reply\":\"rea'"));
}

TEST_F(ALaunch, WithALineWithoutEndIsCutOff) {
  EXPECT_THAT(end_in_hello("endless", hasty()), StartsWith("said rubbish: a line of more than 16.0 MiB"));
}

TEST_F(ALaunch, ThatClosesItsReplyPipeAndStaysIsSaidToHave) {
  EXPECT_EQ(end_in_begin("close", hasty()), "closed its reply pipe");
}

TEST_F(ALaunch, ThatTakesTooMuchMemoryTellsWhy) {
  EXPECT_THAT(end_in_begin("memory"), AllOf(HasSubstr("exited with status 1"), HasSubstr("'cannot have 2 GiB'")));
}

TEST_F(ALaunch, LeavesNoGrandchildInItsGroup) {
  const std::string end = end_in_begin("grandchild");
  ASSERT_THAT(end, HasSubstr("exited with status 4"));
  const pid_t grandchild = std::stoi(end.substr(end.find('\'') + 1));
  EXPECT_EQ(kill(grandchild, 0), -1);
}

TEST_F(ALaunch, LeavesNoGrandchildInASessionOfItsOwn) {
  const std::string end = end_in_begin("grandchild-session");
  ASSERT_THAT(end, HasSubstr("exited with status 4"));
  const pid_t grandchild = std::stoi(end.substr(end.find('\'') + 1));
  EXPECT_EQ(kill(grandchild, 0), -1);
}

TEST_F(ALaunch, WithTheWrongNumberOfSamplesOrTurnIsRubbish) {
  EXPECT_EQ(end_in_turn("samples"), "said rubbish: a block of 3 samples where 2 were asked for");
  EXPECT_EQ(end_in_turn("wrong-turn"), "said rubbish: a block of turn 4 in turn 3");
}

TEST_F(ALaunch, ThatFloodsItsOutputsNeitherBlocksNorLosesTheEnd) {
  LaunchClient client = liar("flood");
  ASSERT_TRUE(client.hello());
  EXPECT_EQ(client.finish(), "");
  const std::string tail = client.child().output_tail();
  EXPECT_THAT(tail, AllOf(HasSubstr("last of stdout"), HasSubstr("last of stderr")));
  EXPECT_LT(tail.size(), 2 * Tail::capacity + 100);
  EXPECT_EQ(client.child().last_words(), "last of stderr");
}

TEST_F(ALaunch, ThatLeavesWithAnErrorOrNotAtAllFailsAtItsEnd) {
  LaunchClient bad = liar("bad-exit");
  ASSERT_TRUE(bad.hello());
  EXPECT_EQ(bad.finish(), "exited with status 5 when asked to exit");
  LaunchClient stubborn = liar("ignore-exit", hasty());
  ASSERT_TRUE(stubborn.hello());
  EXPECT_EQ(stubborn.finish(), "ignored the end of its pipes and SIGTERM and was killed when asked to exit");
}

TEST_F(ALaunch, IsLeftAloneAtOnceWhenAStopIsRequested) {
  LaunchClient client = liar("silent");
  stop_.raise(SIGTERM);
  const auto hello = client.hello();
  ASSERT_FALSE(hello);
  EXPECT_TRUE(hello.error().stopped);
  EXPECT_EQ(stop_.reason(), "interrupted by SIGTERM");
}

TEST_F(ALaunch, EndsWithAHarnessThatIsKilled) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // so that the orphan comes to us
  auto line = make_pipe();
  ASSERT_TRUE(line);
  const pid_t harness = fork();
  if (harness == 0) {
    auto client = LaunchClient::start(order_for("child_liar", {{"LIAR_MODE", "silent"}}), patient(), stop_);
    const pid_t launch = client ? client->pid() : 0;
    if (write(line->write.get(), &launch, sizeof launch) > 0) pause();
    _exit(1);
  }
  pid_t launch = 0;
  ASSERT_EQ(read(line->read.get(), &launch, sizeof launch), static_cast<ssize_t>(sizeof launch));
  ASSERT_GT(launch, 0);
  kill(harness, SIGKILL);
  EXPECT_EQ(waitpid(harness, nullptr, 0), harness);
  int status = 0;
  EXPECT_EQ(waitpid(launch, &status, 0), launch);
  EXPECT_TRUE(WIFSIGNALED(status));
}

TEST(Tail, KeepsTheEndOfAStream) {
  Tail tail;
  for (int i = 0; i < 10'000; ++i) tail.append("line " + std::to_string(i) + '\n');
  EXPECT_EQ(tail.text().size(), Tail::capacity);
  EXPECT_TRUE(tail.text().ends_with("line 9999\n"));
  EXPECT_EQ(tail.last_line(), "line 9999");
  tail.append(" \n\n");
  EXPECT_EQ(tail.last_line(), "line 9999");
  EXPECT_EQ(Tail().last_line(), "");
}

TEST(DescribeStatus, TellsStatusAndSignal) {
  EXPECT_EQ(describe_status(0), "");
  EXPECT_EQ(describe_status(3 << 8), "exited with status 3");
  EXPECT_EQ(describe_status(SIGABRT), "killed by SIGABRT");
  EXPECT_EQ(describe_status(SIGKILL), "killed by SIGKILL (out of memory?)");
}

}  // namespace
}  // namespace bindgate
