#include "cli/arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>

#include "binding/catalogue.hpp"

namespace bindgate {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

using Parsed = std::variant<CommandLine, ParsingEnd>;

Parsed parse(std::initializer_list<const char*> words) {
  std::vector<const char*> line{"bindgate"};
  line.insert(line.end(), words);
  return parse_command_line(static_cast<int>(line.size()), line.data());
}

/// What a command line without a fault asks for.
template <class Arguments>
Arguments asked(std::initializer_list<const char*> words) {
  const Parsed parsed = parse(words);
  if (const auto* end = std::get_if<ParsingEnd>(&parsed)) {
    ADD_FAILURE() << end->text;
    return {};
  }
  const auto* arguments = std::get_if<Arguments>(&std::get<CommandLine>(parsed).command);
  if (!arguments) ADD_FAILURE() << "another command was understood";
  return arguments ? *arguments : Arguments{};
}

ParsingEnd ended(std::initializer_list<const char*> words) {
  const Parsed parsed = parse(words);
  if (const auto* end = std::get_if<ParsingEnd>(&parsed)) return *end;
  ADD_FAILURE() << "was understood";
  return {"", -1};
}

/// The first line of a usage error, which is what the user must see.
std::string refusal(std::initializer_list<const char*> words) {
  const ParsingEnd end = ended(words);
  EXPECT_EQ(end.exit, 2);
  EXPECT_THAT(end.text, StartsWith("bindgate: "));
  EXPECT_THAT(end.text, HasSubstr("\nTry 'bindgate --help'"));
  EXPECT_EQ(std::count(end.text.begin(), end.text.end(), '\n'), 2) << end.text;
  return end.text.substr(0, end.text.find('\n'));
}

TEST(CommandLine, RepeatsNothingThatATerminalWouldObey) {
  EXPECT_THAT(refusal({"sh\x1b[2Jow"}), HasSubstr("unknown command 'sh?[2Jow'"));
  EXPECT_THAT(refusal({"show", "runs/a", "runs/\x1b[2J"}), HasSubstr("unexpected word 'runs/?[2J'"));
}

TEST(CommandLine, VerifiesAProcessAndRepairsItOnlyWhenToldTwice) {
  const auto facts = asked<VerifyArguments>({"verify", "4711"});
  EXPECT_EQ(facts.process, 4711);
  EXPECT_EQ(facts.variant, "");
  EXPECT_FALSE(facts.repair || facts.yes);
  const auto shown = asked<VerifyArguments>({"verify", "4711", "--variant", "cpus:0,2", "--repair"});
  EXPECT_EQ(shown.variant, "cpus:0,2");
  EXPECT_TRUE(shown.repair && !shown.yes);
  EXPECT_TRUE(asked<VerifyArguments>({"verify", "4711", "--variant", "none", "--repair", "--yes"}).yes);
  EXPECT_THAT(refusal({"verify", "4711", "--variant", "none", "--yes"}), HasSubstr("--repair"));
  EXPECT_THAT(refusal({"verify", "4711", "--repair"}), HasSubstr("--variant"));
  EXPECT_EQ(asked<VerifyArguments>({"verify", "4711", "--variant", "mine", "--variants-file", "a.json"}).variants_file,
            "a.json");
  EXPECT_THAT(refusal({"verify", "4711", "--variants-file", "a.json"}), HasSubstr("--variant"));
  for (const std::string word : {"0", "abc", "47x", "99999999999", "010", "0x10"})
    EXPECT_THAT(refusal({"verify", word.c_str()}),
                HasSubstr("PID: must be a number, as in bindgate verify 4711; found '" + word + "'"));
  EXPECT_THAT(refusal({"verify"}), HasSubstr("PID"));
}

TEST(CommandLine, TakesNoNumberForAnotherThanItLooksLike) {
  for (const char* option : {"--rounds", "--seed"})
    for (const char* word : {"010", "0x2", "+3", "2.5"})
      EXPECT_THAT(refusal({"run", option, word}), HasSubstr("must be a whole number")) << option << ' ' << word;
  EXPECT_EQ(asked<RunArguments>({"run", "--seed", "0"}).seed, 0u);
}

TEST(CommandLine, ComparesWithNoFileOfNoName) {
  EXPECT_THAT(refusal({"topology", "--compare", ""}), HasSubstr("names no file"));
}

TEST(CommandLine, UnderstandsEveryCommandWithItsDefaults) {
  EXPECT_THAT(asked<ListArguments>({"list"}).globs, IsEmpty());
  EXPECT_FALSE(asked<ListArguments>({"list"}).profile);
  EXPECT_EQ(asked<TopologyArguments>({"topology"}).source, "live");
  EXPECT_EQ(asked<TopologyArguments>({"topology"}).compare, "");
  EXPECT_EQ(asked<VariantsArguments>({"variants"}).source, "live");
  EXPECT_EQ(asked<ShowArguments>({"show", "runs/a"}).run, "runs/a");
  const auto accept = asked<AcceptArguments>({"accept", "runs/a"});
  EXPECT_EQ(accept.run, "runs/a");
  EXPECT_EQ(accept.baselines, "baselines");
  EXPECT_EQ(accept.note, "");
  EXPECT_FALSE(accept.new_level);
  EXPECT_FALSE(accept.force);
  const auto gate = asked<GateArguments>({"gate", "runs/a"});
  EXPECT_EQ(gate.run, "runs/a");
  EXPECT_EQ(gate.baselines, "baselines");
  EXPECT_THAT(gate.policy.string(), IsEmpty());
  EXPECT_THAT(gate.markdown.string(), IsEmpty());
  const auto run = asked<RunArguments>({"run"});
  EXPECT_THAT(run.cases, IsEmpty());
  EXPECT_THAT(run.variants, IsEmpty());
  EXPECT_FALSE(run.profile || run.rounds || run.budget || run.deadline || run.seed);
  EXPECT_EQ(run.baselines, "baselines");
  EXPECT_THAT(run.out.string() + run.resume.string(), IsEmpty());
}

TEST(CommandLine, UnderstandsEveryOption) {
  EXPECT_THAT(asked<ListArguments>({"list", "matmul/*", "decode/*"}).globs, ElementsAre("matmul/*", "decode/*"));
  EXPECT_EQ(asked<TopologyArguments>({"topology", "--from", "a file.xml"}).source, "a file.xml");
  EXPECT_EQ(asked<TopologyArguments>({"topology", "--compare", "monday.json"}).compare, "monday.json");
  const auto variants = asked<VariantsArguments>({"variants", "numactl", "remote", "--from", "synthetic:numa:2"});
  EXPECT_THAT(variants.names, ElementsAre("numactl", "remote"));
  EXPECT_EQ(variants.source, "synthetic:numa:2");
  const auto accept =
      asked<AcceptArguments>({"accept", "a", "--baselines", "b", "--note", "two words", "--new-level", "--force"});
  EXPECT_EQ(accept.baselines, "b");
  EXPECT_EQ(accept.note, "two words");
  EXPECT_TRUE(accept.new_level);
  EXPECT_TRUE(accept.force);
  const auto gate = asked<GateArguments>({"gate", "a", "--baselines", "b", "--policy", "p.json", "--markdown", "m.md"});
  EXPECT_EQ(gate.baselines, "b");
  EXPECT_EQ(gate.policy, "p.json");
  EXPECT_EQ(gate.markdown, "m.md");
  const auto run = asked<RunArguments>({"run", "--case", "a/*", "--case=b", "--variant", "none", "--profile", "nightly",
                                        "--rounds", "8", "--budget", "1.5h", "--deadline", "250ms", "--seed",
                                        "9223372036854775807", "--out", "runs/x"});
  EXPECT_THAT(run.cases, ElementsAre("a/*", "b"));
  EXPECT_THAT(run.variants, ElementsAre("none"));
  EXPECT_EQ(run.profile, Profile::nightly);
  EXPECT_EQ(run.rounds, 8u);
  EXPECT_EQ(run.budget, std::chrono::minutes(90));
  EXPECT_EQ(run.deadline, std::chrono::milliseconds(250));
  EXPECT_EQ(run.seed, 9223372036854775807u);
  EXPECT_EQ(run.out, "runs/x");
  EXPECT_EQ(asked<RunArguments>({"run", "--resume", "runs/x"}).resume, "runs/x");
  EXPECT_EQ(asked<RunArguments>({"run", "--baselines", "b"}).baselines, "b");
  const auto list = asked<ListArguments>({"list", "--profile", "nightly", "--baselines", "b"});
  EXPECT_EQ(list.profile, Profile::nightly);
  EXPECT_EQ(list.baselines, "b");
  EXPECT_EQ(asked<ListArguments>({"list", "--profile", "quick", "--deadline", "20m"}).deadline,
            std::chrono::minutes(20));
  EXPECT_EQ(asked<RunArguments>({"run", "--profile", "quick"}).profile, Profile::quick);
  EXPECT_EQ(asked<RunArguments>({"run", "--profile", "thorough"}).profile, Profile::thorough);
}

TEST(CommandLine, TakesAListOfCpusAsOneName) {
  EXPECT_THAT(asked<RunArguments>({"run", "--variant", "cpus:0,2", "--variant", "cpus:0-3,8"}).variants,
              ElementsAre("cpus:0,2", "cpus:0-3,8"));
  EXPECT_THAT(asked<VariantsArguments>({"variants", "cpus:0,2"}).names, ElementsAre("cpus:0,2"));
}

TEST(CommandLine, HasJsonAndQuietForEveryCommand) {
  for (const std::string command : {"list", "topology", "variants", "run", "show", "accept", "gate"}) {
    const auto flags = [&](const char* flag) {
      std::vector<const char*> words{"bindgate", command.c_str()};
      if (command == "show" || command == "accept" || command == "gate") words.push_back("runs/a");
      if (*flag) words.push_back(flag);
      const Parsed parsed = parse_command_line(static_cast<int>(words.size()), words.data());
      const auto* line = std::get_if<CommandLine>(&parsed);
      EXPECT_TRUE(line) << command << ' ' << flag;
      return line ? std::pair(line->json, line->quiet) : std::pair(false, false);
    };
    EXPECT_EQ(flags(""), std::pair(false, false)) << command;
    EXPECT_EQ(flags("--json"), std::pair(true, false)) << command;
    EXPECT_EQ(flags("--quiet"), std::pair(false, true)) << command;
  }
}

TEST(Variants, ComeFromAFileOfOnesOwnAndMayBeDegraded) {
  const auto run = asked<RunArguments>({"run", "--variants-file", "mine.json", "--allow-degraded"});
  EXPECT_EQ(run.variants_file, "mine.json");
  EXPECT_TRUE(run.allow_degraded);
  const auto variants = asked<VariantsArguments>({"variants", "--variants-file=mine.json", "numactl"});
  EXPECT_EQ(variants.variants_file, "mine.json");
  EXPECT_FALSE(variants.allow_degraded);
}

TEST(Help, HasAnExampleForEveryCommand) {
  for (const char* command : {"list", "topology", "variants", "run", "show", "accept", "gate"}) {
    const ParsingEnd help = ended({command, "--help"});
    EXPECT_EQ(help.exit, 0) << command;
    EXPECT_THAT(help.text, HasSubstr("Example:\n  bindgate " + std::string(command) + ' ')) << command;
    EXPECT_THAT(help.text, HasSubstr("--json")) << command;
  }
}

TEST(Help, LeadsThroughAFirstSessionAndNamesTheExitStatus) {
  const ParsingEnd help = ended({"--help"});
  EXPECT_EQ(help.exit, 0);
  for (const char* command : {"list", "topology", "variants", "run", "show", "accept", "gate"})
    EXPECT_THAT(help.text, HasSubstr("\n  " + std::string(command) + ' '));
  EXPECT_THAT(help.text, HasSubstr("A first session:"));
  EXPECT_THAT(help.text, HasSubstr("Exit status: 0 good, 1 regressed"));
}

TEST(Help, GivesEveryVariantItsMeaningInOneLine) {
  const ParsingEnd help = ended({"variants", "--help"});
  for (const VariantHelp& variant : Catalogue().help()) {
    EXPECT_THAT(help.text, HasSubstr("\n  " + variant.name + ' '));
    EXPECT_THAT(help.text, HasSubstr("  " + variant.meaning + '\n'));
  }
}

TEST(Help, SaysWhatTheExitStatusOfAComparisonIs) {
  EXPECT_THAT(ended({"topology", "--help"}).text, HasSubstr("Exit status: 0, also where --compare finds differences"));
}

TEST(Help, SaysWhoseCpusAVariantHasForVerify) {
  EXPECT_THAT(ended({"verify", "--help"}).text, HasSubstr("all CPUs and nodes that the calling shell may"));
}

TEST(Help, TellsTheVersion) {
  const ParsingEnd version = ended({"--version"});
  EXPECT_EQ(version.exit, 0);
  EXPECT_THAT(version.text, ::testing::MatchesRegex("bindgate [0-9.]+\n"));
}

TEST(UsageError, AnswersAnUnknownCommandWithTheNearest) {
  EXPECT_THAT(refusal({"gaet", "runs/a"}), HasSubstr("unknown command 'gaet'; did you mean 'gate'?"));
  EXPECT_THAT(refusal({"frobnicate"}), HasSubstr("unknown command 'frobnicate'; known: "));
}

TEST(UsageError, AnswersAnUnknownOptionWithTheNearest) {
  EXPECT_THAT(refusal({"run", "--varint", "none"}), HasSubstr("unknown option '--varint'; did you mean '--variant'?"));
  EXPECT_THAT(refusal({"run", "--budgte=5m"}), HasSubstr("unknown option '--budgte'; did you mean '--budget'?"));
  EXPECT_THAT(refusal({"gate", "a", "--polcy", "p"}), HasSubstr("'--polcy'; did you mean '--policy'?"));
  EXPECT_THAT(refusal({"gate", "a", "--rounds", "3"}), HasSubstr("unknown option '--rounds'"));
}

TEST(UsageError, NamesAWordTooMuch) {
  EXPECT_THAT(refusal({"show", "runs/a", "runs/b"}), HasSubstr("unexpected word 'runs/b'"));
  EXPECT_THAT(refusal({"run", "matmul/*"}), HasSubstr("unexpected word 'matmul/*'; name cases with --case"));
  EXPECT_THAT(refusal({"run", "profile", "nightly"}),
              HasSubstr("unexpected word 'profile'; did you mean '--profile'?"));
}

TEST(UsageError, AsksForWhatIsMissing) {
  EXPECT_THAT(refusal({}), HasSubstr("A subcommand is required"));
  for (const char* command : {"show", "accept", "gate"}) EXPECT_THAT(refusal({command}), HasSubstr("RUN"));
  EXPECT_THAT(refusal({"run", "--case"}), HasSubstr("--case"));
}

TEST(UsageError, NamesTheOptionAndWhatItTakes) {
  EXPECT_THAT(refusal({"run", "--deadline", "5"}), AllOf(HasSubstr("--deadline"), HasSubstr("'5' has no unit")));
  EXPECT_THAT(refusal({"run", "--budget", "5"}), AllOf(HasSubstr("--budget"), HasSubstr("'5' has no unit")));
  EXPECT_THAT(refusal({"run", "--budget", "soon"}), AllOf(HasSubstr("--budget"), HasSubstr("soon")));
  EXPECT_THAT(refusal({"run", "--budget", "-5m"}), AllOf(HasSubstr("--budget"), HasSubstr("-5m")));
  for (const char* rounds : {"0", "1001", "-1", "many", "2.5"})
    EXPECT_THAT(refusal({"run", "--rounds", rounds}), AllOf(HasSubstr("--rounds"), HasSubstr(rounds))) << rounds;
  for (const char* seed : {"9223372036854775808", "-1", "lucky"})
    EXPECT_THAT(refusal({"run", "--seed", seed}), AllOf(HasSubstr("--seed"), HasSubstr(seed))) << seed;
  EXPECT_THAT(refusal({"run", "--profile", "fast"}),
              AllOf(HasSubstr("--profile"), HasSubstr("quick"), HasSubstr("nightly"), HasSubstr("thorough")));
}

TEST(UsageError, AnswersAnUnknownProfileWithTheNearest) {
  for (const char* command : {"run", "list"})
    EXPECT_THAT(refusal({command, "--profile", "nigthly"}),
                HasSubstr("--profile: unknown profile 'nigthly'; did you mean 'nightly'?"));
}

TEST(UsageError, AnswersAnUnknownOptionBeforeAnyCommandWithTheNearest) {
  EXPECT_THAT(refusal({"--versoin"}), HasSubstr("unknown option '--versoin'; did you mean '--version'?"));
  EXPECT_THAT(refusal({"--hlep"}), HasSubstr("unknown option '--hlep'; did you mean '--help'?"));
  EXPECT_THAT(refusal({"-x"}), HasSubstr("unknown option '-x'"));
}

TEST(UsageError, RefusesWhatListHasNoUseFor) {
  EXPECT_THAT(refusal({"list", "matmul/*", "--profile", "quick"}), HasSubstr("GLOB excludes --profile"));
  EXPECT_THAT(refusal({"list", "--baselines", "b"}), HasSubstr("--baselines requires --profile"));
  EXPECT_THAT(refusal({"list", "--deadline", "1m"}), HasSubstr("--deadline requires --profile"));
}

}  // namespace
}  // namespace bindgate
