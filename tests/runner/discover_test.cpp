#include "runner/discover.hpp"

#include "launches.hpp"

namespace bindgate {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::order_for;
using testing::patient;
using ::testing::SizeIs;

class Discovering : public testing::NothingLeft {};

TEST_F(Discovering, TellsWhatAProgramHasAndWhichCasesWork) {
  const std::vector<std::string> cases{"steady/fast", "steady/wrong", "steady/absent", "steady/slow"};
  const auto discovery = discover(order_for("child_steady", {}), cases, patient(), stop_);
  ASSERT_TRUE(discovery) << discovery.error().message;
  EXPECT_THAT(discovery->hello.cases, SizeIs(5));
  EXPECT_THAT(discovery->cases, ElementsAre(ProbedCase{"steady/fast", CaseOutcome::ok, ""},
                                            ProbedCase{"steady/wrong", CaseOutcome::failed, "expected 1, found 2"},
                                            ProbedCase{"steady/absent", CaseOutcome::not_run, "made up to be absent"},
                                            ProbedCase{"steady/slow", CaseOutcome::ok, ""}));
  EXPECT_FALSE(discovery->loaded.empty());
}

TEST_F(Discovering, FailsTheCasesAfterADeathToo) {
  const std::vector<std::string> cases{"liar/case", "liar/other"};
  const auto discovery = discover(order_for("child_liar", {{"LIAR_MODE", "status"}}), cases, patient(), stop_);
  ASSERT_TRUE(discovery) << discovery.error().message;
  EXPECT_THAT(discovery->cases,
              ElementsAre(ProbedCase{"liar/case", CaseOutcome::failed, "exited with status 3"},
                          ProbedCase{"liar/other", CaseOutcome::failed, "its launch had ended: exited with status 3"}));
}

TEST_F(Discovering, RefusesAProgramWithoutAProperHello) {
  const auto discovery = discover(order_for("child_liar", {{"LIAR_MODE", "rubbish"}}), {}, patient(), stop_);
  ASSERT_FALSE(discovery);
  EXPECT_THAT(discovery.error().message, AllOf(HasSubstr("child_liar: "), HasSubstr("said rubbish")));
}

TEST_F(Discovering, EndsWhenAStopIsRequested) {
  stop_.raise(SIGINT);
  const auto discovery = discover(order_for("child_liar", {{"LIAR_MODE", "silent"}}), {}, patient(), stop_);
  ASSERT_FALSE(discovery);
  EXPECT_THAT(discovery.error().message, HasSubstr("interrupted by SIGINT"));
}

TEST(ContentHash, IsFnv1aOfTheContent) {
  const std::string path = ::testing::TempDir() + "content_hash_test";
  std::ofstream(path) << "foobar";
  EXPECT_EQ(content_hash(path).value_or(""), "85944171f73967e8");  // from the FNV authors' test vectors
  std::filesystem::remove(path);
  EXPECT_THAT(content_hash(path).error().message, HasSubstr(path));
}

}  // namespace
}  // namespace bindgate
