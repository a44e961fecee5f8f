#include "runner/discover.hpp"

#include <tuple>

#include "launches.hpp"
#include "runner/turn_rules.hpp"

namespace bindgate {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::order_for;
using testing::patient;
using ::testing::SizeIs;

std::vector<std::string> outcomes_of(const Discovery& discovery) {
  std::vector<std::string> outcomes;
  for (const ProbedCase& probed : discovery.cases)
    outcomes.push_back(probed.name + ": " + std::string(name_of(probed.outcome)) +
                       (probed.reason.empty() ? "" : ", " + probed.reason));
  return outcomes;
}

class Discovering : public testing::NothingLeft {};

TEST_F(Discovering, TellsWhatAProgramHasAndWhichCasesWork) {
  const std::vector<std::string> cases{"steady/fast", "steady/wrong", "steady/absent", "steady/slow"};
  const auto discovery = discover(order_for("child_steady", {}), cases, patient(), stop_);
  ASSERT_TRUE(discovery) << discovery.error().message;
  EXPECT_THAT(discovery->hello.cases, SizeIs(5));
  EXPECT_THAT(outcomes_of(*discovery), ElementsAre("steady/fast: ok", "steady/wrong: failed, expected 1, found 2",
                                                   "steady/absent: not_run, made up to be absent", "steady/slow: ok"));
  EXPECT_FALSE(discovery->loaded.empty());
}

TEST_F(Discovering, FailsTheCasesAfterADeathToo) {
  const std::vector<std::string> cases{"liar/case", "liar/other"};
  const auto discovery = discover(order_for("child_liar", {{"LIAR_MODE", "status"}}), cases, patient(), stop_);
  ASSERT_TRUE(discovery) << discovery.error().message;
  EXPECT_THAT(outcomes_of(*discovery),
              ElementsAre("liar/case: failed, exited with status 3",
                          "liar/other: failed, its launch had ended: exited with status 3"));
  EXPECT_TRUE(discovery->cases[0].set_up_seconds) << "it was begun";
  EXPECT_FALSE(discovery->cases[1].set_up_seconds) << "it was not";
}

TEST_F(Discovering, TellsWhatACaseCosts) {
  const std::vector<std::string> cases{"steady/slow", "steady/huge", "steady/absent"};
  std::vector<std::string> begun;
  const auto discovery = discover(order_for("child_steady", {{"STEADY_CASES", "steady/slow steady/huge steady/absent"}}),
                                  cases, patient(), stop_, [&](const std::string& name) { begun.push_back(name); });
  ASSERT_TRUE(discovery) << discovery.error().message;
  EXPECT_EQ(begun, cases);
  const auto& [slow, huge, absent] = std::tie(discovery->cases[0], discovery->cases[1], discovery->cases[2]);
  EXPECT_EQ(iteration_ns(slow.warmup_ns), 100'000'000);
  EXPECT_EQ(slow.working_set_bytes, 0u);
  EXPECT_EQ(huge.working_set_bytes, std::uint64_t{1} << 50);
  EXPECT_THAT(absent.warmup_ns, IsEmpty());
  EXPECT_GT(discovery->start_seconds, 0);
  for (const ProbedCase& probed : discovery->cases) EXPECT_GT(probed.set_up_seconds.value_or(0), 0);
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
