// A DataLoader feeding a training job: JPEG files to batches of normalised samples, by worker threads or processes.

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/stack.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "decode/case_files.hpp"
#include "decode/process_loader.hpp"
#include "decode/thread_loader.hpp"
#include "support/libtorch.hpp"
#include "support/measure.hpp"

namespace bindgate {
namespace {

constexpr std::uint64_t seed = 1;  // of the augmentation

using Files = std::function<std::vector<JpegFile>()>;

/// `workers` is "1", "all" or a number in between; "all" are `count` of them as the others are.
struct LoadCase {
  std::string pictures;  // "" where the name says nothing about them
  bool processes = false;
  std::string workers = "all";
  unsigned count = 1;
  std::size_t batch_size = 32;
  Profile profile = Profile::nightly;
};

void load_by_threads(State& state, std::vector<JpegFile> opened) {
  ThreadLoader loader(std::move(opened), state.threads, seed);
  const std::vector<JpegFile>& files = loader.files();
  at::Tensor batch = at::empty({static_cast<std::int64_t>(files.size()), 3, sample_side, sample_side});
  std::vector<at::Tensor> samples;
  for (std::size_t i = 0; i < files.size(); ++i)
    samples.push_back(at::from_blob(loader.sample(i).data(), {3, sample_side, sample_side}));
  state.working_set(batch.data_ptr(), batch.nbytes());
  for (const JpegFile& file : files) state.working_set(file.bytes.data(), file.bytes.size());
  measure(
      state,
      [&] {
        loader.load_batch();
        at::stack_out(batch, samples);
      },
      [&] {
        return check_batch(files, seed, {batch.data_ptr<float>(), static_cast<std::size_t>(batch.numel())});
      });
}

// The workers leave the batch where the trainer reads it: there is nothing to stack.
void load_by_processes(State& state, std::vector<JpegFile> opened) {
  ProcessLoader loader(std::move(opened), state.threads, seed);
  state.workers(loader.process_ids());
  state.working_set(loader.batch().data(), loader.batch().size_bytes());
  for (const JpegFile& file : loader.files()) state.working_set(file.bytes.data(), file.bytes.size());
  measure(
      state, [&] { loader.load_batch(); }, [&] { return check_batch(loader.files(), seed, loader.batch()); });
}

void load(State& state, const LoadCase& load, const Files& files) {
  if (load.count > state.threads)
    not_run("takes " + load.workers + " CPUs; " + std::to_string(state.threads) + " here");
  state.threads = load.count;
  const TorchThreads collator(load.count);
  load.processes ? load_by_processes(state, files()) : load_by_threads(state, files());
}

CaseInfo describe(const LoadCase& load) {
  CaseInfo info;
  const std::string kind = load.processes ? "processes" : "threads";
  info.name = "decode/" + load.pictures + (load.pictures.empty() ? "" : "/") + kind + "/" + load.workers;
  const std::string worker = load.processes ? "worker process" : "worker";
  info.label = load.workers == "1"     ? "one " + worker
               : load.workers == "all" ? "a " + worker + " on every CPU"
                                       : load.workers + " " + worker + (load.processes ? "es" : "s");
  info.shape = {
      {"workers", load.workers}, {"batch", std::to_string(load.batch_size)}, {"side", std::to_string(sample_side)}};
  info.items = static_cast<double>(load.batch_size);
  info.item = "image";
  info.profile = load.profile;
  return info;
}

void add_cases(Program& program, unsigned threads, const std::optional<std::string>& images) {
  const auto add = [&](const LoadCase& one, const Files& files) {
    program.add(describe(one), [one, files](State& state) { load(state, one, files); });
  };
  const Files usual = [] { return files_for_case(photographs, photographs.size); };
  // The same names under every placement: what a narrow one cannot run it says.
  const auto online = static_cast<unsigned>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  for (const bool processes : {false, true}) {
    add({"", processes, "1", 1}, usual);
    for (unsigned count = 2; count < online; count *= 2)
      add({"", processes, std::to_string(count), count, 32, Profile::thorough}, usual);
    add({"", processes, "all", threads, 32, processes ? Profile::nightly : Profile::quick}, usual);
  }
  struct Pictures {
    const char* name;
    const JpegSet& set;
    Profile profile;
  };
  for (const auto& [name, set, profile] :
       {Pictures{"1920x1080", full_hd, Profile::nightly}, Pictures{"progressive", progressive, Profile::nightly},
        Pictures{"grayscale", grayscale, Profile::thorough}, Pictures{"cmyk", cmyk, Profile::thorough}})
    add({name, false, "all", threads, set.size, profile}, [&set = set] { return files_for_case(set, set.size); });
  if (!images) return;
  const auto folder = list_images(*images);
  program.hello().settings["images"] = *images;
  // Other pictures are other work: under another name, no baseline compares them.
  const std::string pictures = folder ? "images-" + folder->digest() : "images";
  for (const bool processes : {false, true})
    add({pictures, processes, "all", threads}, [folder] { return files_for_case(folder, 32); });
}

// Takes --images from the arguments; else what the environment says. Error: the option has no value.
Result<std::optional<std::string>> take_images(int& argc, char** argv) {
  const char* named = std::getenv("BINDGATE_IMAGES");
  std::optional<std::string> images = named && *named ? std::optional<std::string>(named) : std::nullopt;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument(argv[i]);
    if (argument == "--images") {
      if (++i == argc) return fail("--images: no folder; give --images DIR");
      images = argv[i];
    } else if (argument.starts_with("--images=")) {
      images = argument.substr(argument.find('=') + 1);
    } else {
      argv[kept++] = argv[i];
    }
  }
  if (images && images->empty()) return fail("--images: \"\" is no folder; give --images DIR");
  argc = kept;
  return images;
}

}  // namespace
}  // namespace bindgate

int main(int argc, char** argv) {
  using namespace bindgate;
  const auto images = take_images(argc, argv);
  if (!images) {
    std::fprintf(stderr, "bench_decode: %s\n", images.error().message.c_str());
    return 2;
  }
  return run_with_libtorch("decode", argc, argv, [&images](Program& program, unsigned threads) {
    program.hello().libraries["libjpeg-turbo"] = libjpeg_turbo_version();
    program.explain(
        "--images DIR, or BINDGATE_IMAGES=DIR: also cases decode/images-DIGEST/* on the first 32 JPEG files of DIR");
    add_cases(program, threads, *images);
  });
}
