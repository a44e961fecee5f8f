// One training iteration end to end on the CPU: worker processes decode the next batch while ResNet-18 computes on the
// one before.

#include <algorithm>
#include <chrono>
#include <string>

#include "decode/case_files.hpp"
#include "decode/process_loader.hpp"
#include "support/libtorch.hpp"
#include "support/measure.hpp"
#include "train/check.hpp"
#include "train/resnet.hpp"

namespace bindgate {
namespace {

constexpr int batch_size = 4;
constexpr std::uint64_t augmentation_seed = 1, weights_seed = 2;

/// Where an iteration's wall time goes.
struct Shares {
  std::chrono::steady_clock::duration waiting{}, copy{}, compute{};

  void tell(State& state) const {
    const double all = static_cast<double>((waiting + copy + compute).count());
    if (all <= 0) return;
    state.figure("share_waiting", static_cast<double>(waiting.count()) / all);
    state.figure("share_copy", static_cast<double>(copy.count()) / all);
    state.figure("share_compute", static_cast<double>(compute.count()) / all);
  }
};

// Adds what `part` takes to `to`.
template <class Part>
void timed(std::chrono::steady_clock::duration& to, Part part) {
  const auto start = std::chrono::steady_clock::now();
  part();
  to += std::chrono::steady_clock::now() - start;
}

void train(State& state, unsigned workers) {
  // The workers first: they share what this process has when it forks, and every page of it that it writes to later
  // would cost a copy.
  ProcessLoader loader(files_for_case(photographs, batch_size), workers, augmentation_seed, 2);
  ResNet network(resnet18(), batch_size, sample_side, {}, weights_seed);
  state.workers(loader.process_ids());
  for (const std::size_t slot : {0u, 1u}) state.working_set(loader.batch(slot).data(), loader.batch(slot).size_bytes());
  for (const std::span<const std::byte> part : network.memory()) state.working_set(part.data(), part.size());

  loader.load_batch();
  std::size_t ready = 0;
  Shares shares;
  measure(
      state,
      [&] {
        const std::size_t next = 1 - ready;
        timed(shares.waiting, [&] { loader.start(next); });
        timed(shares.copy, [&] { network.copy_in(loader.batch(ready)); });
        timed(shares.compute, [&] { network.step(); });
        timed(shares.waiting, [&] { loader.wait(); });  // so that nothing goes on into another launch's turn
        ready = next;
      },
      [&]() -> Result<void> {
        shares = {};  // the first iteration's are set-up
        for (const std::size_t slot : {0u, 1u})
          if (auto right = check_batch(loader.files(), augmentation_seed, loader.batch(slot)); !right) return right;
        if (!std::ranges::equal(network.images(), loader.batch(0))) return fail("the batch was not copied");
        if (auto right = check_first_step(network, weights_seed); !right) return right;
        return check_small_network();
      });
  shares.tell(state);
}

CaseInfo describe(const std::string& workers) {
  CaseInfo info;
  const std::string batch = std::to_string(batch_size), side = std::to_string(sample_side);
  info.name = "train/resnet18/b" + batch + "/workers/" + workers;
  info.label = "f32, batch of " + batch + ", " + (workers == "1" ? "one worker" : "a worker on every CPU");
  info.shape = {{"batch", batch}, {"side", side}, {"workers", workers}};
  // Backward, every layer but the first has two products of the size of its forward one.
  info.operations = batch_size * 3 * forward_operations(resnet18(), sample_side);
  info.items = batch_size;
  info.item = "image";
  return info;
}

}  // namespace
}  // namespace bindgate

int main(int argc, char** argv) {
  using namespace bindgate;
  return run_with_libtorch("train", argc, argv, [](Program& program, unsigned threads) {
    program.hello().libraries["libjpeg-turbo"] = libjpeg_turbo_version();
    program.add(describe("1"), [](State& state) { train(state, 1); });
    program.add(describe("all"), [threads](State& state) { train(state, threads); });
  });
}
