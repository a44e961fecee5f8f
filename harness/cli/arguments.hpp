#pragma once
// What was asked for on the command line, one aggregate per command. Nothing is looked up or checked here
// beyond the form: whether a case or a file exists is for the command to say.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "samples/case_info.hpp"

namespace bindgate {

struct ListArguments {
  std::vector<std::string> globs;
  std::optional<Profile> profile;  ///< what it holds and how long it takes, instead of what there is
  std::filesystem::path baselines = "baselines";
  std::optional<std::chrono::nanoseconds> deadline;  ///< for one step of a launch; absent: the runner's
};

struct TopologyArguments {
  std::string source = "live";
  std::string compare;  ///< an earlier --json document, or any source; "": just show the machine
};

struct VariantsArguments {
  std::string source = "live";
  std::vector<std::string> names;
  std::filesystem::path variants_file;  ///< empty: the built-in ones only
  bool allow_degraded = false;          ///< plan what is left of a variant that is refused in part
};

/// An option that was not given is absent, so that `--resume` can tell a wish from a default.
struct RunArguments {
  std::vector<std::string> cases, variants;
  std::optional<Profile> profile;
  std::optional<unsigned> rounds;
  std::optional<std::chrono::nanoseconds> budget;
  std::optional<std::chrono::nanoseconds> deadline;  ///< for one step of a launch; absent: the runner's
  std::optional<std::uint64_t> seed;
  std::filesystem::path baselines = "baselines";
  std::filesystem::path out;     ///< empty: ./runs/<UTC time>
  std::filesystem::path resume;  ///< empty: a new run
  std::filesystem::path variants_file;  ///< empty: the built-in ones only
  bool allow_degraded = false;          ///< measure what is left of a variant that is refused in part
};

struct ShowArguments {
  std::filesystem::path run;
};

struct AcceptArguments {
  std::filesystem::path run, baselines = "baselines";
  std::string note;
  bool new_level = false, force = false;
};

struct GateArguments {
  std::filesystem::path run, baselines = "baselines";
  std::filesystem::path policy;    ///< empty: policy.json in `baselines`
  std::filesystem::path markdown;  ///< empty: none is written
};

struct VerifyArguments {
  int process = 0;
  std::string variant;  ///< empty: the facts alone
  std::filesystem::path variants_file;  ///< empty: the built-in ones only
  bool repair = false;  ///< show what would have to be done; with `yes`, do it
  bool yes = false;
};

using CommandArguments = std::variant<ListArguments, TopologyArguments, VariantsArguments, RunArguments, ShowArguments,
                                    AcceptArguments, GateArguments, VerifyArguments>;

struct CommandLine {
  CommandArguments command;
  bool json = false;   ///< stdout is one JSON document
  bool quiet = false;  ///< no progress, no hints: results and errors only
};

/// Help or a version to print, or a usage error: what parsing ends with when there is nothing to do.
struct ParsingEnd {
  std::string text;
  int exit = 0;  ///< 0: print to stdout; 2: an error, print to stderr
};

[[nodiscard]] std::variant<CommandLine, ParsingEnd> parse_command_line(int count, const char* const* words);

}  // namespace bindgate
