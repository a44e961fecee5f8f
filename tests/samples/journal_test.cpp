#include "samples/journal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <functional>
#include <map>

#include "support/example_list.hpp"
#include "support/example_run.hpp"
#include "support/scratch_directory.hpp"

namespace bindgate {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::StartsWith;

std::string error_of(const auto& result) { return result ? "no error" : result.error().message; }

void require(const Result<void>& result) { ASSERT_TRUE(result) << error_of(result); }

/// Writes `run` as the runner would: each launch by its lines, each round when its last launch has ended.
void write_launches(Journal& journal, const Run& run) {
  for (std::size_t i = 0; i < run.launches.size(); ++i) {
    const Launch& launch = run.launches[i];
    require(journal.launch_started(launch));
    for (const CaseRun& measured : launch.cases) {
      require(journal.case_started(launch.id, measured));
      for (const Block& block : measured.blocks) require(journal.block(launch.id, measured.name, block));
      require(journal.case_ended(launch.id, measured));
    }
    require(journal.launch_ended(launch));
    const bool last_of_round = i + 1 == run.launches.size() || run.launches[i + 1].round != launch.round;
    if (last_of_round && run.rounds.contains(launch.round)) require(journal.round_completed(launch.round));
  }
}

void write_run(const std::filesystem::path& directory, const Run& run) {
  auto journal = Journal::create(directory, run);
  ASSERT_TRUE(journal) << error_of(journal);
  write_launches(*journal, run);
  if (!run.stopped.empty()) require(journal->stopped(run.stopped));
  if (run.finished) require(journal->finished());
}

class JournalTest : public ::testing::Test {
 protected:
  using Run = bindgate::Run;  // the base class has a function of this name

  std::filesystem::path file() const { return directory_ / "run/run.jsonl"; }
  std::filesystem::path run_directory() const { return directory_ / "run"; }

  std::vector<std::string> lines_of(const Run& run) {
    write_run(run_directory(), run);
    std::vector<std::string> lines;
    std::istringstream text(text_of(file()));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }

  /// What reading says of the journal made of these lines; "FILE" stands for its path.
  std::string error_in(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    write_text(file(), text);
    const auto run = read_run(run_directory());
    if (run) return "no error";
    std::string error = run.error().message;
    if (const auto place = error.find(file().string()); place != std::string::npos)
      error.replace(place, file().string().size(), "FILE");
    return error;
  }

