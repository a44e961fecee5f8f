#pragma once
// Files and descriptors with errors that name the file and the cure. No formats are known here.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.hpp"

namespace bindgate {

/// Owns one file descriptor; closes it when it goes.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { close(); }

  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] explicit operator bool() const { return number_ >= 0; }
  void close();

 private:
  int number_ = -1;
};

/// Both ends of a pipe, close-on-exec: what is written to `write` is read from `read`.
struct Pipe {
  Descriptor read, write;
};
[[nodiscard]] Result<Pipe> make_pipe();

/// The whole file. Errors: missing, no regular file (a directory, pipe or device, for which it never waits), no
/// permission, larger than `limit` bytes.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path,
                                            std::size_t limit = std::size_t{1} << 30);

/// New content for a file, safe on disk beside it but not yet in its place; dropped unless committed. Several
/// files change together when all are staged before the first is committed.
class StagedFile {
 public:
  /// Errors: no directory, no permission, disk full; nothing is left behind.
  static Result<StagedFile> write(const std::filesystem::path& path, std::string_view content);

  StagedFile(StagedFile&& other) noexcept;
  StagedFile& operator=(StagedFile&&) = delete;
  ~StagedFile();

  /// Puts the content in its place in one step. Errors: as rename(2), named with the file.
  [[nodiscard]] Result<void> commit();

 private:
  explicit StagedFile(std::filesystem::path path) : path_(std::move(path)), temporary_(path_.string() + ".XXXXXX") {}

  std::filesystem::path path_;
  std::string temporary_;  // "" when there is none
};

/// Replaces the file in one step: readers see the old content or the new, also after a crash.
/// Errors: no directory, no permission, disk full; the old content then stands.
[[nodiscard]] Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// Writes all of `content`, past interruptions and short writes. Errors: as write(2).
[[nodiscard]] Result<void> write_all(int descriptor, std::string_view content);

/// One small file of /proc or /sys without its trailing white space; "" where it cannot be read.
[[nodiscard]] std::string read_line_of(const std::filesystem::path& path);

}  // namespace bindgate
