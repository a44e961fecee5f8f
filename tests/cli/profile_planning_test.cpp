#include "cli/profile_planning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace bindgate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t millisecond = 1'000'000;

CaseInfo case_of(const std::string& name, Profile profile) {
  CaseInfo info;
  info.name = name;
  info.profile = profile;
  return info;
}

ProbedCase probed_case(const std::string& name, std::int64_t iteration, double set_up = 0) {
  ProbedCase probed;
  probed.name = name;
  probed.warmup_ns = {10 * iteration, iteration, iteration, iteration};
  probed.working_set_bytes = 4096;
  probed.set_up_seconds = set_up;
  return probed;
}

/// A program whose cases take what is said.
struct Made {
  std::string name;
  Profile profile = Profile::nightly;
  std::int64_t iteration = millisecond;
  double set_up = 0;
};
ProbedProgram program_of(const std::string& name, const std::vector<Made>& cases, double start = 0) {
  ProbedProgram program{name, start, {}, {}};
  for (const Made& made : cases) {
    program.cases.push_back(case_of(made.name, made.profile));
    program.probed.push_back(probed_case(made.name, made.iteration, made.set_up));
  }
  return program;
}

void fail_case(ProbedProgram& program, std::size_t index, CaseOutcome outcome, const std::string& reason) {
  ProbedCase& probed = program.probed[index];
  probed.outcome = outcome;
  probed.reason = reason;
  probed.warmup_ns.clear();
}

std::vector<std::string> names_of(const ProfileList& list) {
  std::vector<std::string> names;
  for (const ListedCase& listed : list.cases) names.push_back(listed.name);
  return names;
}

std::vector<std::string> left_out_of(const ProfileList& list) {
  std::vector<std::string> names;
  for (const LeftOut& left_out : list.left_out) names.push_back(left_out.case_name);
  return names;
}

ProfileList planned(const std::vector<ProbedProgram>& programs, Profile profile = Profile::nightly,
                    const std::vector<unsigned>& members = {1, 1}) {
  return plan_profile(profile, programs, members, "2026-01-31T23:59:59Z");
}

const Effort nightly = effort_of(Profile::nightly);

