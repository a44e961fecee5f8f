#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
// After <cstdio>, whose FILE it uses without saying so.
#include <jpeglib.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/files.hpp"
#include "decode/image_folder.hpp"
#include "decode/orientation.hpp"

namespace bindgate {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;

std::string jpeg_of(const Picture& picture, const JpegEncoding& encoding = {}) {
  return encode_jpeg(picture, encoding).value();
}

Result<Picture> decode(std::string_view bytes) {
  JpegDecoder decoder;
  Picture picture;
  if (auto decoded = decoder.decode(bytes, picture); !decoded) return tl::unexpected(decoded.error());
  return picture;
}

// One colour as four inks, by the library itself: TurboJPEG writes YCCK alone.
std::string plain_cmyk(std::array<JSAMPLE, 4> inks, int side) {
  jpeg_compress_struct encoder{};
  jpeg_error_mgr errors{};
  encoder.err = jpeg_std_error(&errors);
  jpeg_create_compress(&encoder);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&encoder, &bytes, &size);
  encoder.image_width = encoder.image_height = static_cast<JDIMENSION>(side);
  encoder.input_components = 4;
  encoder.in_color_space = JCS_CMYK;
  jpeg_set_defaults(&encoder);
  jpeg_start_compress(&encoder, TRUE);
  std::vector<JSAMPLE> row;
  for (int x = 0; x < side; ++x) row.insert(row.end(), inks.begin(), inks.end());
  JSAMPROW rows[] = {row.data()};
  for (int y = 0; y < side; ++y) jpeg_write_scanlines(&encoder, rows, 1);
  jpeg_finish_compress(&encoder);
  const std::string result(reinterpret_cast<char*>(bytes), size);
  jpeg_destroy_compress(&encoder);
  free(bytes);
  return result;
}

// An application part with one directory of one entry, put where cameras put it.
std::string with_exif(const std::string& jpeg, unsigned orientation, bool big_endian) {
  const auto number = [big_endian](unsigned value, std::size_t size) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i)
      text += static_cast<char>(value >> 8 * (big_endian ? size - 1 - i : i) & 0xff);
    return text;
  };
  const std::string tiff = (big_endian ? "MM"s : "II"s) + number(42, 2) + number(8, 4) + number(1, 2) +
                           number(0x0112, 2) + number(3, 2) + number(1, 4) + number(orientation, 2) + number(0, 2) +
                           number(0, 4);
  const std::string part = "Exif\0\0"s + tiff;
  const std::size_t length = part.size() + 2;
  return jpeg.substr(0, 2) + "\xff\xe1" + static_cast<char>(length >> 8) + static_cast<char>(length & 0xff) + part +
         jpeg.substr(2);
}

TEST(JpegDecoder, TakesTheInksOfCmykAsInverted) {
  const auto picture = decode(plain_cmyk({255, 128, 0, 200}, 16));  // no cyan, half magenta, full yellow, some black
  ASSERT_TRUE(picture) << picture.error().message;
  EXPECT_NEAR(picture->rgb[0], 200, 2);
  EXPECT_NEAR(picture->rgb[1], 100, 2);
  EXPECT_NEAR(picture->rgb[2], 0, 2);
}

TEST(JpegDecoder, GivesGrayInAllThreeChannels) {
  const auto picture = decode(jpeg_of(synthesise(40, 30, 1), {.colours = Colours::gray}));
  ASSERT_TRUE(picture);
  ASSERT_EQ(picture->rgb.size(), 40u * 30 * 3);
  for (std::size_t i = 0; i < picture->rgb.size(); i += 3) {
    ASSERT_EQ(picture->rgb[i], picture->rgb[i + 1]);
    ASSERT_EQ(picture->rgb[i], picture->rgb[i + 2]);
  }
}

TEST(JpegDecoder, GivesAProgressiveFileTheSamePixelsAsABaselineOne) {
  const Picture picture = synthesise(70, 50, 1);
  const std::string baseline = jpeg_of(picture), progressive_file = jpeg_of(picture, {.progressive = true});
  EXPECT_NE(baseline, progressive_file);
  EXPECT_EQ(decode(baseline).value(), decode(progressive_file).value());
}

