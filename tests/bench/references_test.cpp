#include "support/references.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "support/reference_kernels.hpp"

namespace bindgate {
namespace {

constexpr std::size_t kibibyte = 1024, mebibyte = 1024 * 1024;

TEST(FrozenChase, VisitsEveryLineBeforeItReturns) {
  for (const std::size_t size : {8u, 64u, 4096u}) {
    std::vector<frozen::Line> lines(size);
    frozen::link(lines.data(), size);
    std::vector<bool> seen(size);
    std::size_t position = 0;
    for (std::size_t i = 0; i < size; ++i) {
      ASSERT_FALSE(seen.at(position)) << "line " << position << " of " << size;
      seen[position] = true;
      position = frozen::chase(lines.data(), position, 1);
    }
    EXPECT_EQ(position, 0u);
  }
}

TEST(FrozenStream, ReadsEveryLineOnceRoundAndStopsWhereItShould) {
  std::vector<frozen::Line> lines(7);
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].payload = std::uint64_t{1} << (8 * i);
  std::uint64_t sum = 0;
  EXPECT_EQ(frozen::stream(lines.data(), 7, 5, 10, &sum), 1u);
  EXPECT_EQ(sum, 0x02020101010102u) << "5, 6, then 0 to 6, then 0";
}

TEST(FrozenCompute, ConvergesSoThatNothingOverflows) {
  std::vector<double> values(16, 1e9);
  frozen::compute(values.data(), values.size(), 1);
  EXPECT_EQ(values[15], 0.75e9 + 0.125);
  frozen::compute(values.data(), values.size(), 1000);
  for (const double value : values) EXPECT_DOUBLE_EQ(value, 0.5);
}

TEST(CacheShare, IsTheSizeDividedByTheCpusThatShareIt) {
  const auto cpu = std::filesystem::path(testing::TempDir()) / "cache_share_cpu";
  const auto write = [&](const char* index, const char* level, const char* type, const char* size,
                         const char* sharing) {
    const auto folder = cpu / "cache" / index;
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "level") << level << '\n';
    std::ofstream(folder / "type") << type << '\n';
    std::ofstream(folder / "size") << size << '\n';
    std::ofstream(folder / "shared_cpu_list") << sharing << '\n';
  };
  write("index0", "1", "Data", "32K", "0");
  write("index2", "2", "Unified", "2048K", "0,64");
  write("index3", "3", "Unified", "98304K", "0-7,64-71");
  EXPECT_EQ(read_cache_share(cpu), (CacheShare{1 * mebibyte, 6 * mebibyte}));
  EXPECT_EQ(read_cache_share(cpu / "absent"), CacheShare{}) << "defaults where the system does not tell";
}

TEST(BufferSizes, StayWithinTheirLimits) {
  EXPECT_EQ(choose_buffer_sizes({1 * mebibyte, 16 * mebibyte}, 2),
            (BufferSizes{512 * kibibyte, 8 * mebibyte, 64 * mebibyte}));
  EXPECT_EQ(choose_buffer_sizes({1 * mebibyte, 160 * mebibyte}, 1).l3, 32 * mebibyte)
      << "huge caches do not cost gigabytes";
  EXPECT_EQ(choose_buffer_sizes({1 * mebibyte, 1 * mebibyte}, 1).l3, 2 * mebibyte) << "must not fit into L2";
  EXPECT_EQ(choose_buffer_sizes({1 * mebibyte, 16 * mebibyte}, 3).dram, 32 * mebibyte) << "a power of two";
  EXPECT_EQ(choose_buffer_sizes({1 * mebibyte, 16 * mebibyte}, 512).dram, 4 * mebibyte);
}

TEST(References, ReadEveryKernelAsOftenAsAsked) {
  References references(2);
  EXPECT_EQ(references.threads(), 2u);
  for (const ReferenceKernel kernel : reference_kernels) {
    const auto readings = references.read(kernel, 2);
    ASSERT_EQ(readings.size(), 2u) << name_of(kernel);
    for (const auto reading : readings) EXPECT_GT(reading, 0) << name_of(kernel);
  }
}

}  // namespace
}  // namespace bindgate
