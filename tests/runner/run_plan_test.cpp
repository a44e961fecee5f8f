#include "runner/run_plan.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <sstream>

#include "launches.hpp"
#include "runner/discover.hpp"

namespace bindgate {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using testing::child_path;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::patient;
using ::testing::SizeIs;
using ::testing::StartsWith;

class Watcher : public RunWatcher {
 public:
  void progress(const Progress& progress) override {
    seen.push_back(progress);
    if (at) at(progress);
  }
  void note(const std::string& text) override { notes.push_back(text); }

  std::vector<Progress> seen;
  std::vector<std::string> notes;
  std::function<void(const Progress&)> at;
};

CaseInfo case_named(const std::string& name) {
  CaseInfo info;
  info.name = name;
  info.preemption = Preemption::cpu_gap;
  return info;
}

class ARun : public testing::NothingLeft {
 protected:
  void SetUp() override {
    directory_ = fs::path(::testing::TempDir()) / ("run_plan_" + std::to_string(getpid()) + '_' +
                                                   ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(directory_);
    fs::create_directories(directory_);
    run_.id = "run";
    run_.started = "2026-01-31T23:59:59Z";
    run_.plan.rounds = 2;
    run_.plan.turns = 4;
    run_.plan.minimum_turns = 2;
    run_.plan.seed = 7;
    run_.plan.variants = {{"none", VariantStatus::ok, "", "", testing::placement_here()}};
    options_.deadlines = patient();
    options_.nodes = {{0, testing::allowed_cpus(), std::uint64_t{1} << 30, "dram"}};
    NothingLeft::SetUp();
  }
  void TearDown() override {
    NothingLeft::TearDown();
    fs::remove_all(directory_);
  }

  void add_variant(const std::string& name) {
    Placement placement = testing::placement_here();
    placement.cpus = IndexSet{*placement.cpus.first()};
    placement.threads = 1;
    run_.plan.variants.push_back({name, VariantStatus::ok, "", "", placement});
  }
  void add_program(const std::string& child, const std::vector<std::string>& cases,
                   std::map<std::string, std::string> environment = {}) {
    environment.emplace("ASAN_OPTIONS", "detect_leaks=0");  // it would dominate the life of so short a process
    PlannedProgram program{child, child_path(child), "", std::move(environment), {}};
    for (const std::string& name : cases) program.cases.push_back(case_named(name));
    run_.plan.programs.push_back(std::move(program));
  }

  Result<RunOutcome> start(const fs::path& where) {
    auto journal = Journal::create(where, run_);
    EXPECT_TRUE(journal) << journal.error().message;
    return run_plan(run_.plan, {}, *journal, options_, stop_, watcher_);
  }
  Result<RunOutcome> start() { return start(directory_ / "run"); }
  Result<RunOutcome> go_on(const fs::path& where) {
    auto journal = Journal::resume(where);
    EXPECT_TRUE(journal) << journal.error().message;
    const auto before = read_run(where);
    EXPECT_TRUE(before) << before.error().message;
    EXPECT_EQ(before->plan, run_.plan);
    return run_plan(before->plan, resumption_of(*before), *journal, options_, stop_, watcher_);
  }
  static bindgate::Run read(const fs::path& where) {
    auto run = read_run(where);
    EXPECT_TRUE(run) << run.error().message;
    return run ? *std::move(run) : bindgate::Run{};
  }
  bindgate::Run read() { return read(directory_ / "run"); }

  static std::vector<const CaseRun*> runs_of(const bindgate::Run& run, const std::string& name) {
    std::vector<const CaseRun*> found;
    for (const Launch& launch : run.launches)
      for (const CaseRun& measured : launch.cases)
        if (measured.name == name) found.push_back(&measured);
    return found;
  }
  // Who took a turn at what, in order of time.
  static std::vector<std::string> sequence(const fs::path& where) {
    std::vector<std::string> turns;
    std::ifstream lines(where / journal_file_name);
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("{\"line\":\"block\"")) turns.push_back(line.substr(0, line.find(",\"nanoseconds\"")));
    return turns;
  }

