#include "support/measure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "support/program.hpp"
#include "support/session.hpp"

namespace bindgate {
namespace {

using testing::HasSubstr;

class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

TEST(RequestedThreads, ComeFromTheEnvironment) {
  const Variable threads("BINDGATE_THREADS", "3");
  EXPECT_EQ(requested_threads(), 3u);
}

TEST(RequestedThreads, AreAllAllowedCpusWhenNothingIsSaid) {
  ASSERT_EQ(std::getenv("BINDGATE_THREADS"), nullptr);
  EXPECT_GE(*requested_threads(), 1u);
}

TEST(RequestedThreads, AreRefusedWhenTheyAreNoNumberAboveZero) {
  for (const char* text : {"0", "-1", "two", "", "4x", "99999999999"}) {
    const Variable threads("BINDGATE_THREADS", text);
    const auto result = requested_threads();
    ASSERT_FALSE(result) << text;
    EXPECT_THAT(result.error().message, HasSubstr("BINDGATE_THREADS: \"" + std::string(text) + "\""));
  }
}

TEST(HarnessDescriptors, AreAbsentWhenAProgramIsStartedByHand) {
  const auto result = harness_descriptors();
  ASSERT_TRUE(result);
  EXPECT_FALSE(*result);
}

TEST(HarnessDescriptors, MustComeInPairsAndBeOpen) {
  const Variable command("BINDGATE_COMMAND_FD", "0");
  EXPECT_THAT(harness_descriptors().error().message, HasSubstr("only one of the two is set"));
  const Variable reply("BINDGATE_REPLY_FD", "9999");
  EXPECT_THAT(harness_descriptors().error().message, HasSubstr("BINDGATE_REPLY_FD: \"9999\" is no open descriptor"));
}

TEST(Program, RefusesTwoCasesOfOneName) {
  Program program("demo");
  CaseInfo info;
  info.name = "demo/a";
  program.add(info, [](State&) {});
  EXPECT_THROW(program.add(info, [](State&) {}), std::logic_error);
}

}  // namespace
}  // namespace bindgate
