#include "verdict/policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <sstream>

namespace bindgate {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Policy good(const std::string& members) {
  const auto policy =
      parse_policy(R"({"schema": "bindgate.policy/1")" + (members.empty() ? "" : ", " + members) + "}", "p.json");
  EXPECT_TRUE(policy) << policy.error().message;
  return policy.value_or(Policy{});
}

std::string fault(const std::string& members) {
  const auto policy = parse_policy(R"({"schema": "bindgate.policy/1", )" + members + "}", "p.json");
  EXPECT_FALSE(policy) << members << " was read";
  return policy ? "" : policy.error().message;
}

TEST(Policy, MissingKeysTakeDefaults) { EXPECT_EQ(good(""), Policy{}); }

TEST(Policy, TheShippedFileIsCompleteAndSaysTheDefaults) {
  std::ifstream file(BINDGATE_TESTS "/../baselines/policy.json");
  std::stringstream text;
  text << file.rdbuf();
  for (const char* key : {"tolerance", "target", "variance", "threshold", "tail", "halves", "statistic",
                          "warn_remote_pages", "warn_cache_misses", "disturbed", "inconclusive", "no_baseline",
                          "gating", "overrides"})
    EXPECT_THAT(text.str(), HasSubstr('"' + std::string(key) + '"'));
  const auto policy = parse_policy(text.str(), "policy.json");
  ASSERT_TRUE(policy) << policy.error().message;
  Policy expected;
  expected.gating = {SeriesPattern{}};
  EXPECT_EQ(*policy, expected);
}

TEST(Policy, EveryKeyIsRead) {
  const Policy policy = good(R"("tolerance": 0.02, "target": 0.1,
    "variance": {"threshold": 0.07, "tail": 1.3, "halves": 0.08, "statistic": "off"},
    "warn_remote_pages": 0.25, "warn_cache_misses": "off",
    "disturbed": "warn", "inconclusive": "warn", "no_baseline": "accept",
    "gating": [{"case": "matmul/*", "variant": "none"}],
    "overrides": [{"case": "decode/*", "variant": "remote", "tolerance": 0.03, "target": "auto", "variance": "off",
                   "warn_remote_pages": "off", "warn_cache_misses": 2}])");
  Policy expected;
  expected.limits = {0.02, 0.1, {0.07, 1.3, 0.08, VariancePolicy::Statistic::off}, 0.25, std::nullopt};
  expected.disturbed = expected.inconclusive = Policy::OnDoubt::warn;
  expected.no_baseline = Policy::OnNoBaseline::accept;
  expected.gating = {{"matmul/*", "none"}};
  Policy::Override own;
  own.pattern = {"decode/*", "remote"};
  own.tolerance = 0.03;
  own.target.emplace(std::nullopt);
  own.variance = expected.limits.variance;
  own.warn_remote_pages.emplace(std::nullopt);
  own.warn_cache_misses = 2;
  expected.overrides = {own};
  EXPECT_EQ(policy, expected);
}

TEST(Policy, LaterOverridesWinAndUnnamedKeysKeepTheGeneralSetting) {
  const Policy policy = good(R"("target": 0.2, "variance": {"tail": 1.5}, "overrides": [
    {"case": "decode/*", "tolerance": 0.03, "variance": {"threshold": 0.1}},
    {"variant": "remote", "tolerance": 0.04, "target": "auto"}])");
  EXPECT_EQ(policy.limits_for("matmul/a", "none"), policy.limits);
  const Limits decode = policy.limits_for("decode/a/b", "none");
  EXPECT_EQ(decode.tolerance, 0.03);
  EXPECT_EQ(decode.target, 0.2);
  EXPECT_EQ(decode.variance, (VariancePolicy{0.1, 1.5, 0.05, VariancePolicy::Statistic::clean}));
  const Limits both = policy.limits_for("decode/a/b", "remote");
  EXPECT_EQ(both.tolerance, 0.04);
  EXPECT_EQ(both.target, std::nullopt);
  EXPECT_EQ(both.variance.threshold, 0.1);
}