  fs::path directory_;
  bindgate::Run run_;
  RunOptions options_;
  Watcher watcher_;
};

TEST_F(ARun, MeasuresBaseTwinAndEveryFurtherPlacementInEveryRound) {
  add_variant("one");
  run_.plan.variants.push_back({"twice", VariantStatus::ok, "", "one", run_.plan.variants[1].placement});
  run_.plan.variants.push_back({"never", VariantStatus::skipped, "one node only", "", {}});
  add_program("child_steady", {"steady/fast", "steady/medium"});
  const auto outcome = start();
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->end, RunOutcome::End::finished);
  EXPECT_EQ(outcome->failures, 0u);
  EXPECT_THAT(watcher_.notes, IsEmpty());
  const bindgate::Run run = read();
  EXPECT_TRUE(run.finished);
  EXPECT_THAT(run.rounds, ElementsAre(0, 1));
  ASSERT_THAT(run.launches, SizeIs(6));
  for (unsigned round : {0u, 1u}) {
    std::multiset<std::string> members;
    for (const Launch& launch : run.launches)
      if (launch.round == round) members.insert(launch.member.variant + ' ' + std::string(name_of(launch.member.role)));
    EXPECT_THAT(members, ElementsAre("none base", "none twin", "one other"));
  }
  for (const Launch& launch : run.launches) {
    EXPECT_EQ(launch.failure, "");
    EXPECT_EQ(launch.output_tail, "");
    EXPECT_GT(launch.pid, 0);
    EXPECT_EQ(launch.build_type, "Release");
    EXPECT_EQ(launch.libraries.at("made-up"), "1.0");
    EXPECT_EQ(launch.settings.at("threads"), std::to_string(launch.placement.threads));
    EXPECT_FALSE(launch.loaded.empty());
    EXPECT_EQ(launch.environment.at("OMP_WAIT_POLICY"), "passive");
    EXPECT_TRUE(launch.wall_seconds && launch.others_cpu_seconds && launch.steal_seconds);
    ASSERT_THAT(launch.cases, SizeIs(2));
    for (const CaseRun& measured : launch.cases) {
      EXPECT_EQ(measured.outcome, CaseOutcome::ok);
      EXPECT_THAT(measured.warmup_ns, SizeIs(6));
      EXPECT_TRUE(measured.proof);
    }
    EXPECT_EQ(launch.cases[0].batch, 300);
    EXPECT_THAT(launch.cases[0].blocks, SizeIs(4));
    EXPECT_EQ(launch.cases[1].batch, 1);
    EXPECT_THAT(launch.cases[1].blocks, SizeIs(17)) << "3 samples a block until there are 50 clean ones";
  }
}

TEST_F(ARun, TakesTurnsUntilThereAreFiftyCleanSamplesOrTenSeconds) {
  add_program("child_steady", {"steady/slow", "steady/endless"}, {{"STEADY_CASES", "steady/slow steady/endless"}});
  run_.plan.rounds = 1;
  ASSERT_TRUE(start());
  const bindgate::Run run = read();
  EXPECT_THAT(runs_of(run, "steady/slow")[0]->blocks, SizeIs(50));
  EXPECT_THAT(runs_of(run, "steady/endless")[0]->blocks, SizeIs(25)) << "ten seconds of 400 ms";
}

TEST_F(ARun, TellsWhatIsNotRunAndWhatFailsAndGoesOn) {
  add_program("child_steady", {"steady/absent", "steady/wrong", "steady/fast", "steady/unknown"});
  run_.plan.rounds = 1;
  const auto outcome = start();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->failures, 4u);
  const bindgate::Run run = read();
  for (const Launch& launch : run.launches) {
    ASSERT_THAT(launch.cases, SizeIs(4));
    EXPECT_EQ(launch.cases[0].outcome, CaseOutcome::not_run);
    EXPECT_EQ(launch.cases[0].reason, "made up to be absent");
    EXPECT_EQ(launch.cases[1].outcome, CaseOutcome::failed);
    EXPECT_EQ(launch.cases[1].reason, "expected 1, found 2");
    EXPECT_EQ(launch.cases[2].outcome, CaseOutcome::ok);
    EXPECT_EQ(launch.cases[3].outcome, CaseOutcome::failed);
    EXPECT_THAT(launch.cases[3].reason, HasSubstr("does not know this case"));
  }
  EXPECT_THAT(watcher_.notes, Contains(HasSubstr("round 1, steady/wrong, none: failed: expected 1, found 2")));
  EXPECT_THAT(watcher_.notes, Contains(HasSubstr("none (twin)")));
}

