// A DataLoader feeding a training job: JPEG files to batches of 32 normalised samples, by worker threads.

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/stack.h>

#include <cstdio>
#include <string>

#include "decode/loader.hpp"
#include "support/libtorch.hpp"
#include "support/measure.hpp"

namespace bindgate {
namespace {

constexpr std::size_t batch_size = 32;

// The collator's threads; the program's own number comes back with the end of the case.
class TorchThreads {
 public:
  explicit TorchThreads(unsigned threads) { at::set_num_threads(static_cast<int>(threads)); }
  ~TorchThreads() { at::set_num_threads(before_); }
  TorchThreads(const TorchThreads&) = delete;
  TorchThreads& operator=(const TorchThreads&) = delete;

 private:
  int before_ = at::get_num_threads();
};

std::vector<JpegFile> open_files() {
  const auto cache = cache_folder();
  if (!cache) throw protocol::Failed{cache.error().message};
  auto files = open_jpeg_set(*cache, batch_size);
  if (!files) throw protocol::Failed{files.error().message};
  const auto corrupt = replace_corrupt(*files);
  if (!corrupt) throw protocol::Failed{corrupt.error().message};
  for (const CorruptFile& file : *corrupt)
    std::fprintf(stderr, "decode: corrupt file %s: %s; another of its kind stands in\n", file.path.c_str(),
                 file.reason.c_str());
  if (!corrupt->empty()) std::fprintf(stderr, "decode: %zu of %zu files are corrupt\n", corrupt->size(), batch_size);
  return *std::move(files);
}

// The decoder against the picture before encoding, one file of each kind; the rest against the definition.
Result<void> check_batch(const Loader& loader, const at::Tensor& batch) {
  JpegDecoder decoder;
  Picture picture;
  for (std::size_t i = 0; i < batch_size; ++i) {
    const JpegFile& file = loader.files()[i];
    if (auto decoded = decoder.decode(file.bytes, picture); !decoded) return decoded;
    if (i < jpeg_kinds().size()) {
      const JpegKind& kind = jpeg_kinds()[i];
      const double found = peak_signal_to_noise(picture, original_of(file.index));
      if (found < kind.least_psnr)
        return fail(file.path.string() + ": decoded pixels: expected at least " + std::to_string(kind.least_psnr) +
                    " dB against the original, found " + std::to_string(found) +
                    "; remove the file to have it made anew");
    }
    const Augmentation augmentation = draw_augmentation(picture.width, picture.height, loader.seed_of(i));
    for (const std::size_t position : sampled_positions(sample_values, 8, i)) {
      const int plane = static_cast<int>(position / sample_side / sample_side);
      const int y = static_cast<int>(position / sample_side % sample_side);
      const int x = static_cast<int>(position % sample_side);
      const std::string where = "batch[" + std::to_string(i) + ", " + std::to_string(plane) + ", " + std::to_string(y) +
                                ", " + std::to_string(x) + "]";
      const float found = batch.data_ptr<float>()[i * sample_values + position];
      if (auto right = compare(where, found, expected_sample(picture, augmentation, plane, y, x), {}); !right)
        return right;
    }
  }
  return {};
}

void load(State& state, unsigned workers) {
  state.threads = workers;
  const TorchThreads threads(workers);
  Loader loader(open_files(), workers, 1);
  at::Tensor batch = at::empty({batch_size, 3, sample_side, sample_side});
  std::vector<at::Tensor> samples;
  for (std::size_t i = 0; i < batch_size; ++i)
    samples.push_back(at::from_blob(loader.sample(i).data(), {3, sample_side, sample_side}));
  state.working_set(batch.data_ptr(), batch.nbytes());
  for (const JpegFile& file : loader.files()) state.working_set(file.bytes.data(), file.bytes.size());
  measure(
      state,
      [&] {
        loader.load_batch();
        at::stack_out(batch, samples);
      },
      [&] { return check_batch(loader, batch); });
}

CaseInfo describe(const std::string& workers, Profile profile) {
  CaseInfo info;
  info.name = "decode/threads/" + workers;
  info.label = workers == "1" ? "one worker" : "a worker on every CPU";
  info.shape = {{"workers", workers}, {"batch", std::to_string(batch_size)}, {"side", std::to_string(sample_side)}};
  info.items = batch_size;
  info.item = "image";
  info.profile = profile;
  return info;
}

}  // namespace
}  // namespace bindgate

int main(int argc, char** argv) {
  using namespace bindgate;
  return run_with_libtorch("decode", argc, argv, [](Program& program, unsigned threads) {
    program.hello().libraries["libjpeg-turbo"] = libjpeg_turbo_version();
    program.add(describe("1", Profile::nightly), [](State& state) { load(state, 1); });
    program.add(describe("all", Profile::quick), [threads](State& state) { load(state, threads); });
  });
}
