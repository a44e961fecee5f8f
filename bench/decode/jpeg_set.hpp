#pragma once
// The files that the loader reads: synthesised once from seeds into a cache folder that all launches share.
// Whoever changes how a picture is made raises `generator_version`, and the old files are no longer read.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "decode/jpeg.hpp"

namespace bindgate {

inline constexpr int generator_version = 1;

/// How pictures of the set differ; a set holds each kind in turn.
struct JpegKind {
  int width = 0, height = 0, quality = 0;
  Chroma chroma = Chroma::full;
  double least_psnr = 0;  ///< dB that a right decoder reaches against the picture before encoding
  [[nodiscard]] std::string name() const;  ///< "500x375-q96-444"
};
[[nodiscard]] std::span<const JpegKind> jpeg_kinds();

/// One file in memory; file i of a set is of kind i modulo the number of kinds.
struct JpegFile {
  std::filesystem::path path;
  std::string bytes;
  std::size_t index = 0;  ///< in the set: that of the file itself, also where it stands in for another
};

/// The picture that file `index` of the set was made from.
[[nodiscard]] Picture original_of(std::size_t index);

/// BINDGATE_CACHE, else XDG_CACHE_HOME/bindgate, else HOME/.cache/bindgate. Error: none of them is set.
[[nodiscard]] Result<std::filesystem::path> cache_folder();

/// Reads `count` files from the folder's set and first makes those that are not there. Several processes may do
/// so at once: a file appears whole or not at all. A damaged file is read as it is. Errors: of the file system.
[[nodiscard]] Result<std::vector<JpegFile>> open_jpeg_set(const std::filesystem::path& cache, std::size_t count);

/// A file that cannot be decoded, and why.
struct CorruptFile {
  std::filesystem::path path;
  std::string reason;
};

/// Takes corrupt files out: the next good one of the same kind stands in for each, so that a batch keeps its
/// size and very nearly its work. Error: no file of a kind is good.
[[nodiscard]] Result<std::vector<CorruptFile>> replace_corrupt(std::vector<JpegFile>& files);

}  // namespace bindgate