  ScratchDirectory directory_;
};

TEST_F(JournalTest, GivesBackExactlyTheRunThatWasWritten) {
  Run run = example_run();
  run.plan.list = example_list();
  run.plan.left_out = {{"matmul/f32/m=4096", "left out of the nightly list"}, {"conv/x", "outside profile nightly"}};
  run.launches[1].cases[0].outcome = CaseOutcome::failed;
  run.launches[1].cases[0].reason = "expected 1.0, found \"2.0\"\nat 7";
  run.launches[1].cases[0].figures = {{"share_waiting", 0.25}};
  run.launches[1].cases[0].proof = Proof{ProofStatus::violated, "thread 12 ran on CPU 3", 2, {}, 0};
  Proof& evident = run.launches[2].cases[0].proof.emplace(*run.launches[2].cases[0].proof);
  evident.node_bytes_before = {{0, 4096}};
  evident.ran_on = {0, 2};
  evident.policies = {"bind:0"};
  evident.thread_policies = {"bind:0", "default"};
  evident.beside = {{"heap", "default", {{0, 1}, {1, 33554432}}}, {"", "bind:0", {{0, 16777216}}}};
  evident.huge_page_bytes = std::map<std::uint64_t, std::uint64_t>{{2097152, 67108864}};
  evident.balanced_bytes = 4096;
  evident.throttled_seconds = 0.5;
  evident.frequencies = {1'800'000, 3'200'000};
  run.launches[2].failure = "killed by SIGSEGV";
  run.launches[2].output_tail = "line 1\nline 2\n";
  run.launches[2].wall_seconds.reset();
  run.launches[2].steal_seconds.reset();
  write_run(run_directory(), run);
  const auto read = read_run(run_directory());
  ASSERT_TRUE(read) << error_of(read);
  EXPECT_EQ(*read, run);
  EXPECT_EQ(read_run(file()).value(), run) << "the journal itself may be named, too";
}

TEST_F(JournalTest, StillReadsLeftOutCasesWithoutAReason) {
  auto lines = lines_of(example_run());
  const std::string from = "\"left_out\":[]";
  const auto place = lines[0].find(from);
  ASSERT_NE(place, std::string::npos);
  lines[0].replace(place, from.size(), "\"left_out\":[\"conv/x\"]");
  EXPECT_EQ(error_in(lines), "no error");
  EXPECT_THAT(read_run(file())->plan.left_out, ElementsAre(LeftOut{"conv/x", "outside profile quick"}));
}

TEST_F(JournalTest, NeverWaitsForAPipeOrADevice) {
  std::filesystem::create_directories(run_directory());
  ASSERT_EQ(mkfifo(file().c_str(), 0600), 0);
  for (const std::filesystem::path& run : {run_directory(), file(), std::filesystem::path("/dev/zero")})
    EXPECT_THAT(error_of(read_run(run)), EndsWith(": is a pipe, device or socket; name the directory that bindgate run wrote"));
}

TEST_F(JournalTest, GivesBackAnEmptyRun) {
  Run run;
  run.id = "r";
  write_run(run_directory(), run);
  const auto read = read_run(run_directory());
  ASSERT_TRUE(read) << error_of(read);
  EXPECT_EQ(*read, run);
}

TEST_F(JournalTest, KeepsWhyARunWasStopped) {
  Run run = example_run();
  run.finished = false;
  run.stopped = "interrupted by SIGINT";
  write_run(run_directory(), run);
  EXPECT_EQ(read_run(run_directory()).value(), run);
}

TEST_F(JournalTest, AbandonsLaunchesOfARoundThatDidNotEnd) {
  Run run = example_run();
  run.rounds.erase(1);
  run.finished = false;
  write_run(run_directory(), run);
  const auto read = read_run(run_directory());
  ASSERT_TRUE(read);
  EXPECT_THAT(read->rounds, ElementsAre(0));
  EXPECT_THAT(read->abandoned, ElementsAre(3, 4, 5));
}

TEST_F(JournalTest, LeavesOutATornLastLine) {
  auto lines = lines_of(example_run());
  const std::string torn = lines.back().substr(0, 10);
  lines.pop_back();
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  for (const std::string& tail : {torn, std::string(3, '\0'), std::string("{}")}) {
    write_text(file(), text + tail);
    const auto read = read_run(run_directory());
    ASSERT_TRUE(read) << error_of(read);
    EXPECT_FALSE(read->finished);
    EXPECT_EQ(read->rounds.size(), 2u);
  }
}

TEST_F(JournalTest, ReadsAtEveryByteThatACrashMayLeave) {
  Run run;
  run.id = "small";
  run.launches = {example_launch(0, 0, "none", Role::base)};
  run.launches[0].cases[0].blocks.resize(1);
  run.rounds = {0};
  write_run(run_directory(), run);
  const std::string whole = text_of(file());
  const std::size_t header = whole.find('\n') + 1;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    write_text(file(), whole.substr(0, size));
    const auto read = read_run(run_directory());
    if (size < header)
      EXPECT_EQ(error_of(read),
                file().string() + ": holds no whole line; the run ended before it began, remove it and start again");
    else
      ASSERT_TRUE(read) << size << ": " << error_of(read);
  }
}

TEST_F(JournalTest, ResumesBetweenAnyTwoLines) {
  const Run run = example_run();
  const auto lines = lines_of(run);
  std::string text;
  for (std::size_t count = 0; count <= lines.size(); ++count) {
    for (const std::string_view torn : {"", "{\"line\":\"blo"}) {
      write_text(file(), text + std::string(torn));
      auto journal = Journal::resume(run_directory());
      if (count == 0) {
        EXPECT_EQ(error_of(journal),
                  file().string() + ": holds no whole line; the run ended before it began, remove it and start again");
        EXPECT_EQ(text_of(file()), torn) << "what cannot be resumed is left as it was";
        continue;
      }
      ASSERT_TRUE(journal) << error_of(journal);
      EXPECT_EQ(text_of(file()), text + "{\"line\":\"resumed\"}\n");
      ASSERT_TRUE(read_run(run_directory()));
    }
    if (count < lines.size()) text += lines[count] + '\n';
  }
}

TEST_F(JournalTest, CountsARoundOnceThoughItWasBegunTwice) {
  Run run = example_run();
  run.rounds = {0};
  run.finished = false;
  write_run(run_directory(), run);
  {
    auto journal = Journal::resume(run_directory());
    ASSERT_TRUE(journal) << error_of(journal);
    Run again = example_run_header();
    again.launches = {example_launch(6, 1, "none", Role::base)};
    again.rounds = {1};
    write_launches(*journal, again);
    require(journal->finished());
  }
  const auto read = read_run(run_directory());
  ASSERT_TRUE(read) << error_of(read);
  EXPECT_THAT(read->rounds, ElementsAre(0, 1));
  EXPECT_THAT(read->abandoned, ElementsAre(3, 4, 5)) << "those cut off, and not launch 6";
  EXPECT_TRUE(read->finished);
}

