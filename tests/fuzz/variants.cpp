// The readers of variants: an expression, or a whole file. Whatever they take is planned on a small machine.

#include "binding/variants.hpp"

#include <nlohmann/json.hpp>

#include "binding/expression.hpp"
#include "target.hpp"

namespace bindgate {
namespace {

Machine small_machine() {
  Machine machine;
  machine.source = "small";
  machine.online = IndexSet::range(0, 11);
  machine.allowed_cpus = IndexSet::range(1, 11);
  machine.allowed_nodes = {0, 8, 9};
  machine.packages = {{0, IndexSet::range(0, 5)}, {1, IndexSet::range(6, 11)}};
  machine.nodes = {{0, IndexSet::range(0, 5), 1, "dram"}, {8, IndexSet::range(6, 11), 1, "dram"}, {9, {}, 1, "gpu"}};
  machine.l3 = {{0, IndexSet::range(0, 5), 1}, {1, IndexSet::range(6, 11), 1}};
  for (unsigned core = 0; core < 6; ++core)
    machine.cores.push_back({{2 * core, 2 * core + 1},
                             core / 3,
                             {core / 3 * 8},
                             core / 3,
                             core < 3 ? "performance" : "efficiency"});
  machine.devices = {{"0000:01:00.0", "gpu", "", 8}, {"0000:02:00.0", "nic", "", {}}};
  machine.isolated = {4, 5};
  return machine;
}

void check_expression(std::string_view text) {
  const auto expression = Expression::parse(text);
  if (!expression) return fuzz::check_error(expression.error(), "");
  const Machine machine = small_machine();
  const Ground ground(machine);
  const auto open = expression->open();
  const auto choices = open ? ground.choices(*open) : std::vector<Choice>(1);
  for (const Choice& choice : *choices) {
    const auto cpus = expression->evaluate(ground, open ? &choice : nullptr);
    if (!cpus) fuzz::check_error(cpus.error(), "");
    fuzz::check(!cpus || ground.cpus.contains(*cpus), "an expression stays inside what is allowed");
  }
}

void check_file(std::string_view text) {
  const auto catalogue = Catalogue::with_text(text, "mine.json");
  if (!catalogue) return fuzz::check_error(catalogue.error(), "mine.json: ");
  const auto again = parse_variants(to_json(catalogue->variants()).dump(), "again");
  fuzz::check(again && *again == catalogue->variants(), "a file that was written reads as the same variants");
  const Machine machine = small_machine();
  const Ground ground(machine);
  const auto planned = plan_variants(*catalogue, machine, catalogue->defaults(Profile::thorough));
  if (!planned) return fuzz::check_error(planned.error(), "");  // a member of a family may be named as another variant
  for (const PlannedVariant& variant : *planned) {
    if (variant.status == VariantStatus::skipped) continue;
    fuzz::check(!variant.placement.cpus.empty() && ground.cpus.contains(variant.placement.cpus),
                "a plan stays inside what is allowed", variant.name);
    fuzz::check(ground.all_memory_nodes.contains(variant.placement.memory.nodes), "memory is where memory is");
    fuzz::check(variant.placement.threads >= 1, "something computes");
  }
}

}  // namespace
}  // namespace bindgate

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = bindgate::fuzz::text_of(data, size);
  if (text.starts_with('{'))
    bindgate::check_file(text);
  else
    bindgate::check_expression(text);
  return 0;
}
