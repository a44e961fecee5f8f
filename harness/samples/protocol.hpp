#pragma once
// The words that a bench program and the harness exchange, one JSON object a line over two pipes;
// bench/README.md teaches the conversation. Both ends encode and read them here, so they cannot drift.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/error.hpp"
#include "core/index_set.hpp"
#include "samples/block.hpp"
#include "samples/case_info.hpp"

namespace bindgate::protocol {

inline constexpr int version = 1;
inline constexpr std::int64_t largest_batch = 1'000'000'000;  ///< iterations in one sample

/// Environment variables through which the harness hands over descriptor numbers.
inline constexpr const char* command_descriptor = "BINDGATE_COMMAND_FD";  ///< program reads commands
inline constexpr const char* reply_descriptor = "BINDGATE_REPLY_FD";      ///< program writes replies
inline constexpr const char* life_descriptor = "BINDGATE_LIFE_FD";        ///< end-of-file here: end at once
/// Compute threads that the program shall use; at least 1.
inline constexpr const char* threads_variable = "BINDGATE_THREADS";
/// Names, as a list, the CPUs that worker processes run on; not set: the program's own.
inline constexpr const char* worker_cpus_variable = "BINDGATE_WORKER_CPUS";

// Commands, harness to program.

/// Set up, check and warm up one case. Answered by Ready, NotRun or Failed.
struct Begin {
  std::string case_name;
  bool operator==(const Begin&) const = default;
};
/// One turn at the case: reference readings, lead-in, one block. Answered by Block (or Failed).
struct Turn {
  unsigned turn = 0;
  unsigned samples = 1;    ///< at least 1
  std::int64_t batch = 1;  ///< iterations per sample, at least 1
  std::vector<ReferenceKernel> references;
  bool operator==(const Turn&) const = default;
};
/// Tear the case down. Answered by Done.
struct Next {
  bool operator==(const Next&) const = default;
};
/// End the process with status 0. Not answered.
struct Exit {
  bool operator==(const Exit&) const = default;
};
using Command = std::variant<Begin, Turn, Next, Exit>;

// Replies, program to harness.

/// The first line of every program, unasked.
struct Hello {
  int version = protocol::version;
  std::string program;
  std::string build_type;                        ///< "Release", "Debug", ...
  std::map<std::string, std::string> libraries;  ///< name -> version, as the program sees them
  std::map<std::string, std::string> settings;   ///< what else shapes the numbers: blas_core, cpu_capability, ...
  std::vector<CaseInfo> cases;
  bool operator==(const Hello&) const = default;
};
/// Memory of the case's working set, for the proof of its pages.
struct Range {
  std::uint64_t start = 0, bytes = 0;
  bool operator==(const Range&) const = default;
};
struct Ready {
  std::vector<std::int64_t> warmup_ns;  ///< wall time of every warm-up iteration in order, at least one
  std::vector<Range> ranges;
  unsigned threads = 1;  ///< compute threads that the case uses
  bool moves = false;    ///< the case itself narrows the masks of its threads, within the placement's CPUs
  std::int64_t warmed_ns = 0;  ///< wall time of all warm-up, of which the series may hold the beginning; 0: its sum
  bool operator==(const Ready&) const = default;
};
/// This machine or build cannot run the case; that is no failure. `reason` completes "not run: ...".
struct NotRun {
  std::string reason;
  bool operator==(const NotRun&) const = default;
};
/// The case is wrong or broken; `reason` says what was expected and found.
struct Failed {
  std::string reason;
  bool operator==(const Failed&) const = default;
};
struct Done {
  std::map<std::string, double> figures;  ///< what else the case found out, by name
  bool operator==(const Done&) const = default;
};
using Reply = std::variant<Hello, Ready, NotRun, Failed, Block, Done>;

/// Bytes of all ranges together, at most the largest integer that a journal takes.
[[nodiscard]] std::uint64_t working_set_bytes(const Ready& ready);

/// One line without its line feed.
[[nodiscard]] std::string encode(const Command& command);
[[nodiscard]] std::string encode(const Reply& reply);

/// Errors name `source` and the key; unknown keys are allowed, so that newer programs still talk.
[[nodiscard]] Result<Command> parse_command(std::string_view line, const std::string& source);
[[nodiscard]] Result<Reply> parse_reply(std::string_view line, const std::string& source);

}  // namespace bindgate::protocol
