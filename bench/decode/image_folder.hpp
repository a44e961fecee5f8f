#pragma once
// The user's own pictures: the files of one folder, as they are. What cannot be used is named, never a reason to stop
// while anything can.

#include <filesystem>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "decode/jpeg_set.hpp"

namespace bindgate {

/// What is in a folder, by name in order; nothing has been opened. Folders inside it are not searched.
struct ImageFolder {
  std::filesystem::path path;
  std::vector<std::filesystem::path> entries;

  /// Digest (FNV-1a) of the number of entries and the first 256 names and sizes, as "83c1f0aa": what tells two
  /// contents apart without reading them.
  [[nodiscard]] std::string digest() const;
};

/// Errors: no folder, or one that may not be read.
[[nodiscard]] Result<ImageFolder> list_images(const std::filesystem::path& path);

struct LoadedImages {
  std::vector<JpegFile> files;
  std::size_t distinct = 0;            ///< files[i] is files[i % distinct]
  std::vector<UnusableFile> unusable;  ///< what was met on the way: folders, other formats, damaged files
  std::size_t rotated = 0;             ///< of the distinct: those that ask to be turned or mirrored when shown
};

/// The first `count` files that can be decoded; fewer are repeated in turn. Error: there is none.
[[nodiscard]] Result<LoadedImages> load_images(const ImageFolder& folder, std::size_t count);

}  // namespace bindgate
