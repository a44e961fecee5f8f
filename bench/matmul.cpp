// Matrix products as networks have them: squares, the layers of a transformer, and batches.

#include <ATen/ops/bmm.h>
#include <ATen/ops/mm.h>

#include <cstdio>
#include <string>

#include "support/libtorch.hpp"
#include "support/measure.hpp"
#include "support/tensors.hpp"

namespace bindgate {
namespace {

/// c = a b with a: m x k, b: k x n; `batch` of them when above 0. The weights of a `layer` are stored as
/// nn.Linear stores them, n x k.
struct Product {
  ElementType type = ElementType::f32;
  std::int64_t batch = 0, m = 1, n = 1, k = 1;
  bool layer = false;
  Profile profile = Profile::nightly;
};

Result<void> check_product(const Product& product, const TensorView& a, const TensorView& b, const TensorView& c) {
  const auto outputs = static_cast<std::size_t>(std::max<std::int64_t>(1, product.batch) * product.m * product.n);
  for (const std::size_t position : sampled_positions(outputs, 64, 1)) {
    const auto index = static_cast<std::int64_t>(position);
    const std::int64_t column = index % product.n, row = index / product.n % product.m;
    const std::int64_t batch = index / product.n / product.m;
    DotProduct expected;
    for (std::int64_t l = 0; l < product.k; ++l) expected.add(a(batch, row, l), b(batch, l, column));
    const std::string where =
        "element [" + std::to_string(batch) + ", " + std::to_string(row) + ", " + std::to_string(column) + "]";
    if (auto right = compare(where, c(batch, row, column), expected, rounding_of(product.type)); !right) return right;
  }
  return {};
}

void multiply(State& state, const Product& product) {
  require_kernels(product.type);
  Generator generator(1);
  const auto [type, batch, m, n, k, layer, profile] = product;
  const bool batched = batch > 0;
  const auto sizes = [&](std::int64_t rows, std::int64_t columns) {
    return batched ? std::vector{batch, rows, columns} : std::vector{rows, columns};
  };
  const at::Tensor a = random_tensor(sizes(m, k), type, generator);
  const at::Tensor weights = random_tensor(layer ? sizes(n, k) : sizes(k, n), type, generator);
  const at::Tensor b = layer ? weights.t() : weights;
  at::Tensor c = empty_tensor(sizes(m, n), type);
  for (const at::Tensor& tensor : {a, weights, c}) state.working_set(tensor.data_ptr(), tensor.nbytes());
  measure(
      state, [&] { batched ? at::bmm_out(c, a, b) : at::mm_out(c, a, b); },
      [&] { return check_product(product, view_of(a), view_of(b), view_of(c)); });
}

CaseInfo describe(const Product& product) {
  const auto& [type, batch, m, n, k, layer, profile] = product;
  CaseInfo info;
  info.shape = {{"m", std::to_string(m)}, {"n", std::to_string(n)}, {"k", std::to_string(k)}};
  info.name = "matmul/" + name_of(type) + "/";
  if (batch > 0) info.name += (info.shape["batch"] = std::to_string(batch)) + "x";
  info.name += info.shape["m"] + "x" + info.shape["n"] + "x" + info.shape["k"];
  info.label = label_of(type, m == 1 ? "bandwidth-bound" : "");
  const double products = static_cast<double>(std::max<std::int64_t>(1, batch));
  info.operations = 2 * products * static_cast<double>(m * n * k);
  info.bytes = products * static_cast<double>(m * k + k * n + m * n) * static_cast<double>(bytes_of(type));
  info.profile = profile;
  return info;
}

void add_products(Program& program, ElementType type) {
  const auto add = [&](Product product) {
    product.type = type;
    program.add(describe(product), [product](State& state) { multiply(state, product); });
  };
  const bool f32 = type == ElementType::f32;
  const auto quick_if = [](bool quick) { return quick ? Profile::quick : Profile::nightly; };
  for (const std::int64_t size : {256, 512, 1024, 2048})
    add({.m = size, .n = size, .k = size, .profile = quick_if(f32 && size <= 512)});
  for (const std::int64_t n : {4096, 14336})
    for (const std::int64_t m : {1, 16, 128, 2048})
      add({.m = m, .n = n, .k = 4096, .layer = true,
           .profile = m == 2048 ? Profile::thorough : quick_if(f32 && n == 4096 && m == 1)});
  for (const std::int64_t n : {128, 512}) add({.batch = 32, .m = n, .n = n, .k = 64});
}

}  // namespace
}  // namespace bindgate

int main(int argc, char** argv) {
  using namespace bindgate;
  return run_with_libtorch("matmul", argc, argv, [](Program& program, unsigned) {
    add_products(program, ElementType::f32);
    add_products(program, ElementType::bf16);
  });
}
