#include "memory/streams.hpp"

#include <algorithm>

#include "memory/loops.hpp"

namespace bindgate {
namespace {

// What element i of the first array is after a step over it.
double expected_value(Stream stream, std::size_t i) {
  switch (stream) {
    case Stream::read: break;
    case Stream::write:
    case Stream::write_streaming: return written_value;
    case Stream::copy: return Arrays::value_at(1, i);
    case Stream::triad: return Arrays::value_at(1, i) + triad_factor * Arrays::value_at(2, i);
  }
  return Arrays::value_at(0, i);
}

}  // namespace

std::string name_of(Stream stream) {
  switch (stream) {
    case Stream::read: return "read";
    case Stream::write: return "write";
    case Stream::write_streaming: return "write-streaming";
    case Stream::copy: return "copy";
    case Stream::triad: return "triad";
  }
  return "";
}

std::size_t array_count(Stream stream) {
  if (stream == Stream::triad) return 3;
  return stream == Stream::copy ? 2 : 1;
}

double step_bytes(Stream stream, unsigned threads, std::size_t window) {
  return static_cast<double>(array_count(stream) * window * threads * sizeof(double));
}

Streaming::Streaming(Stream stream, std::size_t bytes, Team& team, std::size_t window)
    : stream_(stream),
      window_(window),
      team_(team),
      arrays_(array_count(stream), bytes, team),
      sums_(team.size()) {}

void Streaming::step() {
  team_.run([this](unsigned member) {
    double* const a = arrays_[0];
    double sum = 0;
    arrays_.walks()[member].go_on(window_, [&](std::size_t i, std::size_t count) {
      switch (stream_) {
        case Stream::read: sum += loops::read(a + i, count); break;
        case Stream::write: loops::write(a + i, written_value, count); break;
        case Stream::write_streaming: loops::write_streaming(a + i, written_value, count); break;
        case Stream::copy: loops::copy(a + i, arrays_[1] + i, count); break;
        case Stream::triad: loops::triad(a + i, arrays_[1] + i, arrays_[2] + i, triad_factor, count); break;
      }
    });
    sums_[member].value = sum;
  });
}

Result<void> Streaming::check_first_step() const {
  const auto wrong = [this](std::string where, double expected, double found) {
    return fail(name_of(stream_) + ": " + std::move(where) + ": expected " + std::to_string(expected) + ", found " +
                std::to_string(found));
  };
  for (unsigned member = 0; member < team_.size(); ++member) {
    const Walk& walk = arrays_.walks()[member];
    const std::size_t first = walk.first(), end = first + walk.size();
    // A window larger than the slice goes round: every element has its turn, some more than one.
    const std::size_t done = std::min(end, first + window_);
    for (std::size_t i = first; i < end; ++i) {
      const double expected = i < done ? expected_value(stream_, i) : Arrays::value_at(0, i);
      if (arrays_[0][i] != expected) return wrong("element " + std::to_string(i), expected, arrays_[0][i]);
    }
    if (stream_ != Stream::read) continue;
    double expected = 0;
    for (std::size_t i = 0; i < window_; ++i) expected += Arrays::value_at(0, first + i % walk.size());
    if (sums_[member].value != expected)
      return wrong("sum of thread " + std::to_string(member), expected, sums_[member].value);
  }
  return {};
}

}  // namespace bindgate
