#pragma once
// An array's elements as doubles, however they are stored: what plain loops compute expected values from. It owns
// nothing, checks no index and knows nothing of LibTorch.

#include <array>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "support/expected.hpp"
#include "support/generator.hpp"

namespace bindgate {

/// What the programs compute with.
enum class ElementType { f32, bf16 };

/// As in the names of cases: "f32", "bf16".
[[nodiscard]] inline std::string name_of(ElementType type) { return type == ElementType::bf16 ? "bf16" : "f32"; }
[[nodiscard]] constexpr std::size_t bytes_of(ElementType type) { return type == ElementType::bf16 ? 2 : 4; }

/// Every kernel that is checked accumulates in f32, whatever it stores.
[[nodiscard]] constexpr Rounding rounding_of(ElementType type) {
  return {unit_f32, type == ElementType::bf16 ? unit_bf16 : unit_f32};
}

class TensorView {
 public:
  static constexpr std::size_t most_dimensions = 4;

  /// `strides` in elements, outermost first. Dimensions in front of them have stride 0: a matrix may be read as
  /// every matrix of a batch.
  TensorView(const void* data, ElementType type, std::span<const std::int64_t> strides) : data_(data), type_(type) {
    assert(strides.size() <= most_dimensions);
    for (std::size_t i = 0; i < strides.size(); ++i) strides_[most_dimensions - strides.size() + i] = strides[i];
  }

  /// The element at an index of the innermost dimensions, at most four.
  template <std::integral... Index>
  [[nodiscard]] double operator()(Index... index) const {
    static_assert(sizeof...(Index) <= most_dimensions);
    std::int64_t offset = 0;
    std::size_t dimension = most_dimensions - sizeof...(Index);
    ((offset += static_cast<std::int64_t>(index) * strides_[dimension++]), ...);
    if (type_ == ElementType::bf16) return from_bf16_bits(static_cast<const std::uint16_t*>(data_)[offset]);
    return static_cast<const float*>(data_)[offset];
  }

  [[nodiscard]] ElementType type() const { return type_; }

 private:
  const void* data_;
  ElementType type_;
  std::array<std::int64_t, most_dimensions> strides_{};
};

}  // namespace bindgate