TEST_F(JournalTest, ForgetsWhyItStoppedOnceItGoesOn) {
  Run run = example_run();
  run.finished = false;
  run.stopped = "interrupted by SIGINT";
  write_run(run_directory(), run);
  ASSERT_TRUE(Journal::resume(run_directory()));
  EXPECT_EQ(read_run(run_directory()).value().stopped, "");
}

TEST_F(JournalTest, HasOneWriterAtATime) {
  auto first = Journal::create(run_directory(), example_run_header());
  ASSERT_TRUE(first);
  EXPECT_EQ(error_of(Journal::resume(run_directory())),
            file().string() + ": another bindgate is still writing this run; wait for it or stop it");
}

TEST_F(JournalTest, NeverOverwritesARun) {
  ASSERT_TRUE(Journal::create(run_directory(), example_run_header()));
  const std::string before = text_of(file());
  EXPECT_EQ(error_of(Journal::create(run_directory(), example_run_header())),
            file().string() + ": a run is already there; continue it with --resume " + run_directory().string() +
                " or name a new directory with --out");
  EXPECT_EQ(text_of(file()), before);
}

TEST_F(JournalTest, SaysWhyNothingCanBeWritten) {
  write_text(directory_ / "file", "");
  EXPECT_EQ(error_of(Journal::create(directory_ / "file/run", example_run_header())),
            (directory_ / "file/run").string() +
                ": mkdir (ENOTDIR): Not a directory; a file stands where a directory is needed, choose another place "
                "with --out");
  EXPECT_EQ(error_of(Journal::create(directory_ / "file", example_run_header())),
            (directory_ / "file").string() +
                ": mkdir (ENOTDIR): Not a directory; a file stands where a directory is needed, choose another place "
                "with --out");
  EXPECT_EQ(error_of(Journal::resume(directory_ / "absent")),
            (directory_ / "absent/run.jsonl").string() + ": there is no run to resume; check the directory");
  std::filesystem::permissions(directory_.path(), static_cast<std::filesystem::perms>(0555));
  const WithoutPrivileges nobody;
  EXPECT_EQ(error_of(Journal::create(run_directory(), example_run_header())),
            run_directory().string() +
                ": mkdir (EACCES): Permission denied; check the permissions or choose another place with --out");
}