TEST_F(ARun, GoesOnWithoutAMemberThatDies) {
  add_variant("one");
  const std::string victim = (directory_ / "victim").string();
  std::ofstream(victim) << "\n";
  add_program("child_steady", {"steady/fast", "steady/medium", "steady/slow"},
              {{"STEADY_DIE_AT", "steady/medium"}, {"STEADY_DIE_IN", victim}});
  run_.plan.rounds = 1;
  const auto outcome = start();
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->end, RunOutcome::End::finished);
  EXPECT_GT(outcome->failures, 0u);
  const bindgate::Run run = read();
  EXPECT_THAT(run.rounds, ElementsAre(0));
  ASSERT_THAT(run.launches, SizeIs(3));
  int dead = 0;
  for (const Launch& launch : run.launches) {
    ASSERT_THAT(launch.cases, SizeIs(3));
    EXPECT_EQ(launch.cases[0].outcome, CaseOutcome::ok);
    if (launch.failure.empty()) {
      EXPECT_EQ(launch.cases[1].outcome, CaseOutcome::ok);
      EXPECT_EQ(launch.cases[2].outcome, CaseOutcome::ok);
      continue;
    }
    ++dead;
    EXPECT_EQ(launch.failure, "exited with status 3");
    EXPECT_EQ(launch.cases[1].outcome, CaseOutcome::failed);
    EXPECT_EQ(launch.cases[1].reason, "exited with status 3");
    EXPECT_THAT(launch.cases[1].blocks, SizeIs(2)) << "what it measured before it died is kept";
    EXPECT_EQ(launch.cases[2].reason, "its launch had ended: exited with status 3");
  }
  EXPECT_EQ(dead, 1);
}

TEST_F(ARun, RecordsLaunchesThatNeverSaidHello) {
  add_program("child_liar", {"liar/case"}, {{"LIAR_MODE", "no-hello"}});
  run_.plan.rounds = 1;
  ASSERT_TRUE(start());
  const bindgate::Run run = read();
  ASSERT_THAT(run.launches, SizeIs(2));
  for (const Launch& launch : run.launches) {
    EXPECT_EQ(launch.failure, "exited with status 0 before its time");
    ASSERT_THAT(launch.cases, SizeIs(1));
    EXPECT_EQ(launch.cases[0].outcome, CaseOutcome::failed);
  }
}

TEST_F(ARun, KeepsTheOutputOfAFailedLaunch) {
  add_program("child_liar", {"liar/case"}, {{"LIAR_MODE", "crash-in-turn"}});
  run_.plan.rounds = 1;
  ASSERT_TRUE(start());
  for (const Launch& launch : read().launches) EXPECT_EQ(launch.output_tail, "stderr:\nabout to crash\n");
}

TEST_F(ARun, RecordsALaunchWhoseBindingIsRefused) {
  Placement nowhere = testing::placement_here();
  nowhere.cpus = IndexSet{IndexSet::largest_id};
  run_.plan.variants.push_back({"nowhere", VariantStatus::ok, "", "", nowhere});
  add_program("child_steady", {"steady/fast"});
  run_.plan.rounds = 1;
  ASSERT_TRUE(start());
  for (const Launch& launch : read().launches) {
    const bool refused = launch.member.variant == "nowhere";
    EXPECT_EQ(launch.failure.find("sched_setaffinity (EINVAL)") != std::string::npos, refused) << launch.failure;
    EXPECT_EQ(launch.cases.at(0).outcome, refused ? CaseOutcome::failed : CaseOutcome::ok);
  }
}

TEST_F(ARun, FailsACaseInATurnOnlyWhereItFails) {
  add_program("child_liar", {"liar/case"}, {{"LIAR_MODE", "wrong-in-turn"}});
  run_.plan.rounds = 1;
  ASSERT_TRUE(start());
  for (const Launch& launch : read().launches) {
    EXPECT_EQ(launch.failure, "");
    EXPECT_EQ(launch.cases.at(0).reason, "expected 1, found 2");
  }
}

TEST_F(ARun, RefusesBlocksWithoutThePrimaryClock) {
  add_program("child_liar", {"liar/case"}, {{"LIAR_MODE", "no-primary"}});
  run_.plan.rounds = 1;
  ASSERT_TRUE(start());
  for (const Launch& launch : read().launches) {
    EXPECT_EQ(launch.failure, "");
    EXPECT_THAT(launch.cases.at(0).reason, HasSubstr("primary clock, wall"));
  }
}

