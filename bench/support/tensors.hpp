#pragma once
// Tensors of the programs on LibTorch: made from the generator's numbers, read past LibTorch's operators, and what
// to say of their types. LibTorch's headers stay in the .cpp.

#include <cstdint>
#include <string>
#include <vector>

#include "support/tensor_view.hpp"

namespace at {
class Tensor;
}

namespace bindgate {

/// Contiguous, not initialised.
[[nodiscard]] at::Tensor empty_tensor(const std::vector<std::int64_t>& sizes, ElementType type);

/// Contiguous, with values in [-1, 1] that the type holds exactly.
[[nodiscard]] at::Tensor random_tensor(const std::vector<std::int64_t>& sizes, ElementType type, Generator& generator);

/// Reads the memory of a tensor of f32 or bf16 with at most four dimensions, for as long as the tensor keeps it.
[[nodiscard]] TensorView view_of(const at::Tensor& tensor);

/// Ends the case as not run where this LibTorch has no proper kernels for the type on this CPU.
void require_kernels(ElementType type);

/// A case's label: `label`, and whether this CPU emulates the type.
[[nodiscard]] std::string label_of(ElementType type, std::string label);

}  // namespace bindgate
