// Attention, softmax(q k^T / sqrt(d)) v, as BERT and Llama have it: from public operators, and as the fused one.

#include <ATen/core/Tensor.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/softmax.h>

#include <cmath>
#include <limits>
#include <string>

#include "attention/expected_attention.hpp"
#include "support/libtorch.hpp"
#include "support/measure.hpp"
#include "support/tensors.hpp"

namespace bindgate {
namespace {

struct Variety {
  std::string model;
  Attention attention;
  ElementType type = ElementType::f32;
  bool fused = false;
  Profile profile = Profile::thorough;
};

struct Inputs {
  at::Tensor q, k, v;  // [heads, queries or keys, depth]
  at::Tensor mask;     // to be added to the scores; undefined where all keys are seen
};

Inputs make_inputs(const Variety& variety) {
  const auto& [query_heads, kv_heads, queries, keys, depth, causal] = variety.attention;
  Generator generator(1);
  Inputs inputs;
  inputs.q = random_tensor({query_heads, queries, depth}, variety.type, generator);
  inputs.k = random_tensor({kv_heads, keys, depth}, variety.type, generator);
  inputs.v = random_tensor({kv_heads, keys, depth}, variety.type, generator);
  if (causal && !variety.fused)
    inputs.mask = empty_tensor({queries, keys}, variety.type).fill_(-std::numeric_limits<float>::infinity()).triu_(1);
  return inputs;
}

// The queries of all heads that share a key-value head are the rows of one product: no key or value is repeated.
at::Tensor attend(const Attention& attention, const Inputs& inputs) {
  const auto& [query_heads, kv_heads, queries, keys, depth, causal] = attention;
  const std::int64_t rows = attention.group() * queries;
  const at::Tensor scores = at::bmm(inputs.q.view({kv_heads, rows, depth}), inputs.k.transpose(1, 2));
  scores.mul_(1 / std::sqrt(static_cast<double>(depth)));
  if (causal) scores.view({query_heads, queries, keys}).add_(inputs.mask);
  return at::bmm(at::softmax(scores, -1), inputs.v).view({query_heads, queries, depth});
}

void measure_attention(State& state, const Variety& variety) {
  const Attention& attention = variety.attention;
  if (variety.fused)
    if (const auto lacking = fused_attention_lacks(attention.group() > 1)) not_run(*lacking);
  require_kernels(variety.type);
  const Inputs inputs = make_inputs(variety);
  const auto& [q, k, v, mask] = inputs;
  for (const at::Tensor& tensor : {q, k, v, mask})
    if (tensor.defined()) state.working_set(tensor.data_ptr(), tensor.nbytes());
  at::Tensor output;
  measure(
      state,
      [&] {
        output.reset();  // first, so that every iteration's output may have the same memory
        output = variety.fused ? fused_attention(q, k, v, attention.causal) : attend(attention, inputs);
      },
      [&] { return check_attention(attention, view_of(q), view_of(k), view_of(v), view_of(output)); });
}

CaseInfo describe(const Variety& variety) {
  const Attention& attention = variety.attention;
  CaseInfo info;
  info.name = "attention/" + name_of(variety.type) + "/" + variety.model + (attention.causal ? "/causal" : "/full") +
              (variety.fused ? "/fused" : "/unfused");
  info.shape = {{"query_heads", std::to_string(attention.query_heads)},
                {"kv_heads", std::to_string(attention.kv_heads)},
                {"queries", std::to_string(attention.queries)},
                {"keys", std::to_string(attention.keys)},
                {"depth", std::to_string(attention.depth)}};
  info.label = label_of(variety.type, attention.queries == 1 ? "bandwidth-bound" : "");
  info.operations = attention.operations();
  info.bytes = static_cast<double>(attention.elements()) * static_cast<double>(bytes_of(variety.type));
  info.profile = variety.profile;
  return info;
}

void add_model(Program& program, const std::string& model, const Attention& attention, Profile profile) {
  for (const ElementType type : {ElementType::f32, ElementType::bf16})
    for (const bool fused : {false, true}) {
      Variety variety{model, attention, type, fused, profile};
      // Quick holds the plainest; nightly the fused operator where its arithmetic, not memory, is the limit.
      if (profile == Profile::quick && (fused || type != ElementType::f32)) variety.profile = Profile::nightly;
      if (fused && (type != ElementType::f32 || attention.queries == 1)) variety.profile = Profile::thorough;
      program.add(describe(variety), [variety](State& state) { measure_attention(state, variety); });
    }
}

}  // namespace
}  // namespace bindgate

int main(int argc, char** argv) {
  using namespace bindgate;
  return run_with_libtorch("attention", argc, argv, [](Program& program, unsigned) {
    Attention bert{.query_heads = 12, .kv_heads = 12, .queries = 512, .keys = 512, .depth = 64};
    Attention prefill{.query_heads = 32, .kv_heads = 8, .queries = 1024, .keys = 1024, .depth = 128};
    Attention decode{.query_heads = 32, .kv_heads = 8, .queries = 1, .keys = 4096, .depth = 128};
    add_model(program, "bert-base", bert, Profile::quick);
    add_model(program, "llama-prefill", prefill, Profile::thorough);
    add_model(program, "llama-decode", decode, Profile::nightly);
    bert.causal = prefill.causal = true;
    add_model(program, "bert-base", bert, Profile::thorough);
    add_model(program, "llama-prefill", prefill, Profile::nightly);
  });
}
