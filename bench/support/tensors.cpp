#include "support/tensors.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include "support/libtorch.hpp"
#include "support/measure.hpp"

namespace bindgate {

at::Tensor empty_tensor(const std::vector<std::int64_t>& sizes, ElementType type) {
  return at::empty(sizes, type == ElementType::bf16 ? at::kBFloat16 : at::kFloat);
}

at::Tensor random_tensor(const std::vector<std::int64_t>& sizes, ElementType type, Generator& generator) {
  const at::Tensor tensor = empty_tensor(sizes, type);
  const auto count = static_cast<std::size_t>(tensor.numel());
  if (type == ElementType::bf16)
    fill_bf16({static_cast<std::uint16_t*>(tensor.data_ptr()), count}, generator);
  else
    fill({tensor.data_ptr<float>(), count}, generator);
  return tensor;
}

TensorView view_of(const at::Tensor& tensor) {
  const auto type = tensor.scalar_type() == at::kBFloat16 ? ElementType::bf16 : ElementType::f32;
  return {tensor.data_ptr(), type, {tensor.strides().data(), tensor.strides().size()}};
}

void require_kernels(ElementType type) {
  if (type == ElementType::bf16 && !has_bf16_matmul()) not_run("no bf16 kernel");
}

std::string label_of(ElementType type, std::string label) {
  const std::string emulation = type == ElementType::bf16 ? bf16_label() : "";
  return label.empty() || emulation.empty() ? label + emulation : label + ", " + emulation;
}

}  // namespace bindgate