TEST(Policy, WarningsAreOffWhereTheLastOverrideThatNamesThemSaysSo) {
  const Policy policy = good(R"("warn_remote_pages": "off", "overrides": [
    {"case": "a", "warn_remote_pages": 0.5, "warn_cache_misses": "off"},
    {"variant": "remote", "warn_cache_misses": 3}])");
  EXPECT_EQ(policy.limits_for("b", "none").warn_remote_pages, std::nullopt);
  EXPECT_EQ(policy.limits_for("b", "none").warn_cache_misses, 1.5);
  EXPECT_EQ(policy.limits_for("a", "none").warn_remote_pages, 0.5);
  EXPECT_EQ(policy.limits_for("a", "none").warn_cache_misses, std::nullopt);
  EXPECT_EQ(policy.limits_for("a", "remote").warn_remote_pages, 0.5);
  EXPECT_EQ(policy.limits_for("a", "remote").warn_cache_misses, 3);
}

TEST(Policy, GatingPatternsChooseTheSeriesThatDecide) {
  const Policy policy = good(R"("gating": [{"case": "matmul/*"}, {"variant": "numactl"}])");
  EXPECT_TRUE(policy.is_gating("matmul/f32/n512", "remote"));
  EXPECT_TRUE(policy.is_gating("decode/w1", "numactl"));
  EXPECT_FALSE(policy.is_gating("decode/w1", "remote"));
  EXPECT_TRUE(Policy{}.is_gating("anything", "at all"));
  EXPECT_TRUE(good(R"("gating": [])").is_gating("anything", "at all"));
}

TEST(Policy, OffAtTheTopSwitchesTheVarianceGateOffForAll) {
  EXPECT_EQ(good(R"("variance": "off")").limits_for("a", "none").variance.statistic, VariancePolicy::Statistic::off);
}

TEST(Policy, AnOverrideSwitchesTheVarianceGateOnAgain) {
  const Policy policy = good(R"("variance": "off", "overrides": [{"case": "a", "variance": {"statistic": "clean"}}])");
  EXPECT_EQ(policy.limits_for("a", "none").variance.statistic, VariancePolicy::Statistic::clean);
}

struct Fault {
  const char *members, *path, *problem;
};

/// CTest makes names of it, so nothing that CMake would read as its own.
void PrintTo(const Fault& fault, std::ostream* out) {
  for (const char* c = fault.members; *c != 0; ++c)
    if (std::isalnum(static_cast<unsigned char>(*c)) || *c == '.' || *c == '-') *out << *c;
}

class PolicyFault : public testing::TestWithParam<Fault> {};

TEST_P(PolicyFault, NamesTheFileTheKeyAndTheCure) {
  EXPECT_THAT(fault(GetParam().members), AllOf(testing::StartsWith("p.json: " + std::string(GetParam().path) + ": "),
                                               HasSubstr(GetParam().problem)));
}

INSTANTIATE_TEST_SUITE_P(
    Each, PolicyFault,
    testing::Values(
        Fault{R"("tolerence": 0.01)", "$", R"(unknown key "tolerence"; did you mean 'tolerance'?)"},
        Fault{R"("tolerance": "1 %")", "$.tolerance", "expected a number"},
        Fault{R"("tolerance": -0.01)", "$.tolerance", "expected a number from"},
        Fault{R"("tolerance": 5)", "$.tolerance", "found 5"},
        Fault{R"("target": "automatic")", "$.target", R"(expected "auto" or a share)"},
        Fault{R"("target": -1)", "$.target", "expected a number from"},
        Fault{R"("target": true)", "$.target", R"(expected "auto" or a share as 0.05, found true)"},
        Fault{R"("target": 0.01)", "$", "target must be above tolerance"},
        Fault{R"("variance": "on")", "$.variance", R"(expected an object or "off", found "on")"},
        Fault{R"("variance": 3)", "$.variance", R"(expected an object or "off", found 3)"},
        Fault{R"("tolerance": null)", "$.tolerance", "expected a number, found null"},
        Fault{R"("target": null)", "$.target", R"(expected "auto" or a share as 0.05, found null)"},
        Fault{R"("variance": null)", "$.variance", R"(expected an object or "off", found null)"},
        Fault{R"("variance": {"tail": null})", "$.variance.tail", "expected a number, found null"},
        Fault{R"("variance": {"statistic": null})", "$.variance.statistic", "expected one of clean, off"},
        Fault{R"("disturbed": null)", "$.disturbed", "expected one of fail, warn, found null"},
        Fault{R"("no_baseline": null)", "$.no_baseline", "found null"},
        Fault{R"("gating": null)", "$.gating", "expected an array, found null"},
        Fault{R"("gating": [{"case": null}])", "$.gating[0].case", "expected a string, found null"},
        Fault{R"("overrides": null)", "$.overrides", "expected an array, found null"},
        Fault{R"("overrides": [{"target": null}])", "$.overrides[0].target", "found null"},
        Fault{R"("variance": {"treshold": 0.05})", "$.variance", R"(unknown key "treshold")"},
        Fault{R"("variance": {"threshold": 0})", "$.variance.threshold", "found 0"},
        Fault{R"("variance": {"tail": 0.1})", "$.variance.tail", "found 0.1"},
        Fault{R"("variance": {"halves": "5 %"})", "$.variance.halves", "expected a number"},
        Fault{R"("variance": {"statistic": "cv"})", "$.variance.statistic", R"(unknown value "cv"; known: clean, off)"},
        Fault{R"("warn_remote_page": 0.1)", "$", R"(did you mean 'warn_remote_pages'?)"},
        Fault{R"("warn_remote_pages": "10 %")", "$.warn_remote_pages",
              R"(expected "off" or a number as 0.10, found "10 %")"},
        Fault{R"("warn_remote_pages": 10)", "$.warn_remote_pages", "expected a number from 0.0 to 1.0, found 10"},
        Fault{R"("warn_remote_pages": -0.1)", "$.warn_remote_pages", "expected a number from 0.0 to 1.0, found -0.1"},
        Fault{R"("warn_remote_pages": true)", "$.warn_remote_pages",
              R"(expected "off" or a number as 0.10, found true)"},
        Fault{R"("warn_remote_pages": null)", "$.warn_remote_pages", R"("off" or a number as 0.10, found null)"},
        Fault{R"("warn_cache_misses": "none")", "$.warn_cache_misses", R"(expected "off" or a number as 1.5)"},
        Fault{R"("warn_cache_misses": 0.5)", "$.warn_cache_misses", "expected a number from 1.0 to 1000.0, found 0.5"},
        Fault{R"("overrides": [{"warn_cache_misses": []}])", "$.overrides[0].warn_cache_misses",
              R"(expected "off" or a number)"},
        Fault{R"("disturbed": "ignore")", "$.disturbed", R"(unknown value "ignore"; known: fail, warn)"},
        Fault{R"("inconclusive": false)", "$.inconclusive", "expected one of fail, warn, found false"},
        Fault{R"("no_baseline": "acept")", "$.no_baseline", "did you mean 'accept'?"},
        Fault{R"("gating": {"case": "*"})", "$.gating", "expected an array"},
        Fault{R"("gating": ["matmul/*"])", "$.gating[0]", "expected an object"},
        Fault{R"("gating": [{}, {"cases": "*"}])", "$.gating[1]", R"(unknown key "cases")"},
        Fault{R"("gating": [{"case": ""}])", "$.gating[0].case", "matches nothing"},
        Fault{R"("overrides": [{"variant": 3}])", "$.overrides[0].variant", "expected a string"},
        Fault{R"("overrides": [{"disturbed": "warn"}])", "$.overrides[0]", R"(unknown key "disturbed")"},
        Fault{R"("overrides": [{"tolerance": 2}])", "$.overrides[0].tolerance", "found 2"},
        Fault{R"("overrides": [{"target": "strict"}])", "$.overrides[0].target", R"(expected "auto")"},
        Fault{R"("overrides": [{"variance": {"tail": 50}}])", "$.overrides[0].variance.tail", "found 50"},
        Fault{R"("target": 0.05, "overrides": [{}, {"tolerance": 0.05}])", "$.overrides[1]", "above tolerance"}));

TEST(Policy, AWrongOrMissingSchemaIsNamed) {
  const auto other = parse_policy(R"({"schema": "bindgate.policy/2"})", "p.json");
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, AllOf(HasSubstr("$.schema"), HasSubstr("\"bindgate.policy/2\"")));
  const auto none = parse_policy("{}", "p.json");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("key \"schema\" is missing"));
}

TEST(Policy, WhatIsNoJsonIsNamed) {
  for (const char* text : {"", "tolerance = 1", "[]", R"({"schema": "bindgate.policy/1", "tolerance": NaN})",
                           R"({"schema": "bindgate.policy/1", "tolerance": 1e999})",
                           R"({"schema": "bindgate.policy/1", "tolerance": 0.1, "tolerance": 0.2})"}) {
    const auto policy = parse_policy(text, "p.json");
    ASSERT_FALSE(policy) << text;
    EXPECT_THAT(policy.error().message, testing::StartsWith("p.json: "));
  }
}

}  // namespace
}  // namespace bindgate
