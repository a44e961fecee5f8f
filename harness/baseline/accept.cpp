#include "baseline/accept.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>

#include "baseline/store.hpp"
#include "core/files.hpp"
#include "core/names.hpp"

namespace bindgate {
namespace {

namespace fs = std::filesystem;

struct Change {
  fs::path file;
  CaseHistory before;  // no nights: there is no file yet
  CaseHistory after;
};

struct NewFile {
  fs::path path;
  std::string content;
};

Result<Change> add_night(const fs::path& directory, const Run& run, const Baseline& baseline,
                         const CaseHistory& summary, const AcceptOptions& options, bool forced) {
  Change change{baseline_file(directory, run.fingerprint, summary.case_name),
                {summary.case_name, run.fingerprint, summary.clock, {}}, {}};
  if (change.file == nightly_list_file(directory, run.fingerprint))
    return fail("case \"" + summary.case_name + "\": its file would be that of the nightly list, " +
                change.file.string() + "; give the case another name");
  for (const CaseHistory& history : baseline.cases)
    if (history.case_name == summary.case_name) change.before = history;
  change.after = change.before;
  if (change.before.clock != summary.clock)
    return fail(change.file.string() + ": holds times by clock " + std::string(name_of(change.before.clock)) +
                ", this run by " + std::string(name_of(summary.clock)) + "; remove the file to start anew");
  for (const Night& night : change.before.nights)
    if (night.run == run.id)
      return fail(change.file.string() + ": run " + run.id + " was accepted already at " + night.accepted +
                  "; nothing was changed");
  if (summary.nights.size() != 1)
    return fail("case \"" + summary.case_name + "\": " + std::to_string(summary.nights.size()) +
                " nights instead of one");
  Night night = summary.nights.front();
  night.run = run.id;
  night.measured = run.started;
  night.environment = run.environment;
  night.accepted = options.accepted;
  night.note = options.note;
  night.forced = forced;
  night.level = change.before.nights.empty() ? 0 : change.before.nights.back().level + (options.new_level ? 1 : 0);
  change.after.nights.push_back(std::move(night));
  return change;
}

void undo(const Change& change) {
  std::error_code ignored;
  if (change.before.nights.empty()) fs::remove(change.file, ignored);
  else (void)write_file_atomically(change.file, encode(change.before));
}

// Everything is on disk before the first file changes, so that a full disk changes none.
Result<void> store(const std::vector<Change>& changes, const std::optional<NewFile>& list) {
  std::vector<StagedFile> staged;
  for (const Change& change : changes) {
    auto file = StagedFile::write(change.file, encode(change.after));
    if (!file) return tl::unexpected(file.error());
    staged.push_back(*std::move(file));
  }
  if (list) {
    auto file = StagedFile::write(list->path, list->content);
    if (!file) return tl::unexpected(file.error());
    staged.push_back(*std::move(file));
  }
  for (std::size_t i = 0; i < staged.size(); ++i)
    if (auto committed = staged[i].commit(); !committed) {
      for (std::size_t done = 0; done < i; ++done) undo(changes[done]);
      return committed;
    }
  return {};
}

std::vector<std::string> cases_without(const std::vector<CaseHistory>& summaries, const Plan& plan) {
  std::vector<std::string> names;
  for (const PlannedProgram& program : plan.programs)
    for (const CaseInfo& info : program.cases)
      if (std::none_of(summaries.begin(), summaries.end(),
                       [&](const CaseHistory& summary) { return summary.case_name == info.name; }))
        names.push_back(info.name);
  return names;
}

}  // namespace

std::vector<std::string> reasons_against(const Run& run) {
  std::vector<std::string> reasons;
  if (run.rounds.empty()) reasons.push_back("no round was completed");
  if (!run.finished)
    reasons.push_back((run.stopped.empty() ? "it is unfinished" : "it was stopped: " + run.stopped) + " (" +
                      std::to_string(run.rounds.size()) + " of " + std::to_string(run.plan.rounds) +
                      " rounds); go on with bindgate run --resume");
  std::map<std::string, unsigned> launches;  // how often each was said
  std::vector<std::string> order;
  const auto say = [&](const std::string& reason) {
    if (launches[reason]++ == 0) order.push_back(reason);
  };
  for (const Launch& launch : run.launches) {
    if (run.abandoned.contains(launch.id)) continue;
    const std::string under = " under " + launch.member.variant;
    if (!launch.failure.empty()) say(launch.program + under + " failed: " + launch.failure);
    for (const CaseRun& measured : launch.cases) {
      if (measured.outcome == CaseOutcome::failed) say(measured.name + under + " failed: " + measured.reason);
      if (measured.proof && measured.proof->status != ProofStatus::held)
        say(measured.name + under + ": binding " + std::string(name_of(measured.proof->status)) + ": " +
            measured.proof->detail);
    }
  }
  for (const std::string& reason : order)
    reasons.push_back(reason + (launches[reason] > 1 ? " (" + std::to_string(launches[reason]) + " launches)" : ""));
  for (const std::string& name : debug_builds(run))
    reasons.push_back(name + " is a Debug build; build with cmake --preset release");
  return reasons;
}

Result<AcceptedNight> accept_night(const fs::path& directory, const Run& run, const std::vector<CaseHistory>& summaries,
                                   const AcceptOptions& options) {
  AcceptedNight accepted;
  accepted.folder = baseline_folder(directory, run.fingerprint);
  accepted.unusable = cases_without(summaries, run.plan);
  accepted.against = reasons_against(run);
  if (!accepted.against.empty() && !options.force)
    return fail("run " + run.id + " is not accepted: " + joined(accepted.against, "; ") +
                "; --force accepts it and says so in the baseline");
  if (summaries.empty())
    return fail("run " + run.id + ": no case has a usable launch (" + joined(accepted.unusable) +
                "); nothing to accept");
  if (options.new_level && options.note.empty())
    return fail("--new-level needs --note TEXT; say what was changed on purpose");

  // An unreadable or misnamed baseline is found before anything is created.
  if (auto readable = load_baseline(directory, run.fingerprint); !readable) return tl::unexpected(readable.error());
  if (auto listed = load_nightly_list(directory, run.fingerprint); !listed) return tl::unexpected(listed.error());
  std::error_code error;
  fs::create_directories(accepted.folder, error);
  if (error)
    return fail(accepted.folder.string() + ": " + describe_errno("mkdir", error.value()) +
                "; choose a place that can be written");
  // Two runs that are accepted at once follow each other; where locks do not work, nobody is kept waiting.
  const Descriptor lock(open(accepted.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock) flock(lock.get(), LOCK_EX);
  const auto baseline = load_baseline(directory, run.fingerprint);
  if (!baseline) return tl::unexpected(baseline.error());
  accepted.first = baseline->cases.empty();

  std::vector<Change> changes;
  for (const CaseHistory& summary : summaries) {
    auto change = add_night(directory, run, *baseline, summary, options, !accepted.against.empty());
    if (!change) return tl::unexpected(change.error());
    accepted.cases.push_back(summary.case_name);
    changes.push_back(*std::move(change));
  }
  std::optional<NewFile> list;
  if (const fs::path file = nightly_list_file(directory, run.fingerprint); run.plan.list && !fs::exists(file, error))
    list = NewFile{file, encode(*run.plan.list)};
  if (auto stored = store(changes, list); !stored) return tl::unexpected(stored.error());
  accepted.nightly_list = list.has_value();
  for (const Change& change : changes)
    if (accepted.night.run.empty() || change.after.nights.back().level > accepted.night.level)
      accepted.night = change.after.nights.back();
  accepted.night.variants.clear();
  return accepted;
}

}  // namespace bindgate
