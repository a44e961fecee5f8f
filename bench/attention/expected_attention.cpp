#include "attention/expected_attention.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

namespace bindgate {
namespace {

double squared(double x) { return x * x; }

// The softmax of one row of scores, and the square of the largest error that each score may have.
struct Probabilities {
  std::vector<double> values, squared_errors;
};

Probabilities softmax(const std::vector<DotProduct>& products, double scale, Rounding rounding) {
  Probabilities p;
  double largest = products.front().value, sum = 0;
  for (const DotProduct& product : products) largest = std::max(largest, product.value);
  for (const DotProduct& product : products) {
    p.values.push_back(std::exp(scale * (product.value - largest)));
    p.squared_errors.push_back(
        static_cast<double>(product.terms) * squared(rounding.accumulation * scale * product.magnitude) +
        2 * squared(rounding.output * scale * product.value) + squared(64 * rounding.accumulation));
    sum += p.values.back();
  }
  for (double& value : p.values) value /= sum;
  return p;
}

}  // namespace

double Attention::operations() const {
  const auto pairs = static_cast<double>(causal ? queries * (queries + 1) / 2 : queries * keys);
  return 4 * static_cast<double>(query_heads * depth) * pairs;
}

std::int64_t Attention::elements() const { return 2 * (query_heads * queries + kv_heads * keys) * depth; }

AttentionRow expected_row(const Attention& attention, const TensorView& q, const TensorView& k, const TensorView& v,
                          std::int64_t head, std::int64_t query, Rounding rounding) {
  const std::int64_t kv_head = head / attention.group(), keys = attention.keys_seen(query);
  std::vector<DotProduct> products(static_cast<std::size_t>(keys));
  for (std::int64_t j = 0; j < keys; ++j)
    for (std::int64_t l = 0; l < attention.depth; ++l)
      products[static_cast<std::size_t>(j)].add(q(head, query, l), k(kv_head, j, l));
  const Probabilities p = softmax(products, 1 / std::sqrt(static_cast<double>(attention.depth)), rounding);

  AttentionRow row;
  for (std::int64_t component = 0; component < attention.depth; ++component) {
    DotProduct output;
    for (std::int64_t j = 0; j < keys; ++j) output.add(p.values[static_cast<std::size_t>(j)], v(kv_head, j, component));
    double variance = static_cast<double>(keys) * squared(rounding.accumulation * output.magnitude) +
                      5 * squared(rounding.output * output.value);
    for (std::int64_t j = 0; j < keys; ++j) {
      const auto position = static_cast<std::size_t>(j);
      const double probability = p.values[position], value = v(kv_head, j, component);
      variance += squared(probability * (value - output.value)) * p.squared_errors[position] +
                  2 * squared(rounding.output * probability * value);
    }
    row.values.push_back(output.value);
    row.errors.push_back(std::sqrt(variance));
  }
  return row;
}

Result<void> compare_row(std::string_view where, const std::vector<double>& found, const AttentionRow& expected) {
  char numbers[160];
  double sum = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double difference = std::abs(found[i] - expected.values[i]), bound = 4 * expected.errors[i];
    if (difference == 0) continue;
    if (!(difference <= bound)) {  // NaN, too
      std::snprintf(numbers, sizeof numbers, ", component %zu: expected %.9g, found %.9g, bound %.3g", i,
                    expected.values[i], found[i], bound);
      return fail(std::string(where) + numbers);
    }
    sum += squared(difference / expected.errors[i]);
  }
  const double root_mean_square = std::sqrt(sum / static_cast<double>(found.size()));
  if (root_mean_square <= 1) return {};
  std::snprintf(numbers, sizeof numbers,
                ": the root mean square of its errors is %.3g times what rounding explains, expected at most 1",
                root_mean_square);
  return fail(std::string(where) + numbers);
}

Result<void> check_attention(const Attention& attention, const TensorView& q, const TensorView& k, const TensorView& v,
                             const TensorView& output) {
  const auto rows = static_cast<std::size_t>(attention.query_heads * attention.queries);
  std::vector<double> found(static_cast<std::size_t>(attention.depth));
  for (const std::size_t position : sampled_positions(rows, 64, 1)) {
    const std::int64_t head = static_cast<std::int64_t>(position) / attention.queries;
    const std::int64_t query = static_cast<std::int64_t>(position) % attention.queries;
    for (std::size_t i = 0; i < found.size(); ++i) found[i] = output(head, query, i);
    const AttentionRow expected = expected_row(attention, q, k, v, head, query, rounding_of(output.type()));
    const std::string where = "head " + std::to_string(head) + ", query " + std::to_string(query);
    if (auto right = compare_row(where, found, expected); !right) return right;
  }
  return {};
}

}  // namespace bindgate
