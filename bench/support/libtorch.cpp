#include "support/libtorch.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <dlfcn.h>
#include <torch/version.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

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

}  // namespace bindgate
