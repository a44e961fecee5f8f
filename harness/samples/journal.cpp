#include "samples/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "samples/journal_lines.hpp"

namespace bindgate {
namespace {

namespace fs = std::filesystem;

std::string next_step(int error) {
  switch (error) {
    case ENOSPC:
      return "; free some space, then resume";
    case EFBIG:
      return "; raise the limit on file sizes (ulimit -f), then resume";
    case ENOENT:
    case ENAMETOOLONG:
    case EPERM:
    case EROFS:
      return "; choose a place that can be written with --out";
    case EACCES:
      return "; check the permissions or choose another place with --out";
    case ENOTDIR:
      return "; a file stands where a directory is needed, choose another place with --out";
    default:
      return "";
  }
}

tl::unexpected<Error> fail_at(const std::string& path, const char* call, int error) {
  return fail(path + ": " + describe_errno(call, error) + next_step(error));
}

}  // namespace

Result<Journal> Journal::create(const fs::path& directory, const Run& run) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) return fail_at(directory.string(), "mkdir", error.value());
  const std::string path = (directory / journal_file_name).string();
  Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644));
  if (!file && errno == EEXIST)
    return fail(path + ": a run is already there; continue it with --resume " + directory.string() +
                " or name a new directory with --out");
  if (!file) return fail_at(path, "open", errno);
  flock(file.get(), LOCK_EX | LOCK_NB);
  Journal journal(std::move(file), path);
  if (auto written = journal.append(journal_lines::header(run)); !written) {
    unlink(path.c_str());
    return tl::unexpected(written.error());
  }
  return journal;
}

Result<Journal> Journal::resume(const fs::path& directory) {
  const std::string path = (directory / journal_file_name).string();
  Descriptor file(open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC));
  if (!file && errno == ENOENT) return fail(path + ": there is no run to resume; check the directory");
  if (!file) return fail_at(path, "open", errno);
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0)
    return fail(path + ": another bindgate is still writing this run; wait for it or stop it");
  auto content = read_file(path);
  if (!content) return tl::unexpected(content.error());
  const auto whole = content->rfind('\n') + 1;  // npos + 1 is 0: nothing whole
  if (whole == 0) return fail(path + ": holds no whole line; the run ended before it began, remove it and start again");
  if (whole != content->size() && ftruncate(file.get(), static_cast<off_t>(whole)) != 0)
    return fail_at(path, "ftruncate", errno);
  Journal journal(std::move(file), path);
  if (auto written = journal.append(journal_lines::resumed()); !written) return tl::unexpected(written.error());
  return journal;
}

Result<void> Journal::append(std::string line) {
  line += '\n';
  const off_t before = lseek(file_.get(), 0, SEEK_END);
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t n = write(file_.get(), rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int error = errno;
      if (before >= 0 && ftruncate(file_.get(), before) != 0) return fail_at(path_, "ftruncate", errno);
      return fail_at(path_, "write", error);
    }
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<void> Journal::launch_started(const Launch& launch) { return append(journal_lines::launch_started(launch)); }

Result<void> Journal::case_started(unsigned launch, const CaseRun& run) {
  return append(journal_lines::case_started(launch, run));
}

Result<void> Journal::block(unsigned launch, std::string_view case_name, const Block& block) {
  return append(journal_lines::block(launch, case_name, block));
}

Result<void> Journal::case_ended(unsigned launch, const CaseRun& run) {
  return append(journal_lines::case_ended(launch, run));
}

Result<void> Journal::launch_ended(const Launch& launch) { return append(journal_lines::launch_ended(launch)); }

Result<void> Journal::round_completed(unsigned round, const Spent& spent) {
  auto written = append(journal_lines::round_completed(round, spent));
  if (written && fdatasync(file_.get()) != 0 && errno != EINVAL) return fail_at(path_, "fdatasync", errno);
  return written;
}

Result<void> Journal::stopped(std::string_view reason) { return append(journal_lines::stopped(reason)); }

Result<void> Journal::finished() { return append(journal_lines::finished()); }

}  // namespace bindgate
