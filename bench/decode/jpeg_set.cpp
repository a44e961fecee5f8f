#include "decode/jpeg_set.hpp"

#include <array>
#include <cstdlib>
#include <optional>

#include "core/files.hpp"

namespace bindgate {
namespace {

using enum Chroma;

constexpr std::array<JpegKind, 6> photograph_kinds{{{500, 375, {96, full}, 41.5},
                                                    {500, 375, {90, quarter}, 36},
                                                    {500, 375, {75, quarter}, 33},
                                                    {500, 500, {96, full}, 41.5},
                                                    {500, 500, {90, quarter}, 36},
                                                    {500, 500, {75, quarter}, 33}}};
constexpr std::array<JpegKind, 2> full_hd_kinds{{{1920, 1080, {96, full}, 44}, {1920, 1080, {90, quarter}, 39.5}}};

// The same pictures in another coding.
constexpr std::array<JpegKind, 6> photographs_as(Colours colours, bool progressive, std::array<double, 3> least_psnr) {
  auto kinds = photograph_kinds;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    kinds[i].encoding.colours = colours;
    kinds[i].encoding.progressive = progressive;
    kinds[i].least_psnr = least_psnr[i % 3];
  }
  return kinds;
}
constexpr auto progressive_kinds = photographs_as(Colours::rgb, true, {41.5, 36, 33});
constexpr auto grayscale_kinds = photographs_as(Colours::gray, false, {45, 40.5, 36.5});
constexpr auto cmyk_kinds = photographs_as(Colours::cmyk, false, {43, 37, 33});

std::optional<std::filesystem::path> folder_in(const char* variable) {
  const char* value = std::getenv(variable);
  if (!value || !*value) return std::nullopt;
  return value;
}

}  // namespace

constinit const JpegSet photographs{photograph_kinds}, full_hd{full_hd_kinds, 8}, progressive{progressive_kinds},
    grayscale{grayscale_kinds}, cmyk{cmyk_kinds};

std::string JpegKind::name() const {
  std::string name = std::to_string(width) + "x" + std::to_string(height) + "-q" + std::to_string(encoding.quality);
  name += encoding.colours == Colours::gray ? "-gray" : encoding.chroma == full ? "-444" : "-420";
  if (encoding.colours == Colours::cmyk) name += "-cmyk";
  return name + (encoding.progressive ? "-progressive" : "");
}

Picture original_of(const JpegKind& kind, std::size_t index) {
  Picture picture = synthesise(kind.width, kind.height, 1000 * generator_version + index);
  if (kind.encoding.colours == Colours::gray) make_gray(picture);
  return picture;
}

Result<std::filesystem::path> cache_folder() {
  if (const auto folder = folder_in("BINDGATE_CACHE")) return *folder;
  if (const auto folder = folder_in("XDG_CACHE_HOME")) return *folder / "bindgate";
  if (const auto folder = folder_in("HOME")) return *folder / ".cache" / "bindgate";
  return fail("cache folder: neither BINDGATE_CACHE, XDG_CACHE_HOME nor HOME is set; set BINDGATE_CACHE");
}

Result<std::vector<JpegFile>> open_jpeg_set(const std::filesystem::path& cache, const JpegSet& set, std::size_t count) {
  const auto folder = cache / ("jpeg-" + std::to_string(generator_version));
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return fail(folder.string() + ": cannot be made: " + error.message() +
                "; set BINDGATE_CACHE to a folder that can be written");
  std::vector<JpegFile> files;
  for (std::size_t i = 0; i < count; ++i) {
    const JpegKind& kind = set.kinds[i % set.kinds.size()];
    const auto path = folder / (kind.name() + "-" + std::to_string(i / set.kinds.size()) + ".jpg");
    if (!std::filesystem::exists(path, error)) {
      const auto made = encode_jpeg(original_of(kind, i), kind.encoding);
      if (!made) return fail(path.string(), made.error());
      if (auto written = write_file_atomically(path, *made); !written) return tl::unexpected(written.error());
    }
    auto bytes = read_file(path);
    if (!bytes) return tl::unexpected(bytes.error());
    files.push_back({path, *std::move(bytes), &kind, i});
  }
  return files;
}

Result<std::vector<UnusableFile>> replace_corrupt(std::vector<JpegFile>& files) {
  std::vector<UnusableFile> corrupt;
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
    std::size_t step = 1;
    const auto other = [&] { return (i + step) % files.size(); };
    while (step < files.size() && !(good[other()] && files[other()].kind == files[i].kind)) ++step;
    if (step == files.size())
      return fail(files[i].path.string() + ": every file of kind " + files[i].kind->name() +
                  " is corrupt; remove the folder to have it made anew");
    files[i] = files[other()];
  }
  return corrupt;
}

}  // namespace bindgate
