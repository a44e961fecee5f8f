// Matrix products as networks have them: squares, the layers of a transformer, and batches.

#include <ATen/ops/bmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>

#include <cstdio>
#include <string>

#include "support/expected.hpp"
#include "support/generator.hpp"
#include "support/libtorch.hpp"
#include "support/measure.hpp"

namespace bindgate {
namespace {

/// c = a b with a: m x k, b: k x n; `batch` of them when above 0. The weights of a `layer` are stored as
/// nn.Linear stores them, n x k.
struct Product {
  at::ScalarType type = at::kFloat;
  std::int64_t batch = 0, m = 1, n = 1, k = 1;
  bool layer = false;
  Profile profile = Profile::nightly;
};

at::Tensor random_tensor(at::IntArrayRef sizes, at::ScalarType type, Generator& generator) {
  at::Tensor tensor = at::empty(sizes, type);
  const auto count = static_cast<std::size_t>(tensor.numel());
  if (type == at::kBFloat16)
    fill_bf16({static_cast<std::uint16_t*>(tensor.data_ptr()), count}, generator);
  else
    fill({tensor.data_ptr<float>(), count}, generator);
  return tensor;
}

// One element, past LibTorch's operators.
double element(const at::Tensor& tensor, std::int64_t batch, std::int64_t row, std::int64_t column) {
  const std::int64_t last = tensor.dim() - 1;
  const std::int64_t offset = (last == 2 ? batch * tensor.stride(0) : 0) + row * tensor.stride(last - 1) +
                              column * tensor.stride(last);
  if (tensor.scalar_type() == at::kBFloat16)
    return from_bf16_bits(static_cast<const std::uint16_t*>(tensor.data_ptr())[offset]);
  return tensor.data_ptr<float>()[offset];
}

Result<void> check_product(const Product& product, const at::Tensor& a, const at::Tensor& b, const at::Tensor& c) {
  const Rounding rounding{unit_f32, product.type == at::kBFloat16 ? unit_bf16 : unit_f32};
  for (const std::size_t position : sampled_positions(static_cast<std::size_t>(c.numel()), 64, 1)) {
    const auto index = static_cast<std::int64_t>(position);
    const std::int64_t column = index % product.n, row = index / product.n % product.m;
    const std::int64_t batch = index / product.n / product.m;
    DotProduct expected;
    for (std::int64_t l = 0; l < product.k; ++l) expected.add(element(a, batch, row, l), element(b, batch, l, column));
    const std::string where =
        "element [" + std::to_string(batch) + ", " + std::to_string(row) + ", " + std::to_string(column) + "]";
    if (auto right = compare(where, element(c, batch, row, column), expected, rounding); !right) return right;
  }
  return {};
}

void multiply(State& state, const Product& product) {
  if (product.type == at::kBFloat16 && !has_bf16_matmul()) not_run("no bf16 kernel");
  Generator generator(1);
  const auto [type, batch, m, n, k, layer, profile] = product;
  const bool batched = batch > 0;
  const auto sizes = [&](std::int64_t rows, std::int64_t columns) {
    return batched ? std::vector{batch, rows, columns} : std::vector{rows, columns};
  };
  const at::Tensor a = random_tensor(sizes(m, k), type, generator);
  const at::Tensor weights = random_tensor(layer ? sizes(n, k) : sizes(k, n), type, generator);
  const at::Tensor b = layer ? weights.t() : weights;
  at::Tensor c = at::empty(sizes(m, n), type);
  for (const at::Tensor& tensor : {a, weights, c}) state.working_set(tensor.data_ptr(), tensor.nbytes());
  measure(
      state, [&] { batched ? at::bmm_out(c, a, b) : at::mm_out(c, a, b); },
      [&] { return check_product(product, a, b, c); });
}

CaseInfo describe(const Product& product) {
  const auto& [type, batch, m, n, k, layer, profile] = product;
  const bool bf16 = type == at::kBFloat16;
  CaseInfo info;
  info.shape = {{"m", std::to_string(m)}, {"n", std::to_string(n)}, {"k", std::to_string(k)}};
  info.name = std::string("matmul/") + (bf16 ? "bf16/" : "f32/");
  if (batch > 0) info.name += (info.shape["batch"] = std::to_string(batch)) + "x";
  info.name += info.shape["m"] + "x" + info.shape["n"] + "x" + info.shape["k"];
  info.label = m == 1 ? "bandwidth-bound" : "";
  if (bf16 && *bf16_label()) info.label += (info.label.empty() ? "" : ", ") + std::string(bf16_label());
  const double products = static_cast<double>(std::max<std::int64_t>(1, batch));
  info.operations = 2 * products * static_cast<double>(m * n * k);
  info.bytes = products * static_cast<double>(m * k + k * n + m * n) * (bf16 ? 2 : 4);
  info.profile = profile;
  return info;
}

void add_products(Program& program, at::ScalarType type) {
  const auto add = [&](Product product) {
    product.type = type;
    program.add(describe(product), [product](State& state) { multiply(state, product); });
  };
  const bool f32 = type == at::kFloat;
  const auto quick_if = [](bool quick) { return quick ? Profile::quick : Profile::nightly; };
  for (const std::int64_t size : {256, 512, 1024, 2048})
    add({.m = size, .n = size, .k = size, .profile = quick_if(size == 512 || (f32 && size == 256))});
  for (const std::int64_t n : {4096, 14336})
    for (const std::int64_t m : {1, 16, 128, 2048})
      add({.m = m, .n = n, .k = 4096, .layer = true,
           .profile = m == 2048 ? Profile::thorough : quick_if(f32 && n == 4096 && m <= 16)});
  for (const std::int64_t n : {128, 512}) add({.batch = 32, .m = n, .n = n, .k = 64});
}

}  // namespace
}  // namespace bindgate

int main(int argc, char** argv) {
  using namespace bindgate;
  return run_with_libtorch("matmul", argc, argv, [](Program& program, unsigned) {
    add_products(program, at::kFloat);
    add_products(program, at::kBFloat16);
  });
}
