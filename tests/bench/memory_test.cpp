#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <vector>

#include "bench/sysfs.hpp"
#include "memory/chase.hpp"
#include "memory/loops.hpp"
#include "memory/streams.hpp"

namespace bindgate {
namespace {

TEST(LastLevel, CountsEveryCacheOnceAndWhole) {
  testing::Sysfs sysfs;
  testing::make_two_nodes(sysfs);
  const auto reached_by = [&](const IndexSet& cpus) { return last_level_bytes(read_cpus(cpus, sysfs.root())); };
  EXPECT_EQ(reached_by({0}), 32 * mebibyte) << "whole, though CPU 1 shares it";
  EXPECT_EQ(reached_by({0, 1}), 32 * mebibyte);
  EXPECT_EQ(reached_by({1, 2, 7}), 80 * mebibyte);
  EXPECT_EQ(reached_by({0, 9}), std::nullopt) << "CPU 9's caches are not told";
  EXPECT_EQ(reached_by({}), std::nullopt);
}

TEST(BufferPlan, IsFourLastLevelCachesRoundedUpToAPowerOfTwo) {
  const std::size_t large = 512 * gibibyte;
  EXPECT_EQ(plan_buffers(32 * mebibyte, large).bytes, 128 * mebibyte);
  EXPECT_EQ(plan_buffers(33 * mebibyte, large).bytes, 256 * mebibyte);
  EXPECT_EQ(plan_buffers(256 * mebibyte, large).bytes, gibibyte);
  EXPECT_EQ(plan_buffers(2 * mebibyte, large).bytes, 128 * mebibyte) << "one window of every case must fit";
  EXPECT_EQ(plan_buffers(32 * mebibyte, large).label(), "");
}

TEST(BufferPlan, ThatIsCappedIsCalledACacheFigure) {
  const BufferPlan by_limit = plan_buffers(300 * mebibyte, 512 * gibibyte);
  EXPECT_EQ(by_limit.bytes, gibibyte);
  EXPECT_EQ(by_limit.label(), "cache figure: 1.00 GiB of buffers, last-level cache 300 MiB");
  const BufferPlan by_memory = plan_buffers(100 * mebibyte, 5 * gibibyte);
  EXPECT_EQ(by_memory.bytes, 256 * mebibyte) << "a sixteenth of the memory, a power of two";
  EXPECT_TRUE(by_memory.is_cache_figure());
  const BufferPlan unknown = plan_buffers(std::nullopt, 512 * gibibyte);
  EXPECT_EQ(unknown.bytes, 256 * mebibyte);
  EXPECT_EQ(unknown.label(), "cache figure: 256 MiB of buffers, last-level cache unknown");
}

TEST(BufferPlan, WaitsForAQuarterOfTheFreeMemory) {
  const BufferPlan plan = plan_buffers(32 * mebibyte, 512 * gibibyte);
  EXPECT_EQ(why_not_now(plan, {gibibyte, 512 * mebibyte}), "");
  EXPECT_EQ(why_not_now(plan, {gibibyte, 511 * mebibyte}),
            "needs 128 MiB, a quarter of the free 511 MiB is less");
}

TEST(Memory, IsTheMachinesOrTheControlGroups) {
  const testing::ScratchDirectory scratch;
  const auto write = [&](const char* name, const char* text) { std::ofstream(scratch.path() / name) << text; };
  write("meminfo", "MemTotal:  8388608 kB\nMemFree:  1 kB\nMemAvailable:  4194304 kB\nHugePages_Total:  0\n");
  const auto read = [&] {
    const Memory memory = read_memory(scratch.path(), scratch.path());
    return std::pair{memory.total / mebibyte, memory.available / mebibyte};
  };
  EXPECT_EQ(read(), (std::pair<std::size_t, std::size_t>{8192, 4096}));
  write("memory.max", "max\n");
  EXPECT_EQ(read(), (std::pair<std::size_t, std::size_t>{8192, 4096}));
  write("memory.max", "1073741824\n");
  write("memory.current", "268435456\n");
  EXPECT_EQ(read(), (std::pair<std::size_t, std::size_t>{1024, 768}));
}

TEST(HugeBuffer, StartsAtAHugePageAndKnowsItsShareOfThem) {
  HugeBuffer buffer(8 * mebibyte);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % HugeBuffer::alignment, 0u);
  EXPECT_EQ(buffer.huge_page_share(), 0.0) << "nothing is touched";
  std::memset(buffer.data(), 1, buffer.bytes());
  const auto share = buffer.huge_page_share();
  ASSERT_TRUE(share);
  EXPECT_GE(*share, 0);
  EXPECT_LE(*share, 1);
}

TEST(Chase, IsOneCycleThroughAllLinesWhateverTheirNumber) {
  for (const std::size_t count : {1u, 2u, 3u, 63u, 1000u}) {
    std::vector<ChaseLine> lines(count);
    link_at_random(lines, 7);
    std::vector<bool> seen(count);
    const ChaseLine* line = lines.data();
    for (std::size_t i = 0; i < count; ++i) {
      const auto position = static_cast<std::size_t>(line - lines.data());
      ASSERT_FALSE(seen.at(position)) << position << " of " << count << " comes again after " << i;
      seen[position] = true;
      line = chase(line, 1);
    }
    EXPECT_EQ(line, lines.data());
    EXPECT_EQ(chase(line, 3 * count), lines.data());
  }
}

// Every length around the vectors' and the chains' multiples, with a border that must stay as it was.
class Loops : public ::testing::Test {
 protected:
  static constexpr std::size_t border = 8;
  static constexpr double untouched = -7;

