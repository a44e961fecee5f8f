// TorchScript, the compiler that C++ has: functions written once in C++ and once in its language. What does compiling
// cost in the first calls, does it pay, and what happens when shapes change?

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/tanh.h>
#include <torch/csrc/api/include/torch/jit.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "script/expected_functions.hpp"
#include "support/generator.hpp"
#include "support/libtorch.hpp"
#include "support/measure.hpp"
#include "support/tensors.hpp"

namespace bindgate {
namespace {

using Tensors = std::vector<at::Tensor>;
using Call = std::function<at::Tensor(const Tensors&)>;
using Expected = std::function<DotProduct(const Tensors&, std::size_t position)>;

/// One function, both ways.
struct Function {
  std::string name;
  std::function<Tensors()> inputs;
  Call eager;
  std::function<Call()> compile;  ///< all that a user's program does before the first call
  Expected expected;
  std::string label = {};  ///< of the compiled case
};

at::Tensor random_tensor(const std::vector<std::int64_t>& sizes, Generator& generator, float scale = 1) {
  return bindgate::random_tensor(sizes, ElementType::f32, generator).mul_(scale);
}

MatrixView matrix(const at::Tensor& tensor) {
  const auto columns = static_cast<std::size_t>(tensor.size(-1));
  return {tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel()) / columns, columns};
}

std::span<const float> values_of(const at::Tensor& tensor) {
  return {tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())};
}

/// Compiles `source`, which defines one function, "f".
Call compiled(const char* source) {
  auto unit = torch::jit::compile(source);
  torch::jit::Function& function = unit->get_function("f");
  return [unit = std::move(unit), &function](const Tensors& inputs) {
    return function(std::vector<c10::IValue>(inputs.begin(), inputs.end())).toTensor();
  };
}

Function chain() {
  return {"gelu",
          [] {
            Generator generator(1);
            return Tensors{random_tensor({64, 512}, generator), random_tensor({512}, generator),
                           random_tensor({512}, generator), random_tensor({64, 512}, generator)};
          },
          [](const Tensors& in) {
            const at::Tensor y = (in[0] + in[1]) * in[2];
            return 0.5 * y * (1.0 + at::tanh(0.7978845608 * (y + 0.044715 * y * y * y))) + in[3];
          },
          [] {
            return compiled(R"(
def f(x, bias, scale, residual):
    y = (x + bias) * scale
    return 0.5 * y * (1.0 + torch.tanh(0.7978845608 * (y + 0.044715 * y * y * y))) + residual
)");
          },
          [](const Tensors& in, std::size_t position) {
            return expected_chain(matrix(in[0]), matrix(in[1]), matrix(in[2]), matrix(in[3]), position / 512,
                                  position % 512);
          }};
}

constexpr std::int64_t mlp_width = 64, mlp_hidden = 256;

Function mlp(std::int64_t rows = 16) {
  return {"mlp",
          [rows] {
            Generator generator(2);
            return Tensors{random_tensor({rows, mlp_width}, generator),
                           random_tensor({mlp_width, mlp_hidden}, generator), random_tensor({mlp_hidden}, generator),
                           random_tensor({mlp_hidden, mlp_width}, generator), random_tensor({mlp_width}, generator)};
          },
          [](const Tensors& in) {
            const at::Tensor h = at::mm(in[0], in[1]) + in[2];
            const at::Tensor activated = 0.5 * h * (1.0 + at::tanh(0.7978845608 * (h + 0.044715 * h * h * h)));
            return at::mm(activated, in[3]) + in[4] + in[0];
          },
          [] {
            return compiled(R"(
def f(x, w1, b1, w2, b2):
    h = torch.mm(x, w1) + b1
    activated = 0.5 * h * (1.0 + torch.tanh(0.7978845608 * (h + 0.044715 * h * h * h)))
    return torch.mm(activated, w2) + b2 + x
)");
          },
          [](const Tensors& in, std::size_t position) {
            return expected_mlp(matrix(in[0]), matrix(in[1]), matrix(in[2]), matrix(in[3]), matrix(in[4]),
                                position / mlp_width, position % mlp_width);
          }};
}