TEST(JpegDecoder, RefusesAFileThatEndsTooEarlyWhereverItEnds) {
  const std::string whole = jpeg_of(synthesise(60, 40, 1));
  for (std::size_t size = 0; size < whole.size() - 2; size += 7) EXPECT_FALSE(decode(whole.substr(0, size))) << size;
}

TEST(JpegDecoder, RefusesASizeThatNobodyHasMemoryFor) {
  std::string bytes = jpeg_of(synthesise(16, 16, 1));
  const std::size_t frame = bytes.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  bytes.replace(frame + 5, 4, "\xff\xdc\xff\xdc");
  const auto refused = decode(bytes);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "claims 65500x65500 pixels, more than 178956970 in all");
}

TEST(JpegDecoder, SaysWhatOtherFilesAre) {
  const auto reason = [](std::string_view bytes) { return decode(bytes).error().message; };
  EXPECT_EQ(reason("\x89PNG\r\n\x1a\n"), "is a PNG, not a JPEG");
  EXPECT_EQ(reason("GIF89a"), "is a GIF, not a JPEG");
  EXPECT_EQ(reason("RIFF\0\0\0\0WEBPVP8 "s), "is a WebP, not a JPEG");
  EXPECT_EQ(reason("\0\0\0\x1c"s
                   "ftypavif"),
            "is an AVIF, HEIF or MP4, not a JPEG");
  EXPECT_EQ(reason("II*\0\10"s), "is a TIFF, not a JPEG");
  EXPECT_EQ(reason(""), "is empty, not a JPEG");
  EXPECT_EQ(reason("some words\n"), "is text, not a JPEG");
  EXPECT_EQ(reason("\1\2\3\4"), "is of an unknown format, not a JPEG");
}

TEST(ExifOrientation, IsReadInBothByteOrders) {
  const std::string plain = jpeg_of(synthesise(16, 8, 1));
  EXPECT_EQ(exif_orientation(plain), std::nullopt);
  for (const unsigned orientation : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u})
    for (const bool big_endian : {false, true})
      EXPECT_EQ(exif_orientation(with_exif(plain, orientation, big_endian)), static_cast<int>(orientation));
  EXPECT_EQ(exif_orientation(with_exif(plain, 0, true)), std::nullopt);
  EXPECT_EQ(exif_orientation(with_exif(plain, 9, true)), std::nullopt);
}

TEST(ExifOrientation, IsNothingWhereThePartIsCutOrDamagedAnywhere) {
  const std::string whole = with_exif(jpeg_of(synthesise(16, 8, 1)), 6, false);
  const std::size_t value_end = whole.find("Exif") + 6 + 8 + 2 + 10;
  for (std::size_t size = 0; size < value_end; ++size)
    EXPECT_EQ(exif_orientation(std::string(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))),
              std::nullopt)
        << size;
  // No byte, whatever its value, leads to a read outside: the sanitizers watch.
  for (std::size_t at = 0; at < value_end; ++at)
    for (const int value : {0, 1, 0x7f, 0xff}) {
      std::string damaged(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(value_end));
      damaged[at] = static_cast<char>(value);
      damaged.shrink_to_fit();
      const auto found = exif_orientation(damaged);
      EXPECT_TRUE(!found || (*found >= 1 && *found <= 8));
    }
}

// As PIL.Image.open and torchvision's loaders: who wants it turned calls exif_transpose.
TEST(JpegDecoder, LeavesTheOrientationAlone) {
  const std::string plain = jpeg_of(synthesise(48, 16, 1));
  for (const unsigned orientation : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u})
    EXPECT_EQ(decode(with_exif(plain, orientation, true)).value(), decode(plain).value());
}

