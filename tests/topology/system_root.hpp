#pragma once
// A directory that looks like the root of a Linux system as far as a test needs it; gone with its object.

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace bindgate::tests {

class SystemRoot {
 public:
  SystemRoot() {
    // Dumps have thousands of tiny files, which disks are slow at.
    const bool memory = access("/dev/shm", W_OK) == 0;
    const std::filesystem::path place = memory ? "/dev/shm" : std::filesystem::temp_directory_path();
    std::string name = (place / "bindgate.XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~SystemRoot() { std::filesystem::remove_all(path_); }
  SystemRoot(const SystemRoot&) = delete;
  SystemRoot& operator=(const SystemRoot&) = delete;

  /// One file below the root, with a line feed at its end.
  SystemRoot& put(const std::string& file, const std::string& content) {
    std::filesystem::create_directories((path_ / file).parent_path());
    std::ofstream(path_ / file) << content << '\n';
    return *this;
  }
  /// A symbolic link, as sysfs is full of.
  SystemRoot& link(const std::string& file, const std::string& target) {
    std::filesystem::create_directories((path_ / file).parent_path());
    std::filesystem::create_symlink(target, path_ / file);
    return *this;
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace bindgate::tests
