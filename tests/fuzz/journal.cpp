// The journal's reader: a whole file, as a directory holds it; and, where the input has no line feed, one line in
// the middle of a run. What reads must survive being written and read again; a file cut short must read as far as
// it goes.

#include "samples/journal.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/files.hpp"
#include "samples/journal_lines.hpp"
#include "target.hpp"

namespace {

using namespace bindgate;
using fuzz::check;

class FileInMemory {
 public:
  FileInMemory() : file_(memfd_create("journal", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(file_.get())) {}
  void hold(std::string_view text) {
    check(ftruncate(file_.get(), 0) == 0 && lseek(file_.get(), 0, SEEK_SET) == 0 && write_all(file_.get(), text),
          "a file in memory can be written");
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  Descriptor file_;
  std::string path_;
};

Result<Run> read_text(std::string_view text) {
  static FileInMemory file;
  file.hold(text);
  auto run = read_run(file.path());
  if (!run) fuzz::check_error(run.error(), file.path());
  return run;
}

// A "resumed" line abandons every launch whose round is not complete by then; a kept launch's round is.
std::string encode(const Run& run) {
  std::string text = journal_lines::header(run) + '\n';
  const auto add = [&text](const std::string& line) { text += line + '\n'; };
  for (const Launch& launch : run.launches) {
    add(journal_lines::resumed());
    add(journal_lines::launch_started(launch));
    for (const CaseRun& measured : launch.cases) {
      add(journal_lines::case_started(launch.id, measured));
      for (const Block& block : measured.blocks) add(journal_lines::block(launch.id, measured.name, block));
      add(journal_lines::case_ended(launch.id, measured));
    }
    add(journal_lines::launch_ended(launch));
    if (!run.abandoned.contains(launch.id)) add(journal_lines::round_completed(launch.round, {}));
  }
  add(journal_lines::resumed());
  Spent spent = run.spent;  // a sum: which round told which part of it is not kept
  for (const unsigned round : run.rounds) add(journal_lines::round_completed(round, std::exchange(spent, {})));
  if (!run.stopped.empty()) add(journal_lines::stopped(run.stopped));
  if (run.finished) add(journal_lines::finished());
  return text;
}

void check_round_trip(const Run& run) {
  const std::string text = encode(run);
  const auto again = read_text(text);
  check(again.has_value(), "what was read can be written and read again", again ? "" : again.error().message);
  check(*again == run, "reading what was written gives the same run", text);
}

bool holds_nothing(const Error& error) { return error.message.find("holds no whole line") != std::string::npos; }

// The number of the line that an error complains of.
std::size_t line_of(const Error& error, std::string_view text) {
  const std::string place = error.message.substr(error.message.find(':') + 1);
  const auto line = static_cast<std::size_t>(std::strtoul(place.c_str(), nullptr, 10));
  check(line >= 1 && line <= static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')),
        "an error in a journal names a line of it", error.message);
  return line;
}

void check_cut(std::string_view text, const Result<Run>& whole) {
  std::size_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  const std::string_view cut = text.substr(0, hash % (text.size() + 1));
  const auto lines = static_cast<std::size_t>(std::count(cut.begin(), cut.end(), '\n'));
  const auto part = read_text(cut);
  if (!part) {
    check(holds_nothing(part.error()) == (lines == 0), "a journal holds nothing only before its first whole line",
          part.error().message);
    check(lines == 0 || (!whole && part.error() == whole.error()), "a cut adds no fault", part.error().message);
  } else if (!whole) {
    check(holds_nothing(whole.error()) || lines < line_of(whole.error(), text), "a cut hides no fault before it",
          whole.error().message);
  } else {
    check(part->launches.size() <= whole->launches.size() &&
              std::includes(whole->rounds.begin(), whole->rounds.end(), part->rounds.begin(), part->rounds.end()),
          "a cut adds nothing");
  }
}

Run run_in_progress() {
  Run run;
  run.id = run.started = "2026-01-31T23:59:59Z";
  Launch launch;
  launch.id = 7;
  launch.member.variant = "none";
  launch.cases.push_back({});
  launch.cases.back().name = "a/b";
  run.launches.push_back(launch);
  return run;
}

void read_line(std::string_view line) {
  Run run = run_in_progress();
  if (const auto read = journal_lines::read(line, "run.jsonl:3", run); !read)
    return fuzz::check_error(read.error(), "run.jsonl:3: ");
  for (const Launch& launch : run.launches)  // as read_run does at the end of the file
    if (!run.rounds.contains(launch.round)) run.abandoned.insert(launch.id);
  check_round_trip(run);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  if (text.find('\n') == std::string_view::npos) read_line(text);
  const auto run = read_text(text);
  if (run) check_round_trip(*run);
  check_cut(text, run);
  return 0;
}
