#include "core/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>

namespace bindgate {
namespace {

tl::unexpected<Error> fail_at(const std::filesystem::path& path, const char* call) {
  const int error = errno;
  const char* cure = error == ENOENT   ? "; check the path"
                     : error == EACCES ? "; check the permissions"
                     : error == ENOSPC ? "; free some space"
                     : error == EROFS  ? "; choose a place that can be written"
                                       : "";
  return fail(path.string() + ": " + describe_errno(call, error) + cure);
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
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return fail(describe_errno("pipe2", errno));
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return fail_at(path, "open");
  struct stat status {};
  if (fstat(file.get(), &status) != 0) return fail_at(path, "fstat");
  if (S_ISDIR(status.st_mode)) return fail(path.string() + ": is a directory; name a file in it");
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
    if (n < 0) return fail(describe_errno("write", errno));
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  std::string temporary = path.string() + ".XXXXXX";
  const Descriptor file(mkostemp(temporary.data(), O_CLOEXEC));
  if (!file) return fail_at(path, "open");
  const auto abandon = [&](const char* call) {
    auto failure = fail_at(path, call);
    unlink(temporary.c_str());
    return failure;
  };
  if (auto written = write_all(file.get(), content); !written) {
    unlink(temporary.c_str());
    return fail(path.string(), written.error());
  }
  if (fchmod(file.get(), 0644) != 0) return abandon("fchmod");
  if (fsync(file.get()) != 0) return abandon("fsync");
  if (rename(temporary.c_str(), path.c_str()) != 0) return abandon("rename");
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (const Descriptor directory(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); directory)
    fsync(directory.get());
  return {};
}

std::string read_line_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  line.erase(line.find_last_not_of(" \t\r\n") + 1);
  return line;
}

}  // namespace bindgate
