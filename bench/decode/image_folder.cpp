#include "decode/image_folder.hpp"

#include <algorithm>
#include <cstdio>
#include <system_error>
#include <utility>

#include "core/files.hpp"
#include "decode/orientation.hpp"

namespace bindgate {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_file = std::size_t{256} << 20;

Result<std::string> read_image(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) return fail("is a folder; its files are not searched");
  // Opening a pipe or a device could wait for ever.
  if (!fs::is_regular_file(status)) return fail(error ? error.message() : "is no regular file");
  return read_file(path, largest_file);
}

}  // namespace

std::string ImageFolder::digest() const {
  std::uint32_t sum = 2166136261u;
  const auto mix = [&sum](std::string_view text) {
    for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 16777619u;
  };
  mix(std::to_string(entries.size()) + '\n');
  for (std::size_t i = 0; i < std::min<std::size_t>(256, entries.size()); ++i) {
    std::error_code error;
    const auto size = fs::file_size(entries[i], error);
    mix(entries[i].filename().string() + '\n' + (error ? "" : std::to_string(size)) + '\n');
  }
  char text[16];
  std::snprintf(text, sizeof text, "%08x", static_cast<unsigned>(sum));
  return text;
}

Result<ImageFolder> list_images(const fs::path& path) {
  ImageFolder folder{path, {}};
  std::error_code error;
  fs::directory_iterator entry(path, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) folder.entries.push_back(entry->path());
  if (error) return fail(path.string() + ": " + error.message() + "; name a folder of JPEG files");
  std::sort(folder.entries.begin(), folder.entries.end());
  return folder;
}

Result<LoadedImages> load_images(const ImageFolder& folder, std::size_t count) {
  LoadedImages loaded;
  JpegDecoder decoder;
  Picture picture;
  for (const fs::path& path : folder.entries) {
    if (loaded.files.size() == count) break;
    auto bytes = read_image(path);
    const auto usable = bytes ? decoder.decode(*bytes, picture) : tl::unexpected(bytes.error());
    if (!usable) {
      loaded.unusable.push_back({path, usable.error().message});
      continue;
    }
    loaded.rotated += exif_orientation(*bytes).value_or(1) != 1;
    loaded.files.push_back({path, *std::move(bytes), nullptr, loaded.files.size()});
  }
  loaded.distinct = loaded.files.size();
  if (loaded.distinct == 0)
    return fail(folder.path.string() + ": none of its " + std::to_string(folder.entries.size()) +
                " entries is a JPEG that can be decoded" +
                (loaded.unusable.empty() ? std::string()
                                         : "; " + loaded.unusable.front().path.filename().string() + ": " +
                                               loaded.unusable.front().reason));
  while (loaded.files.size() < count) loaded.files.push_back(loaded.files[loaded.files.size() - loaded.distinct]);
  return loaded;
}

}  // namespace bindgate
