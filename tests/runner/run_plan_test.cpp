#include "runner/run_plan.hpp"

#include <sys/resource.h>

#include <csignal>

#include "runs.hpp"

namespace bindgate {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using testing::child_path;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ARun : public testing::RunOfChildren {};

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

TEST_F(ARun, AccountsForItsTimeAndGoesOnDoingSo) {
  add_program("child_steady", {"steady/fast"});
  options_.budget = std::chrono::nanoseconds(1);
  options_.planning = std::chrono::hours(1);
  const auto outcome = start();
  ASSERT_TRUE(outcome);
  const Spent first = outcome->spent;
  EXPECT_EQ(read().spent, first);
  EXPECT_EQ(first.planning, 3600);
  EXPECT_GT(first.start_up, 0);
  EXPECT_GT(first.journal, 0);
  EXPECT_GT(first.proof, 0);
  EXPECT_GT(first.tear_down, 0);
  const double blocks = 2 * 4 * 17 * 300e-6;  // of what the program claims, by which it is told from `protocol`
  EXPECT_NEAR(first.blocks, blocks, 1e-9);
  EXPECT_NEAR(first.readings, 2 * 4 * 4 * 500e-6, 1e-9);
  EXPECT_GT(first.wall, 3600);
  options_.budget.reset();
  options_.planning = std::chrono::nanoseconds(0);
  ASSERT_TRUE(go_on(directory_ / "run"));
  const Spent whole = read().spent;
  EXPECT_NEAR(whole.blocks, 2 * blocks, 1e-9);
  EXPECT_GT(whole.wall, first.wall);
  EXPECT_EQ(whole.planning, 3600);
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
