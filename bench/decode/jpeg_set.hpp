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

/// How pictures of a set differ.
struct JpegKind {
  int width = 0, height = 0;
  JpegEncoding encoding;
  double least_psnr = 0;                   ///< dB that a right decoder reaches against the picture before encoding
  [[nodiscard]] std::string name() const;  ///< "500x375-q96-444", "500x500-q90-420-progressive"
};

/// Pictures of each kind in turn. A set's size is a batch's.
struct JpegSet {
  std::span<const JpegKind> kinds;
  std::size_t size = 32;
};
extern const JpegSet photographs, full_hd, progressive, grayscale, cmyk;

/// One file in memory.
struct JpegFile {
  std::filesystem::path path;
  std::string bytes;
  const JpegKind* kind = nullptr;  ///< nothing of a file that was not made here
  std::size_t index = 0;           ///< in its set: that of the file itself, also where it stands in for another
};

/// What file `index` of that kind must look like when decoded, but for what the encoding loses.
[[nodiscard]] Picture original_of(const JpegKind& kind, std::size_t index);

/// BINDGATE_CACHE, else XDG_CACHE_HOME/bindgate, else HOME/.cache/bindgate. Error: none of them is set.
[[nodiscard]] Result<std::filesystem::path> cache_folder();

/// Reads the set's first `count` files from the folder and first makes those that are not there. Several processes may
/// do so at once: a file appears whole or not at all. A damaged file is read as it is. Errors: of the file system.
[[nodiscard]] Result<std::vector<JpegFile>> open_jpeg_set(const std::filesystem::path& cache, const JpegSet& set,
                                                          std::size_t count);

/// A file that cannot be decoded, and why.
struct UnusableFile {
  std::filesystem::path path;
  std::string reason;
};

/// Takes corrupt files out: the next good one of the same kind stands in for each, so that a batch keeps its
/// size and very nearly its work. Error: no file of a kind is good.
[[nodiscard]] Result<std::vector<UnusableFile>> replace_corrupt(std::vector<JpegFile>& files);

}  // namespace bindgate
