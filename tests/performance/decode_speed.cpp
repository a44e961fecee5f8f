// Whether bench_decode's decoder is as fast as its library allows: the decode stage against tjbench on the same files,
// one thread, taking turns; and what W workers, threads and processes, make of W CPUs.

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "comparison.hpp"
#include "decode/process_loader.hpp"
#include "decode/thread_loader.hpp"
#include "support/clocks.hpp"
#include "support/workers.hpp"

namespace bindgate {
namespace {

constexpr double turn_seconds = 0.1;

// Pictures per second, as tjbench itself counts them.
double rate_of_tjbench(const std::filesystem::path& file) {
  const std::string command =
      "tjbench '" + file.string() + "' -rgb -nowrite -warmup 0 -benchtime " + std::to_string(turn_seconds) + " 2>&1";
  const std::unique_ptr<FILE, int (*)(FILE*)> output(popen(command.c_str(), "r"), &pclose);
  if (!output) give_up("no process to be had");
  std::string text;
  for (int c = 0; (c = std::fgetc(output.get())) != EOF;) text += static_cast<char>(c);
  static const std::string key = "Decompress    --> Frame rate:";
  const std::size_t place = text.find(key);
  const double rate = place == std::string::npos ? 0 : std::strtod(text.c_str() + place + key.size(), nullptr);
  if (!(rate > 0))
    give_up("tjbench gave no rate; is libjpeg-turbo-progs installed (ci/install-packages test)? It said:\n" + text);
  return rate;
}

double rate_of_decoder(const JpegFile& file) {
  JpegDecoder decoder;
  Picture picture;
  const auto decode = [&] {
    if (const auto decoded = decoder.decode(file.bytes, picture); !decoded) give_up(decoded.error().message);
  };
  decode();
  const std::int64_t start = wall_clock_ns();
  double seconds = 0;
  int count = 0;
  for (; seconds < turn_seconds; ++count) {
    decode();
    seconds = 1e-9 * static_cast<double>(wall_clock_ns() - start);
  }
  return count / seconds;
}

struct Times {
  double wall = 0, cpu = 0;  // seconds; cpu of all workers
};

// CPU time of a loader's workers so far.
std::int64_t cpu_ns(const ThreadLoader&) { return read_clock_ns(CLOCK_PROCESS_CPUTIME_ID); }
std::int64_t cpu_ns(const ProcessLoader& loader) { return Workers(loader.process_ids()).cpu_ns(); }

template <class Loader>
Times times_of_batch(Loader& loader) {
  const std::int64_t cpu = cpu_ns(loader), start = wall_clock_ns();
  loader.load_batch();
  const std::int64_t stop = wall_clock_ns();
  return {1e-9 * static_cast<double>(stop - start), 1e-9 * static_cast<double>(cpu_ns(loader) - cpu)};
}

// With what else there is to know where the goal is missed: strangers on the CPUs, or workers in each other's way.
template <class Loader>
void compare_workers(const std::string& kind, const std::vector<JpegFile>& files, unsigned workers, int turns) {
  Loader one(files, 1, 1), all(files, workers, 1);
  times_of_batch(one);
  times_of_batch(all);
  std::vector<double> ratios, granted, dearer;
  for (int turn = 0; turn < turns; ++turn) {
    const Times alone = times_of_batch(one), together = times_of_batch(all);
    ratios.push_back(alone.wall / together.wall / workers);
    granted.push_back(together.cpu / together.wall / workers);
    dearer.push_back(together.cpu / alone.cpu);
  }
  const std::string count = std::to_string(workers);
  print_comparison(kind + ", " + count + " workers / (one worker x " + count + ")", "turns", ratios, {.low = 0.9});
  std::printf("    the %s workers had %.0f %% of %s CPUs; a batch took them %.2f times one worker's CPU time\n",
              count.c_str(), 100 * median(granted), count.c_str(), median(dearer));
}

}  // namespace
}  // namespace bindgate

int main(int argc, char** argv) {
  using namespace bindgate;
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 10;
  const auto cache = cache_folder();
  if (!cache) give_up(cache.error().message);
  const auto files = open_jpeg_set(*cache, photographs, photographs.size);
  if (!files) give_up(files.error().message);

  cpu_set_t allowed, one;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) give_up("sched_getaffinity was refused");
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) give_up("sched_setaffinity was refused");
  std::vector<double> ratios;
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < photographs.kinds.size(); ++i) {
      const double theirs = rate_of_tjbench((*files)[i].path);
      ratios.push_back(rate_of_decoder((*files)[i]) / theirs);
    }
  print_comparison("decoder / tjbench, one thread", "turns", ratios, {.low = 0.97});

  sched_setaffinity(0, sizeof allowed, &allowed);
  const auto workers = static_cast<unsigned>(CPU_COUNT(&allowed));
  compare_workers<ThreadLoader>("threads", *files, workers, 4 * rounds);
  compare_workers<ProcessLoader>("processes", *files, workers, 4 * rounds);
}
