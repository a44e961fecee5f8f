#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <vector>

#include "attention/expected_attention.hpp"

namespace bindgate {

// Where GoogleTest looks for it.
static void PrintTo(ElementType type, std::ostream* out) { *out << name_of(type); }

namespace {

using testing::HasSubstr;

using Index = std::int64_t;

// What may be wrong with a kernel.
struct Fault {
  Index lost_key = -1;   // left out of the softmax
  Index mask_shift = 0;  // query i sees the keys up to i + mask_shift
  bool scaled = true;
  bool grouped = true;          // else query head h reads key-value head h modulo their number
  bool bf16_sum = false;        // a running sum in bf16
  bool not_normalised = false;  // the last key's share of the normaliser is lost
};

float to_bf16(float value) { return from_bf16_bits(bf16_bits(value)); }

// Inputs, and a kernel as a library might have it: in f32, storing every intermediate in the type.
class Kernel {
 public:
  Kernel(const Attention& attention, ElementType type) : a_(attention), type_(type) {
    Generator generator(4);
    for (auto* values : {&q_, &k_, &v_}) {
      const Index heads = values == &q_ ? a_.query_heads : a_.kv_heads, rows = values == &q_ ? a_.queries : a_.keys;
      values->resize(static_cast<std::size_t>(heads * rows * a_.depth));
      for (float& value : *values) value = store(generator.symmetric());
    }
  }

  Result<void> check(const Fault& fault = {}) const {
    const std::vector<float> output = attend(fault);
    // Outputs of bf16 are bf16 values by now; only their type tells the check.
    std::vector<std::uint16_t> bits;
    for (const float value : output) bits.push_back(bf16_bits(value));
    const std::vector<Index> strides{a_.queries * a_.depth, a_.depth, 1};
    const TensorView found = type_ == ElementType::bf16 ? TensorView(bits.data(), type_, strides)
                                                        : TensorView(output.data(), type_, strides);
    return check_attention(a_, view(q_, a_.queries), view(k_, a_.keys), view(v_, a_.keys), found);
  }

 private:
  float store(float value) const { return type_ == ElementType::bf16 ? to_bf16(value) : value; }
  TensorView view(const std::vector<float>& values, Index rows) const {
    const std::vector<Index> strides{rows * a_.depth, a_.depth, 1};
    return {values.data(), ElementType::f32, strides};
  }

  std::vector<float> attend(const Fault& fault) const {
    std::vector<float> output;
    for (Index head = 0; head < a_.query_heads; ++head)
      for (Index query = 0; query < a_.queries; ++query)
        for (const float value : attend_row(fault, head, query)) output.push_back(value);
    return output;
  }

  std::vector<float> attend_row(const Fault& fault, Index head, Index query) const {
    const Index kv = fault.grouped ? head / a_.group() : head % a_.kv_heads;
    const float scale = fault.scaled ? 1 / std::sqrt(static_cast<float>(a_.depth)) : 1;
    const TensorView q = view(q_, a_.queries), k = view(k_, a_.keys), v = view(v_, a_.keys);
    const Index seen = std::min(a_.keys, a_.causal ? query + 1 + fault.mask_shift : a_.keys);
    std::vector<float> p(static_cast<std::size_t>(seen));
    float largest = -std::numeric_limits<float>::infinity(), sum = 0;
    for (Index j = 0; j < seen; ++j) {
      float score = 0;
      for (Index l = 0; l < a_.depth; ++l) score += static_cast<float>(q(head, query, l) * k(kv, j, l));
      p[static_cast<std::size_t>(j)] = store(store(score) * scale);
      largest = std::max(largest, p[static_cast<std::size_t>(j)]);
    }
    for (Index j = 0; j < seen; ++j) {
      float& weight = p[static_cast<std::size_t>(j)];
      weight = j == fault.lost_key ? 0 : store(std::exp(weight - largest));
      if (!fault.not_normalised || j + 1 < seen) sum += weight;
    }
    std::vector<float> row;
    for (Index c = 0; c < a_.depth; ++c) {
      float value = 0;
      for (Index j = 0; j < seen; ++j) {
        value += store(p[static_cast<std::size_t>(j)] * store(1 / store(sum))) * static_cast<float>(v(kv, j, c));
        if (fault.bf16_sum) value = to_bf16(value);
      }
      row.push_back(store(value));
    }
    return row;
  }