TEST_F(ARun, RefusesWorkingSetsThatDoNotFitTogether) {
  add_program("child_steady", {"steady/huge", "steady/fast"}, {{"STEADY_CASES", "steady/huge steady/fast"}});
  run_.plan.rounds = 1;
  ASSERT_TRUE(start());
  for (const Launch& launch : read().launches) {
    EXPECT_EQ(launch.failure, "");
    EXPECT_EQ(launch.cases.at(0).outcome, CaseOutcome::failed);
    EXPECT_THAT(launch.cases.at(0).reason, StartsWith("the working sets of 2 launches need 2.00 PiB of node 0"));
    EXPECT_THAT(launch.cases.at(0).blocks, IsEmpty());
    EXPECT_EQ(launch.cases.at(1).outcome, CaseOutcome::ok);
  }
}

TEST_F(ARun, RepeatsADisturbedTurnOnceAndMarksIt) {
  add_program("child_steady", {"steady/fast"}, {{"STEADY_DISTURBED", "steady/fast"}});
  run_.plan.rounds = 1;
  ASSERT_TRUE(start());
  for (const Launch& launch : read().launches) {
    std::vector<std::string> turns;
    for (const Block& block : launch.cases.at(0).blocks)
      turns.push_back(std::to_string(block.turn) + '.' + std::to_string(block.attempt) + ' ' + block.disturbed);
    EXPECT_THAT(turns, ElementsAre("0.0 ", "1.0 2 forced switches by others", "1.1 ", "2.0 ", "3.0 "));
  }
}

TEST_F(ARun, RepeatsNoMoreThanAQuarterOfTheTurns) {
  add_program("child_steady", {"steady/fast"}, {{"STEADY_DISTURBED", "steady/fast"}});
  run_.plan.rounds = 1;
  run_.plan.turns = 3;
  ASSERT_TRUE(start());
  for (const Launch& launch : read().launches) EXPECT_THAT(launch.cases.at(0).blocks, SizeIs(3));
}

TEST_F(ARun, RepeatsItsOrderOfTurnsWithItsSeed) {
  add_variant("one");
  add_program("child_steady", {"steady/fast", "steady/medium"});
  ASSERT_TRUE(start(directory_ / "a"));
  ASSERT_TRUE(start(directory_ / "b"));
  run_.plan.seed = 8;
  ASSERT_TRUE(start(directory_ / "c"));
  const auto order = sequence(directory_ / "a");
  EXPECT_THAT(order, SizeIs(2 * 3 * (4 + 17)));
  EXPECT_EQ(order, sequence(directory_ / "b"));
  EXPECT_NE(order, sequence(directory_ / "c"));
}

TEST_F(ARun, StartsNoRoundThatItsBudgetHasNoRoomFor) {
  add_program("child_steady", {"steady/fast"});
  options_.budget = std::chrono::nanoseconds(1);
  const auto outcome = start();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->end, RunOutcome::End::out_of_budget);
  EXPECT_THAT(outcome->reason, HasSubstr("1 of 2 rounds are complete"));
  const bindgate::Run run = read();
  EXPECT_THAT(run.rounds, ElementsAre(0));
  EXPECT_EQ(run.stopped, outcome->reason);
  EXPECT_FALSE(run.finished);
  options_.budget = std::chrono::hours(24);
  ASSERT_TRUE(go_on(directory_ / "run"));
  EXPECT_TRUE(read().finished);
}

TEST_F(ARun, EndsWhenInterruptedAndGoesOnLater) {
  add_program("child_steady", {"steady/fast", "steady/medium"});
  watcher_.at = [this](const Progress& progress) {
    if (progress.round == 1 && progress.case_index == 1 && progress.case_done > 0.5) stop_.raise(SIGINT);
  };
  const auto outcome = start();
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->end, RunOutcome::End::interrupted);
  EXPECT_EQ(outcome->reason, "interrupted by SIGINT");
  EXPECT_THAT(children_of(getpid()), IsEmpty());
  const bindgate::Run run = read();
  EXPECT_THAT(run.rounds, ElementsAre(0));
  EXPECT_EQ(run.stopped, "interrupted by SIGINT");
  EXPECT_THAT(run.abandoned, SizeIs(2));

  StopRequest fresh;
  auto journal = Journal::resume(directory_ / "run");
  ASSERT_TRUE(journal);
  watcher_.at = nullptr;
  const auto rest = run_plan(run.plan, resumption_of(run), *journal, options_, fresh, watcher_);
  ASSERT_TRUE(rest) << rest.error().message;
  EXPECT_THAT(read().rounds, ElementsAre(0, 1));
  EXPECT_TRUE(read().finished);
}

