#include "core/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>

namespace bindgate {
namespace {

const char* cure_of(int error) {
  switch (error) {
    case ENOENT: return "; check the path";
    case EACCES: return "; check the permissions";
    case ENOSPC: return "; free some space";
    case EDQUOT: return "; free some space or raise the quota";
    case EFBIG: return "; raise the limit on file sizes (ulimit -f)";
    case EROFS: return "; choose a place that can be written";
    case ENOTDIR: return "; a file stands where a directory is needed";
    default: return "";
  }
}

tl::unexpected<Error> fail_with(const char* call) {
  const int error = errno;
  return fail(describe_errno(call, error) + cure_of(error));
}

tl::unexpected<Error> fail_at(const std::filesystem::path& path, const char* call) {
  return fail(path.string(), fail_with(call).value());
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    close();
    number_ = std::exchange(other.number_, -1);
  }
  return *this;
}

void Descriptor::close() {
  if (number_ >= 0) ::close(std::exchange(number_, -1));
}

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return fail_with("pipe2");
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a pipe would wait for its writer
  if (!file) return fail_at(path, "open");
  struct stat status {};
  if (fstat(file.get(), &status) != 0) return fail_at(path, "fstat");
  if (S_ISDIR(status.st_mode)) return fail(path.string() + ": is a directory; name a file in it");
  if (!S_ISREG(status.st_mode)) return fail(path.string() + ": is a pipe, device or socket; name a regular file");
  std::string content;
  std::array<char, 65536> piece{};
  for (;;) {
    const ssize_t n = read(file.get(), piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_at(path, "read");
    if (n == 0) return content;
    content.append(piece.data(), static_cast<std::size_t>(n));
    if (content.size() > limit)
      return fail(path.string() + ": is larger than " + std::to_string(limit) + " bytes; is it the right file?");
  }
}

Result<void> write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = write(descriptor, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_with("write");
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

StagedFile::StagedFile(StagedFile&& other) noexcept
    : path_(std::move(other.path_)), temporary_(std::exchange(other.temporary_, {})) {}

StagedFile::~StagedFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

Result<StagedFile> StagedFile::write(const std::filesystem::path& path, std::string_view content) {
  StagedFile staged(path);
  const Descriptor file(mkostemp(staged.temporary_.data(), O_CLOEXEC));
  if (!file) {
    staged.temporary_.clear();
    return fail_at(path, "open");
  }
  if (auto written = write_all(file.get(), content); !written) return fail(path.string(), written.error());
  if (fchmod(file.get(), 0644) != 0) return fail_at(path, "fchmod");
  if (fsync(file.get()) != 0) return fail_at(path, "fsync");
  return staged;
}

Result<void> StagedFile::commit() {
  if (rename(temporary_.c_str(), path_.c_str()) != 0) return fail_at(path_, "rename");
  temporary_.clear();
  const auto folder = path_.has_parent_path() ? path_.parent_path() : std::filesystem::path(".");
  if (const Descriptor directory(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); directory)
    fsync(directory.get());
  return {};
}

Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  auto staged = StagedFile::write(path, content);
  if (!staged) return tl::unexpected(staged.error());
  return staged->commit();
}

std::string read_line_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  line.erase(line.find_last_not_of(" \t\r\n") + 1);
  return line;
}

}  // namespace bindgate
