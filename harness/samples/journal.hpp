#pragma once
// The run's journal, run.jsonl: append-only, one JSON object a line, each with "line": its kind.
// A kill or a power cut at any byte leaves a journal that reads; only its torn last line is lost.

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/files.hpp"
#include "samples/launch.hpp"
#include "samples/run.hpp"

namespace bindgate {

inline constexpr const char* journal_file_name = "run.jsonl";

/// Appends whole lines to a journal and nothing else. Every call writes at once; errors: as write(2), named
/// with the file (a full disk among them). A failed write is cut off again where the file system allows.
class Journal {
 public:
  /// Makes `directory` (which must not hold a journal) and writes the first line: everything of `run` but
  /// launches. Errors: exists, read-only, no permission, disk full.
  static Result<Journal> create(const std::filesystem::path& directory, const Run& run);

  /// Opens an existing journal to go on; a torn last line is cut off and launches of unfinished rounds are
  /// abandoned by a line that says so. Errors: no journal there, not writable, another process writes it.
  static Result<Journal> resume(const std::filesystem::path& directory);

  [[nodiscard]] Result<void> launch_started(const Launch& launch);               ///< all but cases and how it ended
  [[nodiscard]] Result<void> case_started(unsigned launch, const CaseRun& run);  ///< Ready, NotRun or Failed
  [[nodiscard]] Result<void> block(unsigned launch, std::string_view case_name, const Block& block);
  [[nodiscard]] Result<void> case_ended(unsigned launch, const CaseRun& run);  ///< outcome, reason, proof, others' CPU time
  [[nodiscard]] Result<void> launch_ended(const Launch& launch);               ///< failure, times, output
  [[nodiscard]] Result<void> round_completed(unsigned round, const Spent& spent = {});
  [[nodiscard]] Result<void> stopped(std::string_view reason);
  [[nodiscard]] Result<void> finished();

 private:
  Journal(Descriptor file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}
  Result<void> append(std::string line);

  Descriptor file_;
  std::string path_;
};

/// Takes a case that will get no more blocks, with what the plan and its launch say of it so far (how the launch
/// ended is not known yet). What it empties is gone from the run.
using OnCaseRead = std::function<void(const Plan& plan, Launch& launch, CaseRun& measured)>;

/// Reads a run's directory (or its journal) line by line. A torn last line is left out; any other fault is an
/// error that names file, line and key. Rounds without their completion line are not in `rounds`.
/// Each case goes once to `on_case_read`, when it ends or, if it never does, at the end of the journal.
[[nodiscard]] Result<Run> read_run(const std::filesystem::path& run, const OnCaseRead& on_case_read = {});

}  // namespace bindgate