  Attention a_;
  ElementType type_;
  std::vector<float> q_, k_, v_;
};

constexpr Attention encoder{.query_heads = 2, .kv_heads = 2, .queries = 64, .keys = 64, .depth = 64};
constexpr Attention grouped{.query_heads = 4, .kv_heads = 2, .queries = 128, .keys = 128, .depth = 64, .causal = true};
constexpr Attention decode{.query_heads = 4, .kv_heads = 2, .queries = 1, .keys = 4096, .depth = 128};

class ExpectedAttention : public testing::TestWithParam<ElementType> {
 protected:
  [[nodiscard]] static Result<void> check(const Attention& attention, const Fault& fault = {}) {
    return Kernel(attention, GetParam()).check(fault);
  }
};

TEST_P(ExpectedAttention, AcceptsWhatAKernelRounds) {
  for (const Attention& attention : {encoder, grouped, decode}) {
    const auto right = check(attention);
    EXPECT_TRUE(right) << right.error().message;
  }
}

TEST_P(ExpectedAttention, RefusesALostKeyEvenAmongThousands) {
  for (const Attention& attention : {encoder, decode})
    for (const Index key : {Index{0}, attention.keys / 3, attention.keys - 1})
      EXPECT_FALSE(check(attention, {.lost_key = key})) << key << " of " << attention.keys;
}

TEST_P(ExpectedAttention, RefusesAMissingScale) {
  for (const Attention& attention : {encoder, grouped, decode}) EXPECT_FALSE(check(attention, {.scaled = false}));
}

TEST_P(ExpectedAttention, RefusesAMaskThatIsOffByOne) {
  EXPECT_FALSE(check(grouped, {.mask_shift = 1})) << "sees the next key";
  EXPECT_FALSE(check(grouped, {.mask_shift = -1})) << "does not see its own";
  EXPECT_FALSE(check(grouped, {.mask_shift = 1000})) << "sees all";
}

TEST_P(ExpectedAttention, RefusesTheWrongKeyValueHead) {
  EXPECT_FALSE(check(grouped, {.grouped = false}));
  EXPECT_FALSE(check(decode, {.grouped = false}));
}

TEST_P(ExpectedAttention, RefusesASumThatIsRoundedToBf16AtEveryStep) {
  EXPECT_FALSE(check(decode, {.bf16_sum = true}));
}

TEST_P(ExpectedAttention, RefusesANormaliserThatLacksAKey) { EXPECT_FALSE(check(encoder, {.not_normalised = true})); }

INSTANTIATE_TEST_SUITE_P(Types, ExpectedAttention, testing::Values(ElementType::f32, ElementType::bf16),
                         [](const auto& instance) { return name_of(instance.param); });

TEST(ExpectedAttention, IsTheDefinitionOnSmallNumbers) {
  const Attention attention{.queries = 2, .keys = 2, .depth = 1, .causal = true};
  const std::vector<float> q{1, 2}, k{0.5f, 1}, v{3, 5};
  const std::vector<Index> strides{2, 1, 1};
  const auto view = [&](const std::vector<float>& values) {
    return TensorView(values.data(), ElementType::f32, strides);
  };
  const auto value = [&](Index query) {
    return expected_row(attention, view(q), view(k), view(v), 0, query, {}).values.front();
  };
  EXPECT_EQ(value(0), 3) << "the first query sees the first key only";
  const double second = 1 / (1 + std::exp(-1.0));  // of scores 1 and 2
  EXPECT_NEAR(value(1), 3 * (1 - second) + 5 * second, 1e-15);
}

TEST(CompareRow, SaysWhereAndByHowMuchARowIsWrong) {
  const AttentionRow expected{{1, 2, 3, 4}, {0.1, 0.1, 0.1, 0.1}};
  EXPECT_TRUE(compare_row("head 0, query 3", {1, 2.1, 2.9, 4}, expected));
  EXPECT_THAT(compare_row("head 0, query 3", {1, 2, 3.5, 4}, expected).error().message,
              HasSubstr("head 0, query 3, component 2: expected 3, found 3.5, bound 0.4"));
  EXPECT_THAT(compare_row("head 0, query 3", {1.2, 2.2, 2.8, 3.8}, expected).error().message,
              HasSubstr("head 0, query 3: the root mean square of its errors is 2 times what rounding explains"));
  EXPECT_FALSE(compare_row("head 0, query 3", {1, 2, std::nan(""), 4}, expected));
}

TEST(Attention, CountsTheKeysThatAreSeen) {
  Attention attention{.query_heads = 12, .kv_heads = 4, .queries = 8, .keys = 8, .depth = 64};
  EXPECT_EQ(attention.operations(), 4.0 * 12 * 64 * 8 * 8);
  EXPECT_EQ(attention.elements(), (2 * 12 + 2 * 4) * 8 * 64);
  attention.causal = true;
  EXPECT_EQ(attention.operations(), 4.0 * 12 * 64 * 36);
}

}  // namespace
}  // namespace bindgate
