#include "cli/planning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/example_run.hpp"

namespace bindgate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

CaseInfo case_of(const std::string& name, Profile profile) {
  CaseInfo info = testing::example_case(name);
  info.profile = profile;
  return info;
}

std::vector<Program> example_programs() {
  Program matmul{"/opt/a folder/bench_matmul", {}}, decode{"/opt/a folder/bench_decode", {}};
  matmul.hello.cases = {case_of("matmul/f32/m=1", Profile::quick), case_of("matmul/f32/m=16", Profile::nightly),
                        case_of("matmul/bf16/m=1", Profile::thorough)};
  decode.hello.cases = {case_of("decode/w1", Profile::nightly)};
  return {matmul, decode};
}

std::vector<std::string> names_of(const std::vector<PlannedProgram>& programs) {
  std::vector<std::string> names;
  for (const PlannedProgram& program : programs)
    for (const CaseInfo& info : program.cases) names.push_back(info.name);
  return names;
}

std::vector<std::string> selected(const std::vector<std::string>& globs, Profile profile = Profile::quick) {
  const auto programs = select_cases(example_programs(), {globs, {}, profile});
  if (programs) return names_of(*programs);
  ADD_FAILURE() << programs.error().message;
  return {};
}

std::string refusal(const std::vector<std::string>& globs) {
  const auto programs = select_cases(example_programs(), {globs, {}, Profile::quick});
  if (!programs) return programs.error().message;
  ADD_FAILURE() << "something matched";
  return "";
}

TEST(SelectCases, TakesAProfileWithAllSmallerOnes) {
  EXPECT_THAT(selected({}, Profile::quick), ElementsAre("matmul/f32/m=1"));
  EXPECT_THAT(selected({}, Profile::nightly), ElementsAre("matmul/f32/m=1", "matmul/f32/m=16", "decode/w1"));
  EXPECT_EQ(selected({}, Profile::thorough).size(), 4u);
}

TEST(SelectCases, TakesWhatAGlobNamesWhateverTheProfile) {
  EXPECT_THAT(selected({"matmul/*"}), ElementsAre("matmul/f32/m=1", "matmul/f32/m=16", "matmul/bf16/m=1"));
  EXPECT_THAT(selected({"*m=1"}), ElementsAre("matmul/f32/m=1", "matmul/bf16/m=1"));
  EXPECT_THAT(selected({"decode/w1", "matmul/bf16/*"}), ElementsAre("matmul/bf16/m=1", "decode/w1"));
}

TEST(SelectCases, TakesACaseOnceThatTwoGlobsName) {
  EXPECT_THAT(selected({"decode/*", "*w1"}), ElementsAre("decode/w1"));
}

TEST(SelectCases, FillsInNameAndPathAndLeavesOutProgramsWithoutACase) {
  const auto programs = select_cases(example_programs(), {{"decode/*"}, {}, Profile::quick});
  ASSERT_TRUE(programs) << programs.error().message;
  ASSERT_EQ(programs->size(), 1u);
  EXPECT_EQ(programs->front().name, "bench_decode");
  EXPECT_EQ(programs->front().path, "/opt/a folder/bench_decode");
  EXPECT_THAT(programs->front().environment, IsEmpty());
}

TEST(SelectCases, RefusesACaseThatTwoProgramsHave) {
  auto programs = example_programs();
  programs.push_back(programs.front());
  programs.back().path = "/opt/a folder/bench_copy";
  const auto selected = select_cases(programs, {{}, {}, Profile::quick});
  ASSERT_FALSE(selected);
  EXPECT_THAT(selected.error().message, HasSubstr("/opt/a folder/bench_copy: its case 'matmul/f32/m=1' is another program's too"));
}

TEST(SelectCases, RefusesAGlobThatMatchesNothingEvenBesideOneThatDoes) {
  EXPECT_EQ(refusal({"matmul/f32/m=2"}),
            "no case matches 'matmul/f32/m=2' ('bindgate list' shows all); did you mean 'matmul/f32/m=1'?");
  EXPECT_THAT(refusal({"matmul/*", "conv/*"}),
              HasSubstr("no case matches 'conv/*' ('bindgate list' shows all); known: matmul/f32/m=1, "));
}

TEST(CasesLeftOut, AreThoseBeyondTheProfile) {
  EXPECT_THAT(cases_left_out(example_programs(), {{}, {}, Profile::quick}),
              ElementsAre(LeftOut{"matmul/f32/m=16", "outside profile quick"},
                          LeftOut{"matmul/bf16/m=1", "outside profile quick"},
                          LeftOut{"decode/w1", "outside profile quick"}));
  EXPECT_THAT(cases_left_out(example_programs(), {{}, {}, Profile::thorough}), IsEmpty());
}

TEST(CasesLeftOut, AreNoneWhereTheUserNamedCases) {
  EXPECT_THAT(cases_left_out(example_programs(), {{"decode/*"}, {}, Profile::quick}), IsEmpty());
}

TEST(PlanDifferences, AreNoneBetweenEqualPlans) {
  const Plan plan = testing::example_run().plan;
  EXPECT_THAT(plan_differences(plan, plan), IsEmpty());
}

TEST(PlanDifferences, NameEveryKeyWithBothValues) {
  const Plan stored = testing::example_run().plan;
  Plan fresh = stored;
  fresh.rounds = 5;
  fresh.selection.profile = Profile::nightly;
  fresh.programs[0].build_id = "77";
  fresh.variants[0].placement.threads = 1;
  EXPECT_THAT(plan_differences(stored, fresh),
              UnorderedElementsAre("rounds: 5 here, 2 there", "selection/profile: \"nightly\" here, \"quick\" there",
                                   "programs/0/build_id: \"77\" here, \"8d3f\" there",
                                   "variants/0/threads: 1 here, 2 there"));
}

TEST(PlanDifferences, NameWhatOnlyOneSideHas) {
  Plan stored = testing::example_run().plan;
  stored.list.emplace().planned = "yesterday";
  Plan fresh = stored;
  fresh.list.reset();
  EXPECT_THAT(plan_differences(stored, fresh), ::testing::Contains("list/planned: nothing here, \"yesterday\" there"));
  EXPECT_THAT(plan_differences(fresh, stored), ::testing::Contains("list/planned: \"yesterday\" here, nothing there"));
}

TEST(PlanDifferences, TellAnEmptyListFromOneThatIsNot) {
  const Plan stored = testing::example_run().plan;
  Plan fresh = stored;
  fresh.left_out.push_back({"decode/w1", "outside profile quick"});
  EXPECT_THAT(plan_differences(stored, fresh),
              UnorderedElementsAre("left_out: 1 element here, 0 elements there",
                                   "left_out/0/case: \"decode/w1\" here, nothing there",
                                   "left_out/0/reason: \"outside profile quick\" here, nothing there"));
  EXPECT_THAT(plan_differences(fresh, stored), ::testing::Contains("left_out: 0 elements here, 1 element there"));
}

}  // namespace
}  // namespace bindgate
