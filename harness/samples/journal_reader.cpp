#include <algorithm>
#include <fstream>
#include <system_error>

#include "core/files.hpp"
#include "samples/journal.hpp"
#include "samples/journal_lines.hpp"
#include "samples/journal_scan.hpp"
#include "samples/protocol.hpp"

namespace bindgate {
namespace journal_lines {
namespace {

std::string text_if_any(const JsonCursor& cursor, std::string_view key) {
  const auto text = cursor.find(key);
  return text ? text->string() : "";
}

std::optional<double> seconds_if_any(const JsonCursor& cursor, std::string_view key) {
  const auto seconds = cursor.find(key);
  return seconds ? std::optional(seconds->number(0, longest_seconds)) : std::nullopt;
}

void read_header(const JsonCursor& root, Run& run) {
  if (const std::string found = root["schema"].string(); found != schema)
    root["schema"].fault("expected \"" + std::string(schema) + "\", found \"" + found +
                         "\"; read this run with the bindgate that wrote it");
  run.id = root["id"].string();
  if (run.id.empty()) root["id"].fault("a run needs an id; is it a run's journal?");
  run.started = root["started"].string();
  run.bindgate_version = root["bindgate"]["version"].string();
  run.bindgate_build = root["bindgate"]["build"].string();
  run.fingerprint.fields = root["fingerprint"].string_map();
  run.environment = root["environment"].string_map();
  run.findings = root["findings"].strings();
  if (const auto machine = root.find("machine")) run.machine = machine->dump();
  run.plan = read_plan(root["plan"]);
}

Launch read_launch(const JsonCursor& root) {
  Launch launch;
  launch.id = static_cast<unsigned>(root["launch"].integer(0, 100'000'000));
  launch.round = static_cast<unsigned>(root["round"].integer(0, 1'000'000));
  launch.program = root["program"].string();
  const JsonCursor member = root["member"];
  launch.member = {member["variant"].string(), read_side(member["side"]), read_role(member["role"]),
                   read_purpose(member["purpose"])};
  launch.pid = static_cast<int>(root["pid"].integer(0, std::numeric_limits<int>::max()));
  launch.placement = read_placement(root["placement"]);
  launch.build_type = root["build_type"].string();
  launch.libraries = root["libraries"].string_map();
  launch.settings = root["settings"].string_map();
  launch.loaded = root["loaded"].strings();
  launch.environment = root["environment"].string_map();
  launch.removed = root["removed"].strings();
  return launch;
}

// Both look from the end: the launches of the ensemble at work, and the case that they are at, came last.
Launch* find_launch(Run& run, std::int64_t id) {
  const auto launch = std::find_if(run.launches.rbegin(), run.launches.rend(),
                                   [id](const Launch& candidate) { return candidate.id == id; });
  return launch != run.launches.rend() ? &*launch : nullptr;
}

CaseRun* find_case(Launch& launch, std::string_view name) {
  const auto found = std::find_if(launch.cases.rbegin(), launch.cases.rend(),
                                  [name](const CaseRun& candidate) { return candidate.name == name; });
  return found != launch.cases.rend() ? &*found : nullptr;
}

Launch* find_launch(const JsonCursor& root, Run& run) {
  Launch* const launch = find_launch(run, root["launch"].integer());
  if (!launch) root["launch"].fault("no launch with this id was started before this line");
  return launch;
}

struct Place {
  Launch* launch = nullptr;
  CaseRun* measured = nullptr;
};

// What has ended was handed over, so that nothing may follow.
std::optional<Place> find_open_case(const JsonCursor& root, Run& run) {
  Launch* const launch = find_launch(root, run);
  if (!launch) return std::nullopt;
  const std::string name = root["case"].string();
  CaseRun* const found = find_case(*launch, name);
  if (!found)
    root["case"].fault("this launch has not started case \"" + name + '"');
  else if (found->outcome != CaseOutcome::unfinished)
    root["case"].fault("case \"" + name + "\" of this launch ended before this line");
  else
    return Place{launch, found};
  return std::nullopt;
}

void read_case_start(const JsonCursor& root, Run& run) {
  Launch* launch = find_launch(root, run);
  if (!launch) return;
  CaseRun started;
  started.name = root["case"].string();
  for (const CaseRun& earlier : launch->cases)
    if (earlier.name == started.name)
      root["case"].fault("case \"" + started.name + "\" was started twice in this launch");
  started.warmup_ns = root["warmup_ns"].integers(0);
  started.batch = root["batch"].integer(1, protocol::largest_batch);
  started.threads = static_cast<unsigned>(root["threads"].integer(1, IndexSet::largest_id));
  started.working_set_bytes = static_cast<std::uint64_t>(root["working_set_bytes"].integer());
  launch->cases.push_back(std::move(started));
}

std::optional<Place> read_case_end(const JsonCursor& root, Run& run) {
  const auto ended = find_open_case(root, run);
  if (!ended) return std::nullopt;
  CaseRun& measured = *ended->measured;
  measured.outcome = read_case_outcome(root["outcome"]);
  measured.reason = root["reason"].string();
  if (const auto proof = root.find("proof")) measured.proof = read_proof(*proof);
  if (const auto figures = root.find("figures")) measured.figures = figures->number_map();
  measured.wall_seconds = seconds_if_any(root, "wall_seconds");
  measured.others_cpu_seconds = seconds_if_any(root, "others_cpu_seconds");
  measured.steal_seconds = seconds_if_any(root, "steal_seconds");
  return ended;
}

void read_launch_end(const JsonCursor& root, Run& run) {
  if (Launch* launch = find_launch(root, run)) {
    launch->failure = root["failure"].string();
    launch->output_tail = text_if_any(root, "output_tail");
    launch->wall_seconds = seconds_if_any(root, "wall_seconds");
    launch->others_cpu_seconds = seconds_if_any(root, "others_cpu_seconds");
    launch->steal_seconds = seconds_if_any(root, "steal_seconds");
  }
}

// A launch outside a complete round was cut off; whatever began its round anew stands further down.
void abandon_unfinished(Run& run) {
  for (const Launch& launch : run.launches)
    if (!run.rounds.contains(launch.round)) run.abandoned.insert(launch.id);
}

/// Of a line that the scan knows; the strict reader knows all, and what is wrong with a line.
bool read_quickly(std::string_view line, Run& run, std::optional<Place>& ended) {
  const auto open_case = [&run](const auto& scanned) -> std::optional<Place> {
    Launch* const launch = find_launch(run, scanned.launch);
    CaseRun* const found = launch ? find_case(*launch, scanned.case_name) : nullptr;
    if (!found || found->outcome != CaseOutcome::unfinished) return std::nullopt;
    return Place{launch, found};
  };
  if (auto block = scan_block(line)) {
    const auto place = open_case(*block);
    if (!place) return false;
    std::vector<Block>& blocks = place->measured->blocks;
    if (blocks.empty()) blocks.reserve(std::min(run.plan.turns, 128U));
    blocks.push_back(std::move(block->content));
    return true;
  }
  if (auto start = scan_case_start(line)) {
    Launch* const launch = find_launch(run, start->launch);
    if (!launch || find_case(*launch, start->case_name)) return false;
    start->content.name = start->case_name;
    launch->cases.push_back(std::move(start->content));
    return true;
  }
  if (auto end = scan_case_end(line)) {
    ended = open_case(*end);
    if (!ended) return false;
    ended->measured->outcome = end->content.outcome;
    ended->measured->reason = std::move(end->content.reason);
    if (end->content.proof) ended->measured->proof = std::move(end->content.proof);
    ended->measured->wall_seconds = end->content.wall_seconds;
    ended->measured->others_cpu_seconds = end->content.others_cpu_seconds;
    ended->measured->steal_seconds = end->content.steal_seconds;
    return true;
  }
  return false;
}

Result<void> read_strictly(std::string_view line, const std::string& source, Run& run, std::optional<Place>& ended) {
  static constexpr std::string_view kinds[] = {"run",          "launch",          "case",    "block",   "case_ended",
                                               "launch_ended", "round_completed", "resumed", "stopped", "finished"};
  JsonDocument document(line, source);
  const JsonCursor root = document.root();
  const std::size_t kind = root["line"].one_of(kinds);
  const bool has_header = !run.id.empty();
  if (document.good() && (kind == 0) == has_header)
    root["line"].fault(has_header ? "a second header; two runs were mixed in one file"
                                  : "the first line must be the run's header; is it a run's journal?");
  if (document.good()) switch (kind) {
      case 0:
        read_header(root, run);
        break;
      case 1: {
        Launch launch = read_launch(root);
        if (!run.launches.empty() && launch.id <= run.launches.back().id)
          root["launch"].fault("ids of launches must rise from line to line");
        run.launches.push_back(std::move(launch));
        break;
      }
      case 2:
        read_case_start(root, run);
        break;
      case 3:
        if (const auto place = find_open_case(root, run)) place->measured->blocks.push_back(read_block(root));
        break;
      case 4:
        ended = read_case_end(root, run);
        break;
      case 5:
        read_launch_end(root, run);
        break;
      case 6:
        run.rounds.insert(static_cast<unsigned>(root["round"].integer(0, std::int64_t{run.plan.rounds} - 1)));
        if (const auto spent = root.find("spent")) run.spent += read_spent(*spent);
        break;
      case 7:
        abandon_unfinished(run);
        run.stopped.clear();
        break;
      case 8:
        run.stopped = root["reason"].string();
        break;
      default:
        run.finished = true;
    }
  if (auto read = document.finish(true); !read) return tl::unexpected(read.error());
  return {};
}

}  // namespace

Result<void> read(std::string_view line, const std::string& source, Run& run, const OnCaseRead& on_case_read) {
  std::optional<Place> ended;
  if (!read_quickly(line, run, ended))
    if (auto read = read_strictly(line, source, run, ended); !read) return read;
  if (ended && on_case_read && ended->measured->outcome != CaseOutcome::unfinished)
    on_case_read(run.plan, *ended->launch, *ended->measured);
  return {};
}

}  // namespace journal_lines

Result<Run> read_run(const std::filesystem::path& path, const OnCaseRead& on_case_read) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path file = fs::is_directory(path, error) ? path / journal_file_name : path;
  const auto type = fs::status(file, error).type();
  if (type == fs::file_type::not_found || type == fs::file_type::directory)
    return fail(file.string() + (type == fs::file_type::directory ? ": is a directory" : ": there is no run") +
                "; name the directory that bindgate run wrote");
  if (!error && type != fs::file_type::regular)
    return fail(file.string() + ": is a pipe, device or socket; name the directory that bindgate run wrote");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return fail(file.string() + ": " + describe_errno("open", errno) + "; check the permissions");
  Run run;
  std::string line;
  const std::string source = file.string() + ':';
  for (unsigned long number = 1; std::getline(stream, line); ++number) {
    if (stream.eof()) break;  // no line feed: torn by a crash
    if (auto read = journal_lines::read(line, source + std::to_string(number), run, on_case_read); !read)
      return tl::unexpected(read.error());
  }
  if (stream.bad()) return fail(file.string() + ": " + describe_errno("read", errno) + "; check the disk it lies on");
  if (run.id.empty())
    return fail(file.string() + ": holds no whole line; the run ended before it began, remove it and start again");
  for (const Launch& launch : run.launches)
    if (!run.rounds.contains(launch.round)) run.abandoned.insert(launch.id);
  if (on_case_read)
    for (Launch& launch : run.launches)
      for (CaseRun& measured : launch.cases)
        if (measured.outcome == CaseOutcome::unfinished) on_case_read(run.plan, launch, measured);
  return run;
}

}  // namespace bindgate
