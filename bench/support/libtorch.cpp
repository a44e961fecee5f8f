#include "support/libtorch.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <ATen/core/Tensor.h>
#include <dlfcn.h>
#include <torch/version.h>

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string_view>

#if __has_include(<ATen/ops/scaled_dot_product_attention.h>)
#include <ATen/ops/scaled_dot_product_attention.h>
#define BINDGATE_FUSED_ATTENTION (TORCH_VERSION_MAJOR * 100 + TORCH_VERSION_MINOR)
#else
#define BINDGATE_FUSED_ATTENTION 0  // no release that has it
#endif

namespace bindgate {
namespace {

// The text after `key` in LibTorch's description of itself, up to the first of `ends`; "" where there is none.
std::string described(const std::string& text, std::string_view key, const char* ends) {
  const std::size_t start = text.find(key);
  if (start == std::string::npos) return "";
  const std::string rest = text.substr(start + key.size());
  return rest.substr(0, rest.find_first_of(ends));
}

std::string call_for_text(const char* function) {
  void* symbol = dlsym(RTLD_DEFAULT, function);
  return symbol ? reinterpret_cast<const char* (*)()>(symbol)() : "";
}

std::string blas_library() {
  Dl_info info{};
  void* symbol = dlsym(RTLD_DEFAULT, "sgemm_");
  if (!symbol || !dladdr(symbol, &info) || !info.dli_fname) return "";
  std::error_code error;
  const auto path = std::filesystem::canonical(info.dli_fname, error);
  return error ? info.dli_fname : path.string();
}

void describe_libtorch(protocol::Hello& hello) {
  const std::string description = at::show_config();
  hello.libraries["libtorch"] = TORCH_VERSION;
  if (const auto version = described(description, "MKL-DNN v", " \n"); !version.empty())
    hello.libraries["onednn"] = version;
  if (const auto version = described(call_for_text("openblas_get_config"), "OpenBLAS ", " "); !version.empty())
    hello.libraries["openblas"] = version;
  hello.settings["blas"] = blas_library();
  hello.settings["blas_core"] = call_for_text("openblas_get_corename");
  hello.settings["cpu_capability"] = described(description, "CPU capability usage: ", "\n");
  hello.settings["parallel_backend"] = described(at::get_parallel_info(), "ATen parallel backend: ", "\n");
}

}  // namespace

int run_with_libtorch(const char* name, int argc, char** argv,
                      const std::function<void(Program& program, unsigned threads)>& add_cases) {
  const auto threads = requested_threads();
  if (!threads) {
    std::fprintf(stderr, "bench_%s: %s\n", name, threads.error().message.c_str());
    return 2;
  }
  at::set_num_threads(static_cast<int>(*threads));
  Program program(name);
  describe_libtorch(program.hello());
  add_cases(program, *threads);
  return program.run(argc, argv, *threads);
}

TorchThreads::TorchThreads(unsigned threads) : before_(at::get_num_threads()) {
  at::set_num_threads(static_cast<int>(threads));
}

TorchThreads::~TorchThreads() { at::set_num_threads(before_); }

bool has_bf16_matmul() {
#if defined(__x86_64__)
  return at::hasMKLDNN() && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq");
#else
  return false;
#endif
}

const char* bf16_label() {
#if defined(__x86_64__)
  if (has_bf16_matmul() && !__builtin_cpu_supports("avx512bf16")) return "emulated bf16";
#endif
  return "";
}

std::optional<std::string> fused_attention_lacks(bool grouped) {
  if (BINDGATE_FUSED_ATTENTION == 0) return "this LibTorch has no fused attention";
  if (grouped && BINDGATE_FUSED_ATTENTION < 205) return "this LibTorch's fused attention has no grouped heads";
  return std::nullopt;
}

at::Tensor fused_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, bool causal) {
  const bool grouped = q.size(0) != k.size(0);
  if (const auto lacking = fused_attention_lacks(grouped)) throw std::logic_error(*lacking);
#if BINDGATE_FUSED_ATTENTION >= 205
  return at::scaled_dot_product_attention(q.unsqueeze(0), k.unsqueeze(0), v.unsqueeze(0), {}, 0, causal, {}, grouped)
      .squeeze(0);
#elif BINDGATE_FUSED_ATTENTION
  return at::scaled_dot_product_attention(q.unsqueeze(0), k.unsqueeze(0), v.unsqueeze(0), {}, 0, causal).squeeze(0);
#else
  static_cast<void>(v), static_cast<void>(causal);
  return {};
#endif
}

}  // namespace bindgate