Function loop() {
  static constexpr unsigned steps = 20;
  return {"loop",
          [] {
            Generator generator(3);
            return Tensors{random_tensor({4, 32}, generator), random_tensor({32, 32}, generator, 0.125F),
                           random_tensor({32}, generator)};
          },
          [](const Tensors& in) {
            at::Tensor x = in[0];
            for (unsigned i = 0; i < steps; ++i) {
              x = at::tanh(at::mm(x, in[1]) + in[2]);
              if (i % 2 == 0) x = x * 0.5;
            }
            return x;
          },
          [] {
            return compiled(R"(
def f(x, w, bias):
    for i in range(20):
        x = torch.tanh(torch.mm(x, w) + bias)
        if i % 2 == 0:
            x = x * 0.5
    return x
)");
          },
          [](const Tensors& in, std::size_t position) {
            return expected_loop(matrix(in[0]), matrix(in[1]), matrix(in[2]), steps, position / 32, position % 32);
          }};
}

constexpr Block2d small_block{16, 28, 3};

/// x, weight, gamma, beta, mean, variance.
Tensors block_inputs() {
  constexpr std::int64_t channels = small_block.channels, size = small_block.size, kernel = small_block.kernel;
  Generator generator(4);
  Tensors inputs{random_tensor({1, channels, size, size}, generator),
                 random_tensor({channels, channels, kernel, kernel}, generator, 0.125F)};
  for (int i = 0; i < 4; ++i) inputs.push_back(random_tensor({channels}, generator));
  inputs.back() = inputs.back() * 0.25 + 0.5;
  return inputs;
}

// What is known when a model is loaded becomes constant: the normalisation goes into the weights, these into the
// kernel's own order.
Call compiled_block() {
  const Tensors inputs = block_inputs();
  torch::jit::Module block("block");
  const char* names[] = {"weight", "gamma", "beta", "mean", "variance"};
  for (std::size_t i = 0; i < std::size(names); ++i) block.register_buffer(names[i], inputs[i + 1]);
  block.define(R"(
def forward(self, x):
    y = torch.conv2d(x, self.weight, None, [1, 1], [1, 1])
    y = torch.batch_norm(y, self.gamma, self.beta, self.mean, self.variance, False, 0.1, 1e-05, False)
    return torch.relu(y)
)");
  torch::jit::Module frozen = torch::jit::freeze(block);
  auto ready = std::make_shared<torch::jit::Module>(torch::jit::optimize_for_inference(frozen));
  return [ready](const Tensors& in) { return ready->forward({in[0]}).toTensor(); };
}

Function conv_block() {
  return {"conv-bn-relu",
          block_inputs,
          [](const Tensors& in) {
            const at::Tensor y = at::conv2d(in[0], in[1], {}, 1, 1);
            return at::relu(at::batch_norm(y, in[2], in[3], in[4], in[5], false, 0.1, 1e-5, false));
          },
          compiled_block,
          [](const Tensors& in, std::size_t position) {
            return expected_block(small_block, values_of(in[0]), values_of(in[1]), matrix(in[2]), matrix(in[3]),
                                  matrix(in[4]), matrix(in[5]), position);
          },
          "frozen, optimized for inference"};
}

Result<void> check_output(const Function& function, const Tensors& inputs, const at::Tensor& output) {
  const at::Tensor dense = output.contiguous();
  const std::span<const float> found = values_of(dense);
  for (const std::size_t position : sampled_positions(found.size(), 64, 1))
    if (auto right = compare("element [" + std::to_string(position) + "]", found[position],
                             function.expected(inputs, position), {});
        !right)
      return right;
  return {};
}

/// In set-up, so that no case's first calls pay for what any use of the operators pays once in a process.
void meet_operators(const Function& function, const Tensors& inputs) {
  for (int i = 0; i < 3; ++i) (void)function.eager(inputs);
}

/// The call of an operation: eager, or compiled when it is first used.
class Callee {
 public:
  Callee(const Function& function, bool compiles) : function_(function) {
    if (!compiles) call_ = function.eager;
  }
  at::Tensor operator()(const Tensors& inputs) {
    if (!call_) call_ = function_.compile();
    return call_(inputs);
  }

 private:
  const Function& function_;
  Call call_;
};

void measure_function(State& state, const Function& function, bool compiles, std::optional<double> compiler_start) {
  const at::NoGradGuard inference;
  const Tensors inputs = function.inputs();
  for (const at::Tensor& tensor : inputs) state.working_set(tensor.data_ptr(), tensor.nbytes());
  meet_operators(function, inputs);
  Callee callee(function, compiles);
  at::Tensor output;
  measure(
      state,
      [&] {
        output.reset();  // first, so that every iteration's output may have the same memory
        output = callee(inputs);
      },
      [&] { return check_output(function, inputs, output); });
  if (compiler_start) state.figure("compiler_start_seconds", *compiler_start);
}

constexpr unsigned bundle = 200, sizes = 48, fewest_rows = 8;