TEST_F(JournalTest, LeavesNothingWhenNotEvenTheHeaderFits) {
  {
    const SmallFilesOnly limit(50);
    EXPECT_THAT(error_of(Journal::create(run_directory(), example_run_header())),
                StartsWith(file().string() + ": write (EFBIG)"));
  }
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(JournalTest, CutsOffALineThatDidNotFitAndCanBeResumed) {
  auto journal = Journal::create(run_directory(), example_run_header());
  ASSERT_TRUE(journal);
  const std::string before = text_of(file());
  {
    const SmallFilesOnly limit(before.size() + 100);
    EXPECT_EQ(
        error_of(journal->launch_started(example_launch(0, 0, "none", Role::base))),
        file().string() + ": write (EFBIG): File too large; raise the limit on file sizes (ulimit -f), then resume");
  }
  EXPECT_EQ(text_of(file()), before);
  EXPECT_TRUE(journal->launch_started(example_launch(0, 0, "none", Role::base)));
  EXPECT_TRUE(read_run(run_directory()));
}

TEST_F(JournalTest, RefusesFilesOfAnotherKind) {
  const std::string not_json = ":1: is not JSON (column 1): ";
  write_text(file(),
             "\x7f"
             "ELF\x02\x01\n more\n");
  EXPECT_THAT(error_of(read_run(file())), StartsWith(file().string() + not_json));
  write_text(file(), "commit 123\nAuthor\n");
  EXPECT_THAT(error_of(read_run(file())), StartsWith(file().string() + not_json));
  write_text(file(), "");
  EXPECT_EQ(error_of(read_run(file())),
            file().string() + ": holds no whole line; the run ended before it began, remove it and start again");
  write_text(file(), "\n\n");
  EXPECT_EQ(error_of(read_run(file())), file().string() + ":1: is empty; expected JSON");
}

TEST_F(JournalTest, SaysWhatStandsInPlaceOfARun) {
  EXPECT_EQ(error_of(read_run(directory_ / "absent")),
            (directory_ / "absent").string() + ": there is no run; name the directory that bindgate run wrote");
  EXPECT_EQ(error_of(read_run(directory_.path())),
            (directory_ / "run.jsonl").string() + ": there is no run; name the directory that bindgate run wrote");
  std::filesystem::create_directories(file());
  EXPECT_EQ(error_of(read_run(run_directory())),
            file().string() + ": is a directory; name the directory that bindgate run wrote");
}

TEST_F(JournalTest, SaysThatItMayNotBeRead) {
  write_run(run_directory(), example_run());
  std::filesystem::permissions(directory_.path(), static_cast<std::filesystem::perms>(0755));
  std::filesystem::permissions(file(), std::filesystem::perms::none);
  const WithoutPrivileges nobody;
  EXPECT_EQ(error_of(read_run(run_directory())),
            file().string() + ": open (EACCES): Permission denied; check the permissions");
}

TEST_F(JournalTest, SaysThatItsFolderMayNotBeEntered) {
  write_run(run_directory(), example_run());
  std::filesystem::permissions(directory_.path(), std::filesystem::perms::none);
  const WithoutPrivileges nobody;
  EXPECT_THAT(error_of(read_run(run_directory())),
              EndsWith(": open (EACCES): Permission denied; check the permissions"));
}

TEST_F(JournalTest, NamesFileLineAndKeyOfEveryFault) {
  const auto lines = lines_of(example_run());
  const auto with = [&](std::size_t number, const std::string& from, const std::string& to) {
    auto changed = lines;
    const auto place = changed[number - 1].find(from);
    EXPECT_NE(place, std::string::npos) << changed[number - 1];
    changed[number - 1].replace(place, from.size(), to);
    return error_in(changed);
  };
  EXPECT_EQ(with(1, "bindgate.journal/1", "bindgate.journal/2"),
            "FILE:1: $.schema: expected \"bindgate.journal/1\", found \"bindgate.journal/2\"; read this run with the "
            "bindgate that wrote it");
  EXPECT_EQ(with(1, "\"id\":\"2026-01-31T23-59-59Z\"", "\"id\":\"\""),
            "FILE:1: $.id: a run needs an id; is it a run's journal?");
  EXPECT_EQ(with(1, "\"quick\"", "\"quik\""),
            "FILE:1: $.plan.programs[0].cases[0].profile: unknown value \"quik\"; did you mean 'quick'?");
  EXPECT_EQ(with(1, "\"cpus\":\"0-1\"", "\"cpus\":\"1-0\""), "no error") << "the machine is carried unread";
  EXPECT_EQ(with(2, "\"line\":\"launch\"", "\"line\":\"lunch\""),
            "FILE:2: $.line: unknown value \"lunch\"; did you mean 'launch'?");
  EXPECT_EQ(with(2, "\"cpus\":\"0-1\"", "\"cpus\":\"1-0\""),
            "FILE:2: $.placement.cpus: range '1-0' runs backwards; write the lower id first");
  EXPECT_EQ(with(2, "\"role\":\"base\"", "\"role\":\"bass\""),
            "FILE:2: $.member.role: unknown value \"bass\"; did you mean 'base'?");
  EXPECT_EQ(with(2, "\"pid\":4711", "\"pid\":99999999999"),
            "FILE:2: $.pid: expected a whole number from 0 to 2147483647, found 99999999999");
  EXPECT_EQ(with(3, "\"batch\":4", "\"batch\":0"),
            "FILE:3: $.batch: expected a whole number from 1 to 1000000000, found 0");
  EXPECT_EQ(with(4, "[510000,", "[-510000,"),
            "FILE:4: $.nanoseconds.wall[0]: expected a whole number from 0 to 1000000000000000, found -510000");
  EXPECT_THAT(with(4, "[510000,", "[NaN,"), StartsWith("FILE:4: is not JSON (column 222): "));
  EXPECT_EQ(with(4, "\"launch\":0", "\"launch\":9"),
            "FILE:4: $.launch: no launch with this id was started before this line");
  EXPECT_EQ(with(4, "matmul/f32/m=1", "matmul/f32/m=2"),
            "FILE:4: $.case: this launch has not started case \"matmul/f32/m=2\"");
  EXPECT_EQ(with(6, "\"0\":67125248", "\"x\":67125248"), "FILE:6: $.proof.node_bytes.x: a node's id must be a number");
  EXPECT_EQ(with(6, "\"status\":\"held\"", "\"status\":\"hold\""),
            "FILE:6: $.proof.status: unknown value \"hold\"; did you mean 'held'?");
  EXPECT_EQ(with(6, "\"threads\":3", "\"threads\":0"),
            "FILE:6: $.proof.threads: a proof that held has seen a thread, found 0; the journal was changed by hand");
  EXPECT_EQ(with(7, "1.5", "-1.5"), "FILE:7: $.wall_seconds: expected a number from 0.0 to 1000000000.0, found -1.5");
}

TEST_F(JournalTest, RefusesLinesThatContradictEarlierOnes) {
  const auto lines = lines_of(example_run());
  const auto with_extra = [&](std::size_t after, const std::string& line) {
    auto changed = lines;
    changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(after), line);
    return error_in(changed);
  };
  EXPECT_EQ(with_extra(1, lines[0]), "FILE:2: $.line: a second header; two runs were mixed in one file");
  EXPECT_EQ(with_extra(7, lines[1]), "FILE:8: $.launch: ids of launches must rise from line to line");
  EXPECT_EQ(with_extra(3, lines[2]), "FILE:4: $.case: case \"matmul/f32/m=1\" was started twice in this launch");
  EXPECT_EQ(with_extra(6, lines[4]), "FILE:7: $.case: case \"matmul/f32/m=1\" of this launch ended before this line");
  EXPECT_EQ(with_extra(6, lines[5]), "FILE:7: $.case: case \"matmul/f32/m=1\" of this launch ended before this line");
  EXPECT_EQ(error_in({lines.begin() + 1, lines.end()}),
            "FILE:1: $.line: the first line must be the run's header; is it a run's journal?");
  EXPECT_EQ(with_extra(2, std::string(100'000, '[')),
            "FILE:3: is nested deeper than 100 levels; is it the right file?");
  EXPECT_THAT(with_extra(2, lines[2].substr(0, 20)), StartsWith("FILE:3: is not JSON (column 21): "))
      << "only the last line may be torn";
}

TEST_F(JournalTest, RefusesAPlanThatNamesACaseTwice) {
  Run run = example_run();
  run.plan.programs[0].cases.push_back(run.plan.programs[0].cases[0]);
  EXPECT_EQ(error_in(lines_of(run)),
            "FILE:1: $.plan.programs[0].cases[1].name: case \"matmul/f32/m=1\" is planned twice; every case needs its "
            "own name");
}

TEST_F(JournalTest, EveryLineLost_IsReadOrRefusedInOneLine) {
  const auto lines = lines_of(example_run());
  for (std::size_t lost = 0; lost < lines.size(); ++lost) {
    auto rest = lines;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(lost));
    if (const std::string error = error_in(rest); error != "no error") {
      EXPECT_THAT(error, StartsWith("FILE:"));
      EXPECT_EQ(error.find('\n'), std::string::npos);
    }
  }
}

TEST_F(JournalTest, HandsOverEachCaseOnceWithAllItsBlocks) {
  Run run = example_run();
  run.launches[4].cases[0].outcome = CaseOutcome::unfinished;
  run.rounds.erase(1);
  run.finished = false;
  auto lines = lines_of(run);
  std::erase_if(lines, [](const std::string& line) {
    return line.find("\"line\":\"case_ended\",\"launch\":4") != std::string::npos;
  });
  EXPECT_EQ(error_in(lines), "no error");
  std::map<unsigned, std::size_t> blocks;
  const auto read = read_run(run_directory(), [&](const Plan& plan, Launch& launch, CaseRun& measured) {
    EXPECT_EQ(plan, run.plan);
    EXPECT_FALSE(blocks.contains(launch.id));
    blocks[launch.id] = measured.blocks.size();
    measured.blocks.clear();
  });
  ASSERT_TRUE(read) << error_of(read);
  EXPECT_THAT(blocks, ElementsAre(Pair(0, 2), Pair(1, 2), Pair(2, 2), Pair(3, 2), Pair(4, 2), Pair(5, 2)))
      << "the one that never ended, too";
  for (const Launch& launch : read->launches) EXPECT_THAT(launch.cases[0].blocks, IsEmpty());
}

TEST_F(JournalTest, HandsOverNoCaseWhoseLastLineIsFaulty) {
  auto lines = lines_of(example_run());
  lines[5].replace(lines[5].find("\"held\""), 6, "\"hold\"");
  error_in(lines);
  const auto read = read_run(run_directory(), [](const Plan&, Launch&, CaseRun&) { ADD_FAILURE(); });
  EXPECT_THAT(error_of(read), HasSubstr("$.proof.status"));
}

TEST_F(JournalTest, CarriesAMachineThatIsNoJsonAsNothing) {
  Run run = example_run();
  run.machine = "{broken";
  write_run(run_directory(), run);
  EXPECT_EQ(read_run(run_directory()).value().machine, "");
}

}  // namespace
}  // namespace bindgate
