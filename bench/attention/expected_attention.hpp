#pragma once
// What attention must give: softmax(q k^T / sqrt(d)) v in double by plain loops, row by row, with an error bound that
// follows the roundings through the softmax. Without LibTorch; it knows neither operators nor kernels.

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "support/tensor_view.hpp"

namespace bindgate {

/// One sequence. Query head h reads key-value head h / (query_heads / kv_heads).
struct Attention {
  std::int64_t query_heads = 1, kv_heads = 1;  ///< the first a multiple of the second
  std::int64_t queries = 1, keys = 1;
  std::int64_t depth = 1;  ///< of a head: d
  bool causal = false;     ///< query i sees the keys up to i; queries = keys

  [[nodiscard]] std::int64_t group() const { return query_heads / kv_heads; }
  [[nodiscard]] std::int64_t keys_seen(std::int64_t query) const { return causal ? query + 1 : keys; }
  /// Of the two products over the keys that are seen; what a softmax takes is not counted.
  [[nodiscard]] double operations() const;
  /// Elements of q, k, v and the output.
  [[nodiscard]] std::int64_t elements() const;
  bool operator==(const Attention&) const = default;
};

/// The d outputs of one query of one head.
struct AttentionRow {
  std::vector<double> values;

  /// For each output c, the root of the sum of the squares of every rounding's largest effect. To first order a change
  /// x_j of score s_j changes output o by p_j (v_j - o) x_j, with p the softmax. With u for f32's unit roundoff, w for
  /// that of the stored type, and k keys:
  ///     c^2 = sum_j (p_j (v_j - o))^2 (d (u sum|q k_j| / sqrt(d))^2 + 2 (w s_j)^2 + (64 u)^2)
  ///         + 2 sum_j (w p_j v_j)^2 + k (u sum_j |p_j v_j|)^2 + (2 w o)^2 + (w o)^2
  /// scores: summed, stored as a product and again when scaled, their exponential good to 32 units in the last place;
  /// probabilities: stored before and after they are normalised, by a sum stored with its inverse, which is the same
  /// for all; then the second sum, and the output.
  std::vector<double> errors;
};

/// Views have the dimensions [head, query or key, component].
[[nodiscard]] AttentionRow expected_row(const Attention& attention, const TensorView& q, const TensorView& k,
                                        const TensorView& v, std::int64_t head, std::int64_t query, Rounding rounding);

/// A row is right when every output is within 4 c (of the sum of independent errors bounded by c_i, Hoeffding's
/// inequality leaves 0.07 % beyond 4 sqrt(sum c_i^2); for evenly spread ones it is 7 standard deviations), and when the
/// root mean square of error / c over the row is at most 1 (evenly spread ones: 0.6). The second finds what no single
/// output shows: one key of thousands that was left out moves each output by less than bf16's roundings may.
[[nodiscard]] Result<void> compare_row(std::string_view where, const std::vector<double>& found,
                                       const AttentionRow& expected);

/// Compares 64 rows (all, if there are no more), the first and the last of all heads among them. Error: of the first
/// that is wrong.
[[nodiscard]] Result<void> check_attention(const Attention& attention, const TensorView& q, const TensorView& k,
                                           const TensorView& v, const TensorView& output);

}  // namespace bindgate
