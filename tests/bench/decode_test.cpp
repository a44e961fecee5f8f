#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <thread>

#include "core/files.hpp"
#include "decode/process_loader.hpp"
#include "decode/thread_loader.hpp"

namespace bindgate {
namespace {

using testing::HasSubstr;

// In the build folder: the pictures are made once for all tests, which only read them. When they no longer fit
// the code, `generator_version` was not raised.
std::vector<JpegFile> small_set(std::size_t count = 6) {
  auto files = open_jpeg_set(BINDGATE_TEST_CACHE, photographs, count);
  EXPECT_TRUE(files) << files.error().message;
  return *std::move(files);
}

TEST(Synthesise, GivesTheSamePictureForASeed) {
  EXPECT_EQ(synthesise(120, 80, 1), synthesise(120, 80, 1));
  EXPECT_NE(synthesise(120, 80, 1), synthesise(120, 80, 2));
}

// Differences between halves of ever larger squares: of an amplitude spectrum of 1/f they have equal variance.
TEST(Synthesise, HasAboutAsMuchContrastInEveryOctave) {
  const Picture picture = synthesise(512, 512, 3);
  std::vector<double> grid;
  for (std::size_t i = 0; i < picture.rgb.size(); i += 3) grid.push_back(picture.rgb[i + 1]);
  std::vector<double> energy;
  for (std::size_t side = 512; side > 16; side /= 2) {
    std::vector<double> half;
    double squares = 0;
    for (std::size_t y = 0; y < side; y += 2)
      for (std::size_t x = 0; x < side; x += 2) {
        const double a = grid[y * side + x], b = grid[y * side + x + 1];
        const double c = grid[(y + 1) * side + x], d = grid[(y + 1) * side + x + 1];
        squares += ((a + c - b - d) * (a + c - b - d) + (a + b - c - d) * (a + b - c - d)) / 16;
        half.push_back((a + b + c + d) / 4);
      }
    energy.push_back(squares / static_cast<double>(half.size()));
    grid = half;
  }
  for (std::size_t octave = 1; octave < energy.size(); ++octave) {
    EXPECT_GT(energy[octave] / energy[octave - 1], 1.0 / 4) << octave;
    EXPECT_LT(energy[octave] / energy[octave - 1], 4) << octave;
  }
}

TEST(JpegSet, TakesAsManyBitsPerPixelAsPhotographsDo) {
  const auto files = small_set(32);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const JpegKind& kind = *files[i].kind;
    const double bits = 8.0 * static_cast<double>(files[i].bytes.size()) / kind.width / kind.height;
    if (kind.encoding.quality == 96) {
      EXPECT_GE(bits, 2.5) << files[i].path;
      EXPECT_LE(bits, 6) << files[i].path;
    } else {
      EXPECT_GE(bits, 0.5) << files[i].path;
      EXPECT_LE(bits, 3) << files[i].path;
    }
  }
}

struct NamedSet {
  const char* name;
  const JpegSet* set;
};
void PrintTo(const NamedSet& named, std::ostream* out) { *out << named.name; }
class JpegSets : public testing::TestWithParam<NamedSet> {};

TEST_P(JpegSets, DecodeToTheirOriginalsAndAShiftedPictureIsCaught) {
  const auto files = open_jpeg_set(BINDGATE_TEST_CACHE, *GetParam().set, GetParam().set->kinds.size());
  ASSERT_TRUE(files) << files.error().message;
  JpegDecoder decoder;
  Picture picture;
  for (const JpegFile& file : *files) {
    ASSERT_TRUE(decoder.decode(file.bytes, picture));
    const Picture original = original_of(*file.kind, file.index);
    const double found = peak_signal_to_noise(picture, original), least = file.kind->least_psnr;
    EXPECT_GE(found, least) << file.path;
    EXPECT_LE(found, least + 2.5) << "the bound is too loose for " << file.path;
    std::rotate(picture.rgb.begin(), picture.rgb.begin() + 3, picture.rgb.end());
    EXPECT_LT(peak_signal_to_noise(picture, original), least) << file.path;
  }
}
INSTANTIATE_TEST_SUITE_P(All, JpegSets,
                         testing::Values(NamedSet{"photographs", &photographs}, NamedSet{"full_hd", &full_hd},
                                         NamedSet{"progressive", &progressive}, NamedSet{"grayscale", &grayscale},
                                         NamedSet{"cmyk", &cmyk}),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(JpegSet, IsReadFromTheCacheAndMissingFilesAreMadeAgain) {
  const auto cache = std::filesystem::path(testing::TempDir()) / "bindgate_decode_again";
  std::filesystem::remove_all(cache);
  const auto first = *open_jpeg_set(cache, photographs, 3);
  std::filesystem::remove(first[2].path);
  ASSERT_TRUE(write_file_atomically(first[1].path, "changed"));
  const auto second = *open_jpeg_set(cache, photographs, 3);
  EXPECT_EQ(second[0].bytes, first[0].bytes);
  EXPECT_EQ(second[1].bytes, "changed") << "was made anew, not read";
  EXPECT_EQ(second[2].bytes, first[2].bytes);
  EXPECT_TRUE(std::filesystem::exists(first[2].path));
}

TEST(JpegSet, IsWholeWhenSeveralMakeItAtOnce) {
  const auto cache = std::filesystem::path(testing::TempDir()) / "bindgate_decode_race";
  std::filesystem::remove_all(cache);
  std::vector<std::thread> racers;
  for (int i = 0; i < 4; ++i) racers.emplace_back([&] { EXPECT_TRUE(open_jpeg_set(cache, photographs, 2)); });
  for (std::thread& racer : racers) racer.join();
  const auto files = open_jpeg_set(cache, photographs, 2);
  ASSERT_TRUE(files);
  EXPECT_EQ((*files)[1].bytes, small_set()[1].bytes);
  std::size_t left = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::recursive_directory_iterator(cache)) ++left;
  EXPECT_EQ(left, 3u) << "one folder, two files, nothing temporary";
}

TEST(JpegSet, SaysWhichFolderCannotBeWritten) {
  const auto result = open_jpeg_set("/proc/bindgate", photographs, 1);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("/proc/bindgate/jpeg-"));
  EXPECT_THAT(result.error().message, HasSubstr("set BINDGATE_CACHE"));
}

