#include "decode/jpeg_set.hpp"

#include <array>
#include <cstdlib>
#include <optional>

#include "core/files.hpp"

namespace bindgate {
namespace {

constexpr std::array<JpegKind, 6> kinds{{{500, 375, 96, Chroma::full, 41.5},
                                         {500, 375, 90, Chroma::quarter, 36},
                                         {500, 375, 75, Chroma::quarter, 33},
                                         {500, 500, 96, Chroma::full, 41.5},
                                         {500, 500, 90, Chroma::quarter, 36},
                                         {500, 500, 75, Chroma::quarter, 33}}};

const JpegKind& kind_of(std::size_t index) { return kinds[index % kinds.size()]; }

std::optional<std::filesystem::path> folder_in(const char* variable) {
  const char* value = std::getenv(variable);
  if (!value || !*value) return std::nullopt;
  return value;
}

}  // namespace

std::string JpegKind::name() const {
  return std::to_string(width) + "x" + std::to_string(height) + "-q" + std::to_string(quality) +
         (chroma == Chroma::full ? "-444" : "-420");
}

std::span<const JpegKind> jpeg_kinds() { return kinds; }

Picture original_of(std::size_t index) {
  return synthesise(kind_of(index).width, kind_of(index).height, 1000 * generator_version + index);
}

Result<std::filesystem::path> cache_folder() {
  if (const auto folder = folder_in("BINDGATE_CACHE")) return *folder;
  if (const auto folder = folder_in("XDG_CACHE_HOME")) return *folder / "bindgate";
  if (const auto folder = folder_in("HOME")) return *folder / ".cache" / "bindgate";
  return fail("cache folder: neither BINDGATE_CACHE, XDG_CACHE_HOME nor HOME is set; set BINDGATE_CACHE");
}

Result<std::vector<JpegFile>> open_jpeg_set(const std::filesystem::path& cache, std::size_t count) {
  const auto folder = cache / ("jpeg-" + std::to_string(generator_version));
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return fail(folder.string() + ": cannot be made: " + error.message() +
                "; set BINDGATE_CACHE to a folder that can be written");
  std::vector<JpegFile> files;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& kind = kind_of(i);
    const auto path = folder / (kind.name() + "-" + std::to_string(i / kinds.size()) + ".jpg");
    if (!std::filesystem::exists(path, error)) {
      const auto made = encode_jpeg(original_of(i), kind.quality, kind.chroma);
      if (!made) return fail(path.string(), made.error());
      if (auto written = write_file_atomically(path, *made); !written) return tl::unexpected(written.error());
    }
    auto bytes = read_file(path);
    if (!bytes) return tl::unexpected(bytes.error());
    files.push_back({path, *std::move(bytes), i});
  }
  return files;
}

Result<std::vector<CorruptFile>> replace_corrupt(std::vector<JpegFile>& files) {
  std::vector<CorruptFile> corrupt;
  std::vector<bool> good(files.size());
  JpegDecoder decoder;
  Picture picture;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto decoded = decoder.decode(files[i].bytes, picture);
    good[i] = decoded.has_value();
    if (!decoded) corrupt.push_back({files[i].path, decoded.error().message});
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (good[i]) continue;
    std::size_t other = i % kinds.size();
    while (other < files.size() && (!good[other] || other < i)) other += kinds.size();
    if (other >= files.size())  // none behind it: the first good one before it
      for (other = i % kinds.size(); other < files.size() && !good[other];) other += kinds.size();
    if (other >= files.size())
      return fail(files[i].path.string() + ": every file of kind " + kind_of(i).name() +
                  " is corrupt; remove the folder to have it made anew");
    files[i] = files[other];
  }
  return corrupt;
}

}  // namespace bindgate
