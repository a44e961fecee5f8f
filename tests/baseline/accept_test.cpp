#include "baseline/accept.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baseline/store.hpp"
#include "support/example_list.hpp"
#include "support/example_night.hpp"
#include "support/example_run.hpp"
#include "support/scratch_directory.hpp"

namespace bindgate {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string error_of(const auto& result) { return result ? "no error" : result.error().message; }

class AcceptTest : public ::testing::Test {
 protected:
  using Run = bindgate::Run;  // the base class has a function of this name

  static Run run_named(const std::string& id) {
    Run run = example_run();
    run.id = id;
    run.fingerprint = example_fingerprint();
    return run;
  }

  static std::vector<CaseHistory> summaries_of(const Run& run) {
    return {example_history("b/two", run.id), example_history("a/one", run.id)};
  }

  Result<AcceptedNight> accept(const Run& run, AcceptOptions options = {}) {
    options.accepted = "2026-02-01T06:00:00Z";
    return accept_night(baselines(), run, summaries_of(run), options);
  }

  Baseline stored() {
    const auto baseline = load_baseline(baselines(), example_fingerprint());
    EXPECT_TRUE(baseline) << error_of(baseline);
    return baseline.value_or(Baseline{});
  }

  std::filesystem::path baselines() const { return directory_ / "baselines"; }
  std::filesystem::path folder() const { return baseline_folder(baselines(), example_fingerprint()); }
  std::filesystem::path file(const char* case_name) const {
    return baseline_file(baselines(), example_fingerprint(), case_name);
  }

