#pragma once
// All that cases and programs need to know about this LibTorch, and the one place where differences between
// its releases live. LibTorch's headers stay in the .cpp.

#include <functional>
#include <optional>
#include <string>

#include "support/program.hpp"

namespace at {
class Tensor;
}

namespace bindgate {

/// The main function of a program on LibTorch: sets its threads, writes its version, BLAS (with the core that it
/// chose) and vector level into the program's hello, lets `add_cases` add the cases and runs the program.
[[nodiscard]] int run_with_libtorch(const char* name, int argc, char** argv,
                                    const std::function<void(Program& program, unsigned threads)>& add_cases);

/// Gives LibTorch another number of threads for a while, as for one case.
class TorchThreads {
 public:
  explicit TorchThreads(unsigned threads);
  ~TorchThreads();
  TorchThreads(const TorchThreads&) = delete;
  TorchThreads& operator=(const TorchThreads&) = delete;

 private:
  int before_;
};

/// Whether matrix products of bf16 have a kernel here: oneDNN's, which needs AVX-512 (BW, VL and DQ). Without it
/// LibTorch falls back to a scalar loop that also rounds its running sum to bf16: nothing that anyone would
/// train with, and outside every error bound.
[[nodiscard]] bool has_bf16_matmul();

/// "emulated bf16" where the kernel converts to f32 because the CPU has no bf16 instructions; else "".
[[nodiscard]] const char* bf16_label();

/// Why fused_attention() cannot be called in this LibTorch, as "this LibTorch has no fused attention"; nothing where
/// it can. 1.13 has only a private forerunner that is made of public operators. `grouped`: fewer key-value heads.
[[nodiscard]] std::optional<std::string> fused_attention_lacks(bool grouped);

/// scaled_dot_product_attention of [heads, queries or keys, depth]; throws where it lacks.
[[nodiscard]] at::Tensor fused_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, bool causal);

}  // namespace bindgate
