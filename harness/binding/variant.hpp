#pragma once
// A variant as data: a named wish for CPUs, memory, threads, workers and environment, valid on any machine. Built-in
// ones and the user's are written in the same JSON and read by the same reader. What it resolves to is another's job.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/json_cursor.hpp"
#include "samples/case_info.hpp"

namespace bindgate {

/// What a family's members are made for: `{node}` and the like in its texts stand for one of these.
enum class Parameter {
  node,         ///< each node with an allowed CPU, but a GPU's
  memory_node,  ///< each node with allowed memory that is no GPU's
  device,       ///< each GPU and network device, by its PCI address
  cpu_list,     ///< only what the name says, as cpus:0-3
  rank,         ///< each of the variant's ranks, from 0; they work at once
};

struct Variant {
  std::string name;
  std::string meaning;               ///< one line for --help
  std::vector<Parameter> family;     ///< empty: a variant by itself
  unsigned ranks = 0;                ///< of a family of ranks: how many
  std::string cpus = "allowed";      ///< an expression
  std::string memory = "default";    ///< a memory word
  std::string threads = "per-cpu";   ///< a number, "per-cpu", "per-core", "2-per-cpu"
  std::string workers = "with-trainer";  ///< or an expression
  std::map<std::string, std::string> environment;
  std::string wrapper;                ///< "taskset", "numactl" or "hwloc-bind", through which it is applied; else ""
  std::optional<Profile> profile = Profile::quick;  ///< the smallest that measures it unasked; nothing: none does
  bool operator==(const Variant&) const = default;
};

/// How many threads: `count` in all, or for each CPU or core that is allowed by the CPU quota.
struct ThreadWish {
  unsigned count = 1;
  enum class Each { launch, cpu, core } each = Each::cpu;
};
[[nodiscard]] Result<ThreadWish> parse_threads(std::string_view text);

/// "node", "memory-node", "device", "cpus", "rank": as it stands in `for` and in braces.
[[nodiscard]] std::string_view name_of(Parameter parameter);

/// The member of a family for these values, one for each parameter: `each-node:8`.
[[nodiscard]] Variant member_of(const Variant& family, const std::vector<std::string>& values);

/// Reads `{"schema": "bindgate.variants/1", "variants": [...]}`; `source` is put before every fault. Every expression,
/// memory word and number of threads is checked for its form here. Errors: as JsonDocument, an unknown key, a name
/// twice or with other characters than letters, digits and -._:, two different choices left open in one variant, braces
/// that nothing is put in, and a variable that no program could have or that another key decides.
[[nodiscard]] Result<std::vector<Variant>> parse_variants(std::string_view text, std::string source);

/// What parse_variants reads.
[[nodiscard]] nlohmann::json to_json(const std::vector<Variant>& variants);

}  // namespace bindgate