class ImageFolderOf : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  void TearDown() override { std::filesystem::remove_all(path_); }
  void put(const std::string& name, const std::string& bytes) {
    ASSERT_TRUE(write_file_atomically(path_ / name, bytes));
  }
  std::filesystem::path path_ =
      std::filesystem::path(testing::TempDir()) / ("bindgate_images_" + std::to_string(getpid()));
};

TEST_F(ImageFolderOf, AllKindsOfEntriesGivesTheJpegsAndNamesTheRest) {
  const std::string jpeg = jpeg_of(synthesise(48, 16, 1));
  put("a.jpg", jpeg);
  put("b.jpg", jpeg.substr(0, jpeg.size() - 20));
  put("c.jpg", "\x89PNG\r\n\x1a\n");
  put("d.jpg", "");
  put("e.txt", "words");
  std::filesystem::create_directory(path_ / "f.jpg");
  ASSERT_EQ(mkfifo((path_ / "g.jpg").c_str(), 0600), 0);
  std::filesystem::create_symlink("nowhere", path_ / "h.jpg");
  put("i.jpg", with_exif(jpeg, 6, true));
  const auto images = load_images(list_images(path_).value(), 5);
  ASSERT_TRUE(images) << images.error().message;
  EXPECT_EQ(images->distinct, 2u);
  EXPECT_EQ(images->rotated, 1u);
  std::vector<std::string> names;
  for (const JpegFile& file : images->files) names.push_back(file.path.filename());
  EXPECT_THAT(names, testing::ElementsAre("a.jpg", "i.jpg", "a.jpg", "i.jpg", "a.jpg"));
  std::vector<std::string> reasons;
  for (const UnusableFile& file : images->unusable)
    reasons.push_back(file.path.filename().string() + ": " + file.reason);
  EXPECT_THAT(reasons,
              testing::ElementsAre("b.jpg: libjpeg-turbo: Premature end of JPEG file", "c.jpg: is a PNG, not a JPEG",
                                   "d.jpg: is empty, not a JPEG", "e.txt: is text, not a JPEG",
                                   "f.jpg: is a folder; its files are not searched", "g.jpg: is no regular file",
                                   "h.jpg: No such file or directory"));
}

TEST_F(ImageFolderOf, ManyJpegsIsReadNoFurtherThanNeeded) {
  for (const char name : {'1', '2', '3'}) put(std::string(1, name), jpeg_of(synthesise(16, 16, 1)));
  put("4", "words");
  const auto images = load_images(list_images(path_).value(), 3);
  ASSERT_TRUE(images);
  EXPECT_EQ(images->distinct, 3u);
  EXPECT_TRUE(images->unusable.empty());
}

TEST_F(ImageFolderOf, NoJpegIsAnErrorThatNamesTheFirst) {
  put("c.jpg", "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(load_images(list_images(path_).value(), 3).error().message,
            path_.string() + ": none of its 1 entries is a JPEG that can be decoded; c.jpg: is a PNG, not a JPEG");
  std::filesystem::remove(path_ / "c.jpg");
  EXPECT_THAT(load_images(list_images(path_).value(), 3).error().message, HasSubstr("none of its 0 entries"));
}

TEST_F(ImageFolderOf, NoFolderAtAllSaysWhatToName) {
  EXPECT_THAT(list_images(path_ / "nowhere").error().message, HasSubstr("nowhere: No such file or directory; name a"));
  put("file", "");
  EXPECT_THAT(list_images(path_ / "file").error().message, HasSubstr("file: Not a directory; name a folder"));
}

TEST_F(ImageFolderOf, OtherContentHasAnotherDigest) {
  const auto digest = [&] { return list_images(path_).value().digest(); };
  put("a", "1");
  const std::string before = digest();
  EXPECT_EQ(before, digest());
  EXPECT_THAT(before, testing::MatchesRegex("[0-9a-f]{8}"));
  put("a", "22");
  const std::string larger = digest();
  EXPECT_NE(before, larger);
  put("b", "1");
  EXPECT_NE(larger, digest());
}

}  // namespace
}  // namespace bindgate