TEST(ReplaceCorrupt, NamesTheFilesAndPutsTheNextOfTheirKindInTheirPlace) {
  auto files = small_set(13);
  files[0].bytes.resize(files[0].bytes.size() / 2);  // ends too early
  files[7].bytes = "no picture";
  files[12].bytes.clear();
  const auto intact = small_set(13);
  const auto corrupt = replace_corrupt(files);
  ASSERT_TRUE(corrupt) << corrupt.error().message;
  ASSERT_EQ(corrupt->size(), 3u);
  EXPECT_EQ((*corrupt)[0].path, intact[0].path);
  EXPECT_THAT((*corrupt)[0].reason, HasSubstr("libjpeg-turbo: "));
  EXPECT_EQ((*corrupt)[1].path, intact[7].path);
  EXPECT_EQ(files[0].path, intact[6].path);
  EXPECT_EQ(files[0].index, 6u);
  EXPECT_EQ(files[7].path, intact[1].path);
  EXPECT_EQ(files[12].path, intact[6].path);
  EXPECT_EQ(files[3].path, intact[3].path);
}

TEST(ReplaceCorrupt, GivesUpWhenNoFileOfAKindIsGood) {
  auto files = small_set();
  files[4].bytes = "no picture";
  const auto corrupt = replace_corrupt(files);
  ASSERT_FALSE(corrupt);
  EXPECT_THAT(corrupt.error().message, HasSubstr("every file of kind 500x500-q90-420 is corrupt"));
}

TEST(CacheFolder, FollowsTheVariablesInTheirOrder) {
  const char* const names[] = {"BINDGATE_CACHE", "XDG_CACHE_HOME", "HOME"};
  std::vector<std::optional<std::string>> before;
  for (const char* name : names) {
    const char* value = std::getenv(name);
    before.push_back(value ? std::optional<std::string>(value) : std::nullopt);
  }
  for (const char* name : names) setenv(name, (std::string("/of/") + name).c_str(), 1);
  EXPECT_EQ(*cache_folder(), "/of/BINDGATE_CACHE");
  unsetenv("BINDGATE_CACHE");
  EXPECT_EQ(*cache_folder(), "/of/XDG_CACHE_HOME/bindgate");
  setenv("XDG_CACHE_HOME", "", 1);
  EXPECT_EQ(*cache_folder(), "/of/HOME/.cache/bindgate");
  unsetenv("HOME");
  EXPECT_THAT(cache_folder().error().message, HasSubstr("set BINDGATE_CACHE"));
  for (std::size_t i = 0; i < 3; ++i) before[i] ? setenv(names[i], before[i]->c_str(), 1) : unsetenv(names[i]);
}