/// Rows of the group-th group of calls: neighbours differ, and all sizes come before one comes again.
constexpr std::int64_t rows_of(unsigned group) { return fewest_rows + group * 17 % sizes; }

void measure_reshape(State& state, unsigned every, bool compiles) {
  const at::NoGradGuard inference;
  const Function function = mlp(fewest_rows + sizes);
  const Tensors largest = function.inputs();
  for (const at::Tensor& tensor : largest) state.working_set(tensor.data_ptr(), tensor.nbytes());
  std::vector<Tensors> inputs(bundle / every, largest);
  for (unsigned group = 0; group < inputs.size(); ++group) inputs[group][0] = largest[0].narrow(0, 0, rows_of(group));
  for (const Tensors& one : inputs) meet_operators(function, one);
  Callee callee(function, compiles);
  Tensors outputs(inputs.size());
  measure(
      state,
      [&] {
        for (unsigned call = 0; call < bundle; ++call) {
          at::Tensor& output = outputs[call / every];
          output.reset();
          output = callee(inputs[call / every]);
        }
      },
      [&]() -> Result<void> {
        for (std::size_t group = 0; group < inputs.size(); group += inputs.size() / 2)
          if (auto right = check_output(function, inputs[group], outputs[group]); !right) return right;
        return {};
      });
}

/// Starts the compiler, which a process pays for once, and says what fuses operators on this CPU.
struct Compiler {
  double start_seconds = 0;
  std::string fuser;
};
Compiler start_compiler() {
  const at::NoGradGuard inference;
  const auto start = std::chrono::steady_clock::now();
  const Call probe = compiled("def f(x):\n    return torch.tanh(x * 2.0 + 1.0) * x\n");
  const Tensors inputs{at::empty({8, 8}).fill_(0.5)};
  for (int i = 0; i < 3; ++i) (void)probe(inputs);  // profiled, optimised, as it stays
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const std::string graph = torch::jit::lastExecutedOptimizedGraph()->toString();
  const auto has = [&](const char* node) { return graph.find(node) != std::string::npos; };
  return {took.count(), has("prim::TensorExprGroup") || has("TensorExprDynamicGroup") ? "nnc"
                        : has("prim::FusionGroup")                                    ? "legacy"
                                                                                      : "none"};
}

std::string in_words(const std::string& label, const std::string& fuser) {
  const std::string unfused = fuser == "none" ? "no fuser" : "";
  return label + (label.empty() || unfused.empty() ? "" : ", ") + unfused;
}

void add_functions(Program& program, const Compiler& compiler) {
  std::optional<double> start = compiler.start_seconds;  // told with the first compiled case
  for (const Function& function : {chain(), mlp(), loop(), conv_block()}) {
    CaseInfo eager, compiled;
    eager.name = "script/eager/" + function.name;
    compiled.name = "script/compiled/" + function.name;
    compiled.against = eager.name;
    compiled.label = in_words(function.label, compiler.fuser);
    const bool nightly = function.name == "mlp" || function.name == "conv-bn-relu";
    eager.profile = compiled.profile = nightly ? Profile::nightly : Profile::thorough;
    program.add(eager, [function](State& state) { measure_function(state, function, false, std::nullopt); });
    program.add(compiled, [function, start](State& state) { measure_function(state, function, true, start); });
    start.reset();
  }
}

void add_reshapes(Program& program, const Compiler& compiler) {
  for (const unsigned every : {1U, 10U, 100U}) {
    const std::string suffix = "/mlp/reshape-every-" + std::to_string(every);
    CaseInfo eager;
    eager.name = "script/eager" + suffix;
    eager.shape = {{"calls", std::to_string(bundle)}, {"shapes", std::to_string(std::min(sizes, bundle / every))}};
    eager.items = bundle;
    eager.item = "call";
    eager.profile = Profile::thorough;
    CaseInfo compiled = eager;
    compiled.name = "script/compiled" + suffix;
    compiled.against = eager.name;
    compiled.label = in_words("", compiler.fuser);
    program.add(eager, [every](State& state) { measure_reshape(state, every, false); });
    program.add(compiled, [every](State& state) { measure_reshape(state, every, true); });
  }
}

}  // namespace
}  // namespace bindgate

int main(int argc, char** argv) {
  using namespace bindgate;
  return run_with_libtorch("script", argc, argv, [](Program& program, unsigned) {
    const Compiler compiler = start_compiler();
    program.hello().settings["fuser"] = compiler.fuser;
    add_functions(program, compiler);
    add_reshapes(program, compiler);
  });
}