TEST(SecondsOfALaunch, AreSetUpAndEveryTurnWithItsReferencesAndLeadIn) {
  // Batches of 300 iterations of 1 us: 17 samples of 0.3 ms, 2 ms of references, 0.3 ms of lead-in, 100 turns.
  EXPECT_NEAR(seconds_of_a_launch(probed_case("a", 1'000, 0.5), nightly, 1), 0.5 + 100 * 0.0074, 1e-9);
  // One iteration of 10 ms a block, led in by another.
  EXPECT_NEAR(seconds_of_a_launch(probed_case("a", 10 * millisecond), nightly, 1), 100 * 0.022, 1e-9);
}

TEST(SecondsOfALaunch, CountTheTurnsThatACaseOfFewSamplesGoesOnFor) {
  // 100 ms: of the 12 turns that are planned too few samples come, so it goes on to 50.
  EXPECT_NEAR(seconds_of_a_launch(probed_case("a", 100 * millisecond), nightly, 1), 50 * 0.202, 1e-9);
  // 500 ms: it is spent after 10 s of blocks.
  EXPECT_NEAR(seconds_of_a_launch(probed_case("a", 500 * millisecond), nightly, 1), 20 * 1.002, 1e-9);
  // 5 s: spent long before the fewest turns, which it takes all the same.
  EXPECT_NEAR(seconds_of_a_launch(probed_case("a", 5000 * millisecond), nightly, 1), 12 * 10.002, 1e-9);
}

TEST(SecondsOfALaunch, AreTheSetUpAloneOfWhatGaveNoWarmUp) {
  ProbedCase absent;
  absent.outcome = CaseOutcome::not_run;
  absent.set_up_seconds = 0.25;
  EXPECT_DOUBLE_EQ(seconds_of_a_launch(absent, nightly, 1), 0.25);
}

TEST(SecondsOfALaunch, AreMoreWhereACaseHasFewerThreads) {
  ProbedCase probed = probed_case("a", 10 * millisecond);
  probed.threads = 4;
  EXPECT_NEAR(seconds_of_a_launch(probed, nightly, 4), 100 * 0.022, 1e-9);
  EXPECT_NEAR(seconds_of_a_launch(probed, nightly, 8), 100 * 0.022, 1e-9);
  EXPECT_NEAR(seconds_of_a_launch(probed, nightly, 2), 100 * 0.042, 1e-9);
  probed.threads = 1;
  EXPECT_NEAR(seconds_of_a_launch(probed, nightly, 1), 100 * 0.022, 1e-9);
}

TEST(PlanProfile, CountsAMemberOfFewerThreadsForWhatItTakes) {
  std::vector<ProbedProgram> programs{program_of("p", {{"p/a"}})};
  programs[0].probed[0].threads = 4;
  const double alike = planned(programs, Profile::nightly, {4, 4, 4}).cases[0].seconds;
  const double one_core = planned(programs, Profile::nightly, {4, 4, 1}).cases[0].seconds;
  EXPECT_GT(one_core, 1.2 * alike);
}

TEST(PlanProfile, MultipliesByRoundsAndMembersAndCountsStartsWithAProgramsFirstCase) {
  const auto list = planned({program_of("p", {{"p/a"}, {"p/b"}}, 1.5)}, Profile::nightly, {1, 1, 1, 1});
  const double own = seconds_of_a_launch(probed_case("p/a", millisecond), nightly, 1);
  EXPECT_NEAR(list.cases[0].seconds, 6 * 4 * (own + 1.5), 0.05);
  EXPECT_NEAR(list.cases[1].seconds, 6 * 4 * own, 0.05);
  EXPECT_EQ(list.rounds, 6u);
  EXPECT_EQ(list.members, 4u);
  EXPECT_EQ(list.cases[0].iteration_ns, millisecond);
  EXPECT_EQ(list.cases[0].working_set_bytes, 4096u);
}

TEST(PlanProfile, TakesQuickCasesFirstAndThenOneOfEachProgramInTurn) {
  const std::vector<ProbedProgram> programs{
      program_of("a", {{"a/1"}, {"a/2", Profile::quick}, {"a/3"}, {"a/4"}, {"a/5", Profile::thorough}}),
      program_of("b", {{"b/1"}}), program_of("c", {{"c/1"}, {"c/2"}, {"c/3", Profile::quick}})};
  EXPECT_THAT(names_of(planned(programs, Profile::thorough)),
              ElementsAre("a/2", "c/3", "a/1", "b/1", "c/1", "a/3", "c/2", "a/4", "a/5"));
}

TEST(PlanProfile, FillsTheNightInOrderAndSkipsWhatDoesNotFit) {
  // Set-ups alone decide: 12 launches of each case. 40 minutes are 2,400 s.
  const std::vector<ProbedProgram> programs{program_of("a", {{"a/1", Profile::nightly, 1'000, 100},
                                                             {"a/2", Profile::nightly, 1'000, 200},
                                                             {"a/3", Profile::nightly, 1'000, 5}}),
                                            program_of("b", {{"b/1", Profile::nightly, 1'000, 90}})};
  const auto list = planned(programs);
  EXPECT_THAT(names_of(list), ElementsAre("a/1", "b/1", "a/3"));
  ASSERT_THAT(left_out_of(list), ElementsAre("a/2"));
  EXPECT_EQ(list.left_out[0].reason, "would take 40 min 09 s, and of 40 min 00 s only 1 min 42 s were left");
  EXPECT_LE(total_seconds(list), 40 * 60);
}

TEST(PlanProfile, LeavesEveryProgramRepresentedWhenTheTailIsCut) {
  std::vector<ProbedProgram> programs;
  for (const std::string name : {"a", "b", "c", "d"}) {
    std::vector<Made> cases;
    for (int i = 0; i < 50; ++i) cases.push_back({name + '/' + std::to_string(i), Profile::nightly, millisecond, 2});
    programs.push_back(program_of(name, cases));
  }
  const auto names = names_of(planned(programs));
  EXPECT_LT(names.size(), 200u) << "the budget must cut something here";
  for (const std::string name : {"a/", "b/", "c/", "d/"})
    EXPECT_GE(std::count_if(names.begin(), names.end(), [&](const std::string& one) { return one.starts_with(name); }),
              static_cast<std::ptrdiff_t>(names.size() / 4));
}

TEST(PlanProfile, LeavesOutIterationsOfASecondOrMore) {
  const std::vector<ProbedProgram> programs{program_of("a", {{"a/1", Profile::nightly, 1000 * millisecond},
                                                             {"a/2", Profile::nightly, 999 * millisecond},
                                                             {"a/3", Profile::quick, 1400 * millisecond}})};
  const auto list = planned(programs);
  EXPECT_THAT(names_of(list), ElementsAre("a/2"));
  EXPECT_THAT(list.left_out,
              ElementsAre(LeftOut{"a/3", "an iteration takes 1.40 s; nightly holds those below 1.00 s"},
                          LeftOut{"a/1", "an iteration takes 1.00 s; nightly holds those below 1.00 s"}));
}

TEST(PlanProfile, CutsNothingOfTheOtherProfiles) {
  const std::vector<ProbedProgram> programs{
      program_of("a", {{"a/1", Profile::quick, 9000 * millisecond, 500}, {"a/2", Profile::quick, 1'000, 500}})};
  for (const Profile profile : {Profile::quick, Profile::thorough}) {
    const auto list = planned(programs, profile);
    EXPECT_EQ(list.cases.size(), 2u);
    EXPECT_THAT(list.left_out, IsEmpty());
    EXPECT_GT(total_seconds(list), 3600);
  }
}

TEST(PlanProfile, KeepsWhatIsNotRunOrFailedAndSaysWhy) {
  std::vector<ProbedProgram> programs{program_of("a", {{"a/1"}, {"a/2", Profile::nightly, 1, 300}, {"a/3"}})};
  fail_case(programs[0], 0, CaseOutcome::not_run, "no bf16 kernel");
  fail_case(programs[0], 1, CaseOutcome::failed, "no reply within 300 s");
  const auto list = planned(programs);
  EXPECT_THAT(names_of(list), ElementsAre("a/1", "a/2", "a/3")) << "what hangs now pushes nothing out for good";
  EXPECT_EQ(list.cases[0].note, "not run: no bf16 kernel");
  EXPECT_EQ(list.cases[1].note, "failed: no reply within 300 s");
  EXPECT_FALSE(list.cases[0].iteration_ns || list.cases[0].working_set_bytes);
  EXPECT_EQ(list.cases[0].seconds, 0);
}

std::vector<Program> programs_with(const std::vector<std::pair<std::string, Profile>>& cases) {
  Program program{"/opt/bench_a", {}};
  for (const auto& [name, profile] : cases) program.hello.cases.push_back(case_of(name, profile));
  return {program};
}

ProfileList example() {
  ProfileList list;
  list.cases = {{"a/2", 10, {}, {}, ""}, {"a/1", 20, {}, {}, ""}};
  list.left_out = {{"a/slow", "an iteration takes 1.40 s"}};
  return list;
}

TEST(SelectListed, TakesTheListedCasesInTheProgramsOwnOrder) {
  const auto selection = select_listed(
      programs_with({{"a/1", Profile::quick}, {"a/2", Profile::thorough}, {"a/slow", Profile::nightly},
                     {"a/large", Profile::thorough}}),
      example(), "nightly.json");
  ASSERT_TRUE(selection) << selection.error().message;
  ASSERT_EQ(selection->programs.size(), 1u);
  EXPECT_THAT(selection->programs[0].cases, ElementsAre(case_of("a/1", Profile::quick), case_of("a/2", Profile::thorough)))
      << "the list decides, whatever a case's profile has become";
  EXPECT_THAT(selection->left_out,
              ElementsAre(LeftOut{"a/slow", "left out of the nightly list: an iteration takes 1.40 s"},
                          LeftOut{"a/large", "outside profile nightly"}));
  EXPECT_THAT(selection->findings, IsEmpty());
}

TEST(SelectListed, SaysWhatCameAndWhatWentSinceTheListWasMade) {
  const auto selection =
      select_listed(programs_with({{"a/1", Profile::quick}, {"a/new", Profile::nightly}, {"a/newer", Profile::quick}}),
                    example(), "DIR/nightly.json");
  ASSERT_TRUE(selection) << selection.error().message;
  EXPECT_THAT(selection->left_out, ElementsAre(LeftOut{"a/new", "new since the nightly list was made"},
                                               LeftOut{"a/newer", "new since the nightly list was made"}));
  EXPECT_THAT(
      selection->findings,
      ElementsAre("new since the nightly list was made, and not measured: a/new, a/newer; delete DIR/nightly.json to "
                  "plan anew",
                  "in the nightly list, and no program has it any more: a/2; delete DIR/nightly.json to plan anew"));
}

TEST(EstimateFor, ScalesWithRoundsAndMembers) {
  ProfileList list = example();
  list.members = 2;
  EXPECT_EQ(estimate_for(list, 6, 2), std::chrono::seconds(30));
  EXPECT_EQ(estimate_for(list, 3, 2), std::chrono::seconds(15));
  EXPECT_EQ(estimate_for(list, 6, 5), std::chrono::seconds(75));
}

}  // namespace
}  // namespace bindgate