TEST(Augmentation, IsSeededInsideThePictureAndVaried) {
  int flips = 0;
  double least = 1, most = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Augmentation drawn = draw_augmentation(500, 375, seed);
    EXPECT_EQ(drawn, draw_augmentation(500, 375, seed));
    EXPECT_GE(drawn.left, 0);
    EXPECT_GE(drawn.top, 0);
    EXPECT_LE(drawn.left + drawn.width, 500);
    EXPECT_LE(drawn.top + drawn.height, 375);
    const double share = drawn.width * drawn.height / (500.0 * 375.0);
    least = std::min(least, share);
    most = std::max(most, share);
    flips += drawn.flip;
  }
  EXPECT_LT(least, 0.15);
  EXPECT_GT(least, 0.07);
  EXPECT_GT(most, 0.9);
  EXPECT_NEAR(flips, 250, 50);
}

// Shrinking, growing, one pixel wide, flipped: each value against the definition, and a perturbed one is caught.
TEST(Resampler, AgreesWithTheDefinitionAndAPerturbedValueDoesNot) {
  const Picture picture = synthesise(500, 375, 4);
  std::vector<float> sample(sample_values);
  const std::span<float, sample_values> out(sample.data(), sample_values);
  Resampler resampler;
  for (const Augmentation& crop : {Augmentation{0, 0, 500, 375, false}, Augmentation{17, 31, 300, 224, true},
                                   Augmentation{400, 300, 57, 61, true}, Augmentation{10, 10, 224, 224, false},
                                   Augmentation{499, 0, 1, 375, false}, Augmentation{0, 374, 225, 1, true}}) {
    resampler.run(picture, crop, out);
    for (const std::size_t position : sampled_positions(sample_values, 300, 9)) {
      const int plane = static_cast<int>(position / 224 / 224), y = static_cast<int>(position / 224 % 224);
      const DotProduct expected = expected_sample(picture, crop, plane, y, static_cast<int>(position % 224));
      const auto right = compare("sample", sample[position], expected, {});
      ASSERT_TRUE(right) << right.error().message << " at " << position << " of crop " << crop.width << "x"
                         << crop.height;
      ASSERT_FALSE(compare("sample", sample[position] + 0.0005f, expected, {}));
    }
  }
}

TEST(Resampler, KeepsAPictureOfTheRightSizeAsItIs) {
  const Picture picture = synthesise(224, 224, 5);
  std::vector<float> sample(sample_values);
  Resampler().run(picture, {0, 0, 224, 224, false}, std::span<float, sample_values>(sample.data(), sample_values));
  EXPECT_NEAR(sample[0], (picture.rgb[0] / 255.0 - 0.485) / 0.229, 1e-5);
  EXPECT_NEAR(sample[sample_values - 1], (picture.rgb.back() / 255.0 - 0.406) / 0.225, 1e-5);
}

TEST(Loaders, MakeTheSameBatchWithAnyNumberOfThreadsOrProcesses) {
  ThreadLoader one(small_set(), 1, 1), three(small_set(), 3, 1);
  ProcessLoader processes(small_set(), 2, 1, 2);
  one.load_batch();
  three.load_batch();
  three.load_batch();
  for (const std::size_t slot : {1u, 0u, 1u}) {
    processes.start(slot);
    processes.wait();
  }
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_TRUE(std::ranges::equal(one.sample(i), three.sample(i))) << i;
    for (const std::size_t slot : {0u, 1u})
      EXPECT_TRUE(std::ranges::equal(one.sample(i), processes.batch(slot).subspan(i * sample_values, sample_values)))
          << i;
  }
  EXPECT_FALSE(std::ranges::equal(one.sample(0), one.sample(3)));
}

template <class Loader>
class AnyLoader : public testing::Test {};
using Loaders = testing::Types<ThreadLoader, ProcessLoader>;
TYPED_TEST_SUITE(AnyLoader, Loaders);

TYPED_TEST(AnyLoader, PassesOnWhatAWorkerCouldNotDecodeAndGoesOn) {
  auto files = small_set();
  files[1].bytes.resize(100);
  TypeParam loader(files, 2, 1);
  for (int batch = 0; batch < 2; ++batch) try {
      loader.load_batch();
      FAIL() << "a file of 100 bytes was decoded";
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), HasSubstr("500x375-q90-420-0.jpg: libjpeg-turbo: "));
    }
}

TEST(ProcessLoader, SaysHowAWorkerEndedAndLeavesNoProcess) {
  std::vector<pid_t> workers;
  {
    ProcessLoader loader(small_set(2), 2, 1);
    workers = loader.process_ids();
    loader.load_batch();
    kill(workers[1], SIGKILL);
    try {
      loader.load_batch();
      loader.load_batch();  // the first may have been served before the signal arrived
      FAIL() << "a killed worker was not noticed";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "worker decode-1: killed by SIGKILL");
    }
  }
  for (const pid_t worker : workers) EXPECT_EQ(kill(worker, 0), -1) << "still there, if only as a zombie";
}

}  // namespace
}  // namespace bindgate