  ScratchDirectory directory_;
};

TEST_F(AcceptTest, StoresTheFirstNight) {
  const auto accepted =
      accept(run_named("run-1"), {.accepted = {}, .note = "first", .new_level = false, .force = false});
  ASSERT_TRUE(accepted) << error_of(accepted);
  EXPECT_TRUE(accepted->first);
  EXPECT_EQ(accepted->folder, folder());
  EXPECT_THAT(accepted->cases, ElementsAre("b/two", "a/one"));
  EXPECT_EQ(accepted->night.level, 0u);
  EXPECT_THAT(accepted->against, IsEmpty());
  const Baseline baseline = stored();
  ASSERT_EQ(baseline.cases.size(), 2u);
  const Night& night = baseline.cases[0].nights.at(0);
  EXPECT_EQ(night.run, "run-1");
  EXPECT_EQ(night.measured, "2026-01-31T23:59:59Z");
  EXPECT_EQ(night.accepted, "2026-02-01T06:00:00Z");
  EXPECT_EQ(night.note, "first");
  EXPECT_FALSE(night.forced);
  EXPECT_EQ(night.environment, example_run().environment);
  EXPECT_EQ(night.variants, example_night("x").variants);
  EXPECT_EQ(files_in(folder()), 2u) << "no temporary file is left";
}

TEST_F(AcceptTest, AppendsNightsInOrderOfAcceptance) {
  for (const char* id : {"run-1", "run-2", "run-3"}) ASSERT_TRUE(accept(run_named(id)));
  EXPECT_FALSE(accept(run_named("run-4"))->first);
  const Baseline baseline = stored();
  ASSERT_EQ(baseline.cases[0].nights.size(), 4u);
  EXPECT_EQ(baseline.cases[0].nights[2].run, "run-3");
}

TEST_F(AcceptTest, StartsALevelOnlyWithANote) {
  ASSERT_TRUE(accept(run_named("run-1")));
  EXPECT_EQ(error_of(accept(run_named("run-2"), {.accepted = {}, .note = {}, .new_level = true, .force = false})),
            "--new-level needs --note TEXT; say what was changed on purpose");
  const auto accepted =
      accept(run_named("run-2"), {.accepted = {}, .note = "new libtorch", .new_level = true, .force = false});
  ASSERT_TRUE(accepted) << error_of(accepted);
  EXPECT_EQ(accepted->night.level, 1u);
  ASSERT_TRUE(accept(run_named("run-3")));
  const auto nights = stored().cases[0].nights;
  EXPECT_EQ(nights[1].level, 1u);
  EXPECT_EQ(nights[2].level, 1u) << "later nights stay on the new level";
}

TEST_F(AcceptTest, LeavesTheLevelOfCasesThatTheRunDidNotMeasure) {
  ASSERT_TRUE(accept(run_named("run-1")));
  const Run run = run_named("run-2");
  ASSERT_TRUE(accept_night(baselines(), run, {example_history("a/one", run.id)},
                           {.accepted = "2026-02-02T06:00:00Z", .note = "n", .new_level = true, .force = false}));
  ASSERT_TRUE(accept(run_named("run-3")));
  const Baseline baseline = stored();
  EXPECT_EQ(baseline.cases[0].nights.back().level, 1u);
  EXPECT_EQ(baseline.cases[1].nights.back().level, 0u) << "its nights go on counting";
}

TEST_F(AcceptTest, NamesThePlannedCasesThatHaveNoUsableLaunch) {
  Run run = run_named("run-1");
  run.plan.programs[0].cases = {example_case("b/two"), example_case("c/never"), example_case("a/one"),
                                example_case("d/broken")};
  EXPECT_THAT(accept(run)->unusable, ElementsAre("c/never", "d/broken"));
}

TEST_F(AcceptTest, KeepsTheNightlyListOfTheFirstRunThatHasOne) {
  ASSERT_FALSE(accept(run_named("run-1"))->nightly_list);
  EXPECT_EQ(load_nightly_list(baselines(), example_fingerprint()).value(), std::nullopt);
  Run run = run_named("run-2");
  run.plan.list = example_list();
  const auto accepted = accept(run);
  ASSERT_TRUE(accepted) << error_of(accepted);
  EXPECT_TRUE(accepted->nightly_list);
  EXPECT_EQ(load_nightly_list(baselines(), example_fingerprint()).value(), example_list());
  EXPECT_EQ(files_in(folder()), 3u);
  EXPECT_EQ(stored().cases.size(), 2u);
}

TEST_F(AcceptTest, RefusesBesideANightlyListThatCannotBeRead) {
  write_text(nightly_list_file(baselines(), example_fingerprint()), "{");
  EXPECT_THAT(error_of(accept(run_named("run-1"))), HasSubstr("nightly.json: is not JSON"));
  EXPECT_EQ(files_in(folder()), 1u);
}

TEST_F(AcceptTest, NeverReplacesAStoredNightlyList) {
  Run run = run_named("run-1");
  run.plan.list = example_list();
  ASSERT_TRUE(accept(run));
  run.id = "run-2";
  run.plan.list->cases.clear();
  const auto accepted = accept(run, {.accepted = {}, .note = "n", .new_level = true, .force = false});
  ASSERT_TRUE(accepted) << error_of(accepted);
  EXPECT_FALSE(accepted->nightly_list);
  EXPECT_EQ(load_nightly_list(baselines(), example_fingerprint()).value(), example_list());
}

TEST_F(AcceptTest, KeepsNoNightlyListOfARefusedRun) {
  Run run = run_named("run-1");
  run.plan.list = example_list();
  run.finished = false;
  EXPECT_FALSE(accept(run));
  EXPECT_FALSE(std::filesystem::exists(baselines()));
}

TEST_F(AcceptTest, RefusesACaseWhoseFileWouldBeTheNightlyLists) {
  const Run run = run_named("run-1");
  EXPECT_EQ(error_of(accept_night(baselines(), run, {example_history("nightly", run.id)}, {})),
            "case \"nightly\": its file would be that of the nightly list, " + file("nightly").string() +
                "; give the case another name");
}

TEST_F(AcceptTest, RefusesARunThatIsThereAlready) {
  ASSERT_TRUE(accept(run_named("run-1")));
  const std::string before = text_of(file("b/two"));
  EXPECT_EQ(error_of(accept(run_named("run-1"))),
            file("b/two").string() + ": run run-1 was accepted already at 2026-02-01T06:00:00Z; nothing was changed");
  EXPECT_EQ(text_of(file("b/two")), before);
}

TEST_F(AcceptTest, RefusesAnotherClockThanTheHistorys) {
  ASSERT_TRUE(accept(run_named("run-1")));
  const Run run = run_named("run-2");
  auto summaries = summaries_of(run);
  summaries[0].clock = Clock::wall;
  EXPECT_EQ(error_of(accept_night(baselines(), run, summaries, {})),
            file("b/two").string() + ": holds times by clock thread, this run by wall; remove the file to start anew");
}

TEST_F(AcceptTest, RefusesARunWithoutAnythingUsable) {
  EXPECT_EQ(error_of(accept_night(baselines(), run_named("run-1"), {}, {})),
            "run run-1: no case has a usable launch (matmul/f32/m=1); nothing to accept");
  EXPECT_FALSE(std::filesystem::exists(baselines())) << "nothing is created in vain";
}

TEST_F(AcceptTest, RefusesADoubtfulRunUnlessForcedAndRecordsThat) {
  Run run = run_named("run-1");
  run.bindgate_build = "Debug";
  EXPECT_EQ(error_of(accept(run)),
            "run run-1 is not accepted: bindgate is a Debug build; build with cmake --preset release; --force accepts "
            "it and says so "
            "in the baseline");
  EXPECT_FALSE(std::filesystem::exists(baselines()));
  const auto accepted = accept(run, {.accepted = {}, .note = {}, .new_level = false, .force = true});
  ASSERT_TRUE(accepted) << error_of(accepted);
  EXPECT_TRUE(accepted->night.forced);
  EXPECT_EQ(accepted->against.size(), 1u);
  EXPECT_TRUE(stored().cases[0].nights[0].forced);
}

TEST_F(AcceptTest, DoesNotCallARunForcedThatNeededNoForce) {
  ASSERT_TRUE(accept(run_named("run-1"), {.accepted = {}, .note = {}, .new_level = false, .force = true}));
  EXPECT_FALSE(stored().cases[0].nights[0].forced);
}

TEST_F(AcceptTest, ChangesNothingWhenOneStoredFileIsBroken) {
  ASSERT_TRUE(accept(run_named("run-1")));
  const std::string before = text_of(file("a/one"));
  write_text(file("b/two"), "{");
  EXPECT_EQ(error_of(accept(run_named("run-2"))),
            file("b/two").string() + ": is not JSON (column 2): expected a \"key\", found end of input");
  EXPECT_EQ(text_of(file("a/one")), before);
}

TEST_F(AcceptTest, ChangesNothingWhenTheDiskIsFull) {
  ASSERT_TRUE(accept(run_named("run-1")));
  const std::string before = text_of(file("a/one")), before_two = text_of(file("b/two"));
  // The second case's file grows beyond the limit, the first one's does not.
  const Run run = run_named("run-2");
  const std::vector<CaseHistory> summaries{example_history("b/two", run.id, 1), example_history("a/one", run.id)};
  std::string error;
  {
    const SmallFilesOnly limit(before.size() * 3 / 2);
    error = error_of(accept_night(baselines(), run, summaries, {}));
  }
  EXPECT_EQ(error,
            file("a/one").string() + ": write (EFBIG): File too large; raise the limit on file sizes (ulimit -f)");
  EXPECT_EQ(text_of(file("a/one")), before);
  EXPECT_EQ(text_of(file("b/two")), before_two);
  EXPECT_EQ(files_in(folder()), 2u);
}

TEST_F(AcceptTest, ChangesNothingWhereItMayNotWrite) {
  ASSERT_TRUE(accept(run_named("run-1")));
  const std::string before = text_of(file("a/one"));
  std::filesystem::permissions(directory_.path(), static_cast<std::filesystem::perms>(0755));
  std::filesystem::permissions(folder(), static_cast<std::filesystem::perms>(0555));
  {
    const WithoutPrivileges nobody;
    EXPECT_EQ(error_of(accept(run_named("run-2"))),
              file("b/two").string() + ": open (EACCES): Permission denied; check the permissions");
  }
  EXPECT_EQ(text_of(file("a/one")), before);
}

TEST_F(AcceptTest, SaysWhereItMayNotMakeAFolder) {
  write_text(directory_ / "file", "");
  const Run run = run_named("run-1");
  EXPECT_EQ(error_of(accept_night(directory_ / "file", run, summaries_of(run), {})),
            (directory_ / "file").string() + ": is a file; name the directory of baselines");
  std::filesystem::permissions(directory_.path(), static_cast<std::filesystem::perms>(0555));
  const WithoutPrivileges nobody;
  EXPECT_EQ(error_of(accept(run)),
            folder().string() + ": mkdir (EACCES): Permission denied; choose a place that can be written");
}

TEST_F(AcceptTest, TakesBackWhatItChangedWhenALaterFileCannotBeReplaced) {
  if (geteuid() != 0) GTEST_SKIP() << "needs a file of another user";
  ASSERT_TRUE(accept(run_named("run-1")));
  const std::string before = text_of(file("b/two"));
  std::filesystem::permissions(directory_.path(), static_cast<std::filesystem::perms>(0755));
  std::filesystem::permissions(folder(), static_cast<std::filesystem::perms>(01777));  // others' files stay
  ASSERT_EQ(chown(file("b/two").c_str(), 65534, 65534), 0);
  {
    const WithoutPrivileges nobody;
    EXPECT_THAT(error_of(accept(run_named("run-2"))), HasSubstr("a+one.json: rename (EPERM)"));
  }
  EXPECT_EQ(text_of(file("b/two")), before);
  EXPECT_EQ(files_in(folder()), 2u);
}

TEST_F(AcceptTest, ChangesNothingWhenOneFileCannotBeNamed) {
  ASSERT_TRUE(accept(run_named("run-1")));
  const std::string before = text_of(file("b/two"));
  const Run run = run_named("run-2");
  const std::string unnameable = std::string(300, 'x');
  std::vector<CaseHistory> summaries = summaries_of(run);
  summaries.push_back(example_history(unnameable, run.id));
  EXPECT_THAT(error_of(accept_night(baselines(), run, summaries, {})), HasSubstr("ENAMETOOLONG"));
  EXPECT_EQ(text_of(file("b/two")), before);
  EXPECT_EQ(files_in(folder()), 2u);
}

TEST_F(AcceptTest, HasNothingAgainstACleanRun) { EXPECT_THAT(reasons_against(example_run()), IsEmpty()); }

TEST_F(AcceptTest, SpeaksAgainstUnfinishedRuns) {
  Run run = example_run();
  run.finished = false;
  run.plan.rounds = 6;
  EXPECT_THAT(reasons_against(run), ElementsAre("it is unfinished (2 of 6 rounds); go on with bindgate run --resume"));
  run.stopped = "interrupted by SIGINT";
  EXPECT_THAT(reasons_against(run),
              ElementsAre("it was stopped: interrupted by SIGINT (2 of 6 rounds); go on with bindgate run --resume"));
  run.rounds.clear();
  EXPECT_EQ(reasons_against(run).front(), "no round was completed");
}

TEST_F(AcceptTest, SpeaksAgainstFailuresOncePerCauseWithTheirNumber) {
  Run run = example_run();
  for (const std::size_t i : {0u, 3u}) {
    run.launches[i].cases[0].outcome = CaseOutcome::failed;
    run.launches[i].cases[0].reason = "expected 1, found 2";
  }
  run.launches[1].failure = "killed by SIGSEGV";
  EXPECT_THAT(reasons_against(run), ElementsAre("matmul/f32/m=1 under none failed: expected 1, found 2 (2 launches)",
                                                "bench_matmul under none failed: killed by SIGSEGV"));
}

TEST_F(AcceptTest, SpeaksAgainstBindingsThatDidNotHoldOrCannotBeProven) {
  Run run = example_run();
  run.launches[2].cases[0].proof = Proof{ProofStatus::violated, "thread 12 ran on CPU 3", 2, {}, 0};
  run.launches[5].cases[0].proof = Proof{ProofStatus::unverifiable, "move_pages (EPERM)", 2, {}, 0};
  EXPECT_THAT(reasons_against(run),
              ElementsAre("matmul/f32/m=1 under numactl: binding violated: thread 12 ran on CPU 3",
                          "matmul/f32/m=1 under numactl: binding unverifiable: move_pages (EPERM)"));
}

TEST_F(AcceptTest, SpeaksAgainstDebugBuildsOncePerProgram) {
  Run run = example_run();
  for (Launch& launch : run.launches) launch.build_type = "Debug";
  EXPECT_THAT(reasons_against(run), ElementsAre("bench_matmul is a Debug build; build with cmake --preset release"));
  run.bindgate_build = "Debug";
  for (const Launch& launch : run.launches) run.abandoned.insert(launch.id);
  EXPECT_THAT(reasons_against(run), ElementsAre("bindgate is a Debug build; build with cmake --preset release"));
}

TEST_F(AcceptTest, DoesNotHoldAbandonedLaunchesAgainstARun) {
  Run run = example_run();
  run.launches[0].failure = "killed by SIGKILL";
  run.abandoned = {0};
  EXPECT_THAT(reasons_against(run), IsEmpty());
}

}  // namespace
}  // namespace bindgate