  std::vector<std::size_t> lengths() const {
    std::vector<std::size_t> all{127, 128, 129, 1001};
    for (std::size_t length = 0; length <= 70; ++length) all.push_back(length);
    return all;
  }
  void check(std::size_t length, auto&& run, auto&& expected) {
    alignas(64) double a[1100], b[1100], c[1100];
    ASSERT_LE(length + 2 * border, std::size(a));
    for (std::size_t i = 0; i < std::size(a); ++i) {
      a[i] = untouched;
      b[i] = static_cast<double>(i % 97);
      c[i] = static_cast<double>(i % 89) + 0.5;
    }
    run(a + border, b + border, c + border, length);
    for (std::size_t i = 0; i < std::size(a); ++i) {
      const bool inside = i >= border && i < border + length;
      ASSERT_EQ(a[i], inside ? expected(b[i], c[i]) : untouched) << "element " << i << ", length " << length;
    }
  }
};

TEST_F(Loops, ReadAddsEveryElementOnce) {
  for (const std::size_t length : lengths()) {
    std::vector<double> values(length);
    double expected = 0;
    for (std::size_t i = 0; i < length; ++i) expected += values[i] = static_cast<double>(1 + i * i % 1021);
    EXPECT_EQ(loops::read(values.data(), length), expected) << length;
  }
}

TEST_F(Loops, WriteFillsWhatItShallAndNoMore) {
  for (const std::size_t length : lengths()) {
    check(length, [](double* a, double*, double*, std::size_t n) { loops::write(a, 2.5, n); },
          [](double, double) { return 2.5; });
    check(length, [](double* a, double*, double*, std::size_t n) { loops::write_streaming(a, 2.5, n); },
          [](double, double) { return 2.5; });
  }
}

TEST_F(Loops, CopyAndTriadWriteWhatTheyShallAndNoMore) {
  for (const std::size_t length : lengths()) {
    check(length, [](double* a, double* b, double*, std::size_t n) { loops::copy(a, b, n); },
          [](double b, double) { return b; });
    check(length, [](double* a, double* b, double* c, std::size_t n) { loops::triad(a, b, c, 3, n); },
          [](double b, double c) { return b + 3 * c; });
  }
}

TEST(Walk, GoesOnWhereItStoppedAndRoundAtTheEndOfItsSlice) {
  Walk walk(100, 7);
  std::vector<std::pair<std::size_t, std::size_t>> pieces;
  const auto note = [&](std::size_t position, std::size_t count) { pieces.emplace_back(position, count); };
  walk.go_on(5, note);
  walk.go_on(5, note);
  walk.go_on(15, note);
  EXPECT_EQ(pieces, (std::vector<std::pair<std::size_t, std::size_t>>{
                        {100, 5}, {105, 2}, {100, 3}, {103, 4}, {100, 7}, {100, 4}}));
}

TEST(Arrays, HaveASliceForEveryMemberAndStayApart) {
  Team team(3, "test");
  Arrays arrays(3, mebibyte, team);
  std::size_t next = 0;
  for (const Walk& walk : arrays.walks()) {
    EXPECT_EQ(walk.first(), next);
    next += walk.size();
  }
  EXPECT_GT(next * sizeof(double), mebibyte / 3 * 9 / 10) << "most of the memory is used";
  const auto* end = reinterpret_cast<const double*>(arrays.buffer().data() + arrays.buffer().bytes());
  EXPECT_LE(arrays[0] + next, arrays[1]);
  EXPECT_LE(arrays[1] + next, arrays[2]);
  EXPECT_LE(arrays[2] + next, end);
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < next; ++i) ASSERT_EQ(arrays[k][i], Arrays::value_at(k, i)) << k << ", " << i;
}

TEST(Streaming, LeavesWhatEachLoopPromisesInWindowsOfAnyLength) {
  for (const Stream stream : streams)
    for (const unsigned threads : {1u, 3u})
      for (const std::size_t window : {std::size_t{1}, std::size_t{4094}, std::size_t{100'002}}) {
        Team team(threads, "test");
        Streaming streaming(stream, mebibyte, team, window);
        streaming.step();
        const auto right = streaming.check_first_step();
        EXPECT_TRUE(right) << right.error().message << ", " << threads << " threads, window " << window;
      }
}

TEST(Streaming, FindsAnElementThatIsWrongAndOneOutsideTheWindow) {
  Team team(2, "test");
  for (const std::size_t position : {std::size_t{3}, std::size_t{200}}) {
    Streaming streaming(Stream::copy, mebibyte, team, 100);
    streaming.step();
    streaming.arrays()[0][position] = -1;
    const auto right = streaming.check_first_step();
    ASSERT_FALSE(right);
    EXPECT_EQ(right.error().message.find("copy: element " + std::to_string(position) + ": expected"), 0u)
        << right.error().message;
  }
  Streaming streaming(Stream::read, mebibyte, team, 100);
  EXPECT_FALSE(streaming.check_first_step()) << "no step, no sums";
}

TEST(Streaming, CountsBytesAsStreamDoes) {
  EXPECT_EQ(step_bytes(Stream::read, 1, 100), 800);
  EXPECT_EQ(step_bytes(Stream::write, 2, 100), 1600);
  EXPECT_EQ(step_bytes(Stream::copy, 1, 100), 1600);
  EXPECT_EQ(step_bytes(Stream::triad, 2, 100), 4800);
}

}  // namespace
}  // namespace bindgate