TEST_F(ARun, EndsWithOneLineWhenTheDiskIsFull) {
  add_program("child_steady", {"steady/fast"});
  auto journal = Journal::create(directory_ / "run", run_);
  ASSERT_TRUE(journal);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit limit = before;
  limit.rlim_cur = fs::file_size(directory_ / "run" / journal_file_name) + 5000;
  setrlimit(RLIMIT_FSIZE, &limit);
  const auto outcome = run_plan(run_.plan, {}, *journal, options_, stop_, watcher_);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, AllOf(HasSubstr(journal_file_name), HasSubstr("write (EFBIG)")));
  EXPECT_THAT(children_of(getpid()), IsEmpty());
  EXPECT_THAT(read().rounds, IsEmpty());
}

TEST_F(ARun, TakesOnlyTheBuildThatWasPlanned) {
  add_program("child_steady", {"steady/fast"});
  run_.plan.programs[0].build_id = content_hash(child_path("child_steady")).value_or("");
  EXPECT_TRUE(start(directory_ / "same"));
  run_.plan.programs[0].build_id = "0123456789abcdef";
  const auto outcome = start(directory_ / "other");
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("is another build"));
}

TEST_F(ARun, ShowsProgressThatOnlyRises) {
  add_program("child_steady", {"steady/fast"});
  add_program("child_liar", {"liar/case"});
  ASSERT_TRUE(start());
  double done = 0;
  for (const Progress& progress : watcher_.seen) {
    EXPECT_GE(progress.done, done);
    EXPECT_LT(progress.case_index + progress.case_done, progress.cases + 1);
    done = progress.done;
  }
  EXPECT_EQ(watcher_.seen.back().cases, 2u);
  EXPECT_TRUE(watcher_.seen.back().left);
}

TEST_F(ARun, IsCompletedFromEveryPrefixOfItsJournal) {
  add_program("child_steady", {"steady/fast", "steady/wrong"});
  run_.plan.turns = 2;
  ASSERT_TRUE(start());
  const std::string whole = read_file(directory_ / "run" / journal_file_name).value_or("");
  std::vector<std::size_t> ends;  // of lines, and within some
  for (std::size_t feed = whole.find('\n'); feed != std::string::npos; feed = whole.find('\n', feed + 1)) {
    ends.push_back(feed + 1);
    if (ends.size() % 9 == 1 && feed + 12 < whole.size()) ends.push_back(feed + 12);
  }
  EXPECT_GT(ends.size(), 40u);
  for (const std::size_t end : ends) {
    const fs::path where = directory_ / ("prefix_" + std::to_string(end));
    fs::create_directories(where);
    std::ofstream(where / journal_file_name) << whole.substr(0, end);
    const auto outcome = go_on(where);
    ASSERT_TRUE(outcome) << end << ": " << outcome.error().message;
    const bindgate::Run run = read(where);
    EXPECT_THAT(run.rounds, ElementsAre(0, 1)) << end;
    EXPECT_TRUE(run.finished) << end;
    std::map<unsigned, int> launches;
    for (const Launch& launch : run.launches) {
      if (run.abandoned.contains(launch.id)) continue;
      ++launches[launch.round];
      ASSERT_THAT(launch.cases, SizeIs(2)) << end;
      EXPECT_EQ(launch.cases[0].outcome, CaseOutcome::ok) << end;
      EXPECT_EQ(launch.cases[1].outcome, CaseOutcome::failed) << end;
      EXPECT_TRUE(launch.wall_seconds) << end;
    }
    EXPECT_THAT(launches, ElementsAre(std::pair(0u, 2), std::pair(1u, 2))) << end;
    fs::remove_all(where);
  }
}

}  // namespace
}  // namespace bindgate
