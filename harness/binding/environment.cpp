#include "binding/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/files.hpp"
#include "samples/protocol.hpp"

namespace bindgate {
namespace {

/// "NAME=VALUE"; what has no '=' is no setting.
void add_setting(std::string_view text, std::map<std::string, std::string>& variables) {
  if (const auto equals = text.find('='); equals != std::string_view::npos)
    variables.emplace(text.substr(0, equals), text.substr(equals + 1));
}

bool is_thread_count(std::string_view name) { return name.ends_with("_NUM_THREADS"); }

bool is_owners_blas_setting(std::string_view name) { return name.starts_with("OPENBLAS_") && !is_thread_count(name); }

// Where programs find their data: the caller's business, as HOME is.
bool names_data(std::string_view name) { return name == "BINDGATE_CACHE" || name == "BINDGATE_IMAGES"; }

// The caller's settings of what a placement decides or what the numbers depend on, and words of our own protocol.
bool fights_the_launch(std::string_view name) {
  constexpr std::array<std::string_view, 6> prefixes{"OMP_", "GOMP_", "KMP_", "MALLOC_", "BENCHMARK_", "BINDGATE_"};
  const auto begins = [name](std::string_view prefix) { return name.starts_with(prefix); };
  if (names_data(name)) return false;
  return is_thread_count(name) || name == "GLIBC_TUNABLES" || std::any_of(prefixes.begin(), prefixes.end(), begins);
}

// What LD_PRELOAD names, with and without what by its name is a shim between a program and its memory policy.
struct Preloaded {
  std::string kept, shims;
};
Preloaded preloaded(std::string_view names) {
  constexpr std::string_view separators = ": ";
  Preloaded result;
  while (!names.empty()) {
    const std::string_view one = names.substr(0, names.find_first_of(separators));
    const std::string_view file = one.substr(one.rfind('/') + 1);  // npos + 1 is 0
    std::string& part = file.find("numa") == std::string_view::npos ? result.kept : result.shims;
    if (!one.empty()) part += (part.empty() ? "" : ":") + std::string(one);
    names.remove_prefix(std::min(one.size() + 1, names.size()));
  }
  return result;
}

constexpr std::array<std::string_view, 3> thread_counts{"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"};

std::map<std::string, std::string> defaults(unsigned threads) {
  // With malloc's own thresholds every large tensor is mapped, faulted and unmapped anew.
  std::map<std::string, std::string> settings{
      {"MALLOC_MMAP_THRESHOLD_", "1073741824"},
      {"MALLOC_TRIM_THRESHOLD_", "4294967296"},
      {"MALLOC_TOP_PAD_", "67108864"},
      {"OMP_WAIT_POLICY", "passive"},  // spinning would reach into the next launch's turn
      {"OMP_DYNAMIC", "false"},
      {"OMP_PROC_BIND", "false"},
      {"LC_ALL", "C"}};
  for (const std::string_view name : thread_counts) settings.emplace(name, std::to_string(threads));
  return settings;
}

// Vector width by what OpenBLAS's cores use; the names are those that its OPENBLAS_CORETYPE takes on x86-64.
enum class Width { sse, avx, avx2, avx512 };

struct BlasCore {
  std::string_view name;
  Width width;
};
constexpr std::array<BlasCore, 16> blas_cores{{{"Prescott", Width::sse},    {"Core2", Width::sse},
                                               {"Penryn", Width::sse},      {"Dunnington", Width::sse},
                                               {"Nehalem", Width::sse},     {"Atom", Width::sse},
                                               {"Opteron", Width::sse},     {"Barcelona", Width::sse},
                                               {"Sandybridge", Width::avx}, {"Bulldozer", Width::avx},
                                               {"Piledriver", Width::avx},  {"Steamroller", Width::avx},
                                               {"Haswell", Width::avx2},    {"Zen", Width::avx2},
                                               {"SkylakeX", Width::avx512}, {"Cooperlake", Width::avx512}}};

}  // namespace

LaunchEnvironment launch_environment(const std::map<std::string, std::string>& inherited, const Placement& placement,
                                     const std::map<std::string, std::string>& program_environment) {
  LaunchEnvironment result;
  result.set = placement.environment;
  std::map<std::string, std::string> kept;
  if (!placement.workers.empty()) result.set[protocol::worker_cpus_variable] = placement.workers.list();
  for (const auto& [name, value] : inherited) {
    const Preloaded preload = name == "LD_PRELOAD" ? preloaded(value) : Preloaded{value, ""};
    if (fights_the_launch(name) || !preload.shims.empty()) result.removed.push_back(name);
    if (!fights_the_launch(name) && (preload.shims.empty() || !preload.kept.empty())) kept.emplace(name, preload.kept);
    if (is_owners_blas_setting(name) && !placement.environment.contains(name))
      result.findings.push_back(name + "=" + value + " is inherited and stays; unset it to let bindgate choose");
    if (!preload.shims.empty())
      result.findings.push_back("LD_PRELOAD: " + preload.shims +
                                " may change where memory lies and is taken away; a variant that needs it sets it");
  }
  const auto ours = defaults(placement.threads);
  for (const auto* settings : {&program_environment, &ours})
    for (const auto& [name, value] : *settings)
      if (!(is_owners_blas_setting(name) && kept.contains(name))) result.set.emplace(name, value);

  for (const auto& [name, value] : result.set) kept[name] = value;
  for (const auto& [name, value] : kept) result.complete.push_back(name + "=" + value);
  return result;
}

bool is_set_to_threads(std::string_view name) {
  return std::find(thread_counts.begin(), thread_counts.end(), name) != thread_counts.end();
}

std::map<std::string, std::string> environment_of_process() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; entry && *entry; ++entry) add_setting(*entry, variables);
  return variables;
}

Result<std::map<std::string, std::string>> environment_of(int process) {
  const auto text = read_file("/proc/" + std::to_string(process) + "/environ");
  if (!text) return tl::unexpected(text.error());
  std::map<std::string, std::string> variables;
  for (std::string_view rest(*text); !rest.empty();) {
    const std::string_view setting = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(std::min(setting.size() + 1, rest.size()));
    add_setting(setting, variables);
  }
  return variables;
}

std::optional<std::string> better_blas_core(const std::string& reported_core, const Machine& machine) {
  const auto reported = std::find_if(blas_cores.begin(), blas_cores.end(),
                                     [&](const BlasCore& core) { return core.name == reported_core; });
  if (reported == blas_cores.end()) return std::nullopt;
  const auto trait = [&machine](const std::string& name) {
    const auto found = machine.traits.find(name);
    return found == machine.traits.end() ? std::string() : found->second;
  };
  const std::string isa = trait("isa");
  if (isa == "amx" || isa == "avx512_bf16" || isa == "avx512") {
    if (reported->width >= Width::avx512) return std::nullopt;
    return isa == "avx512" ? "SkylakeX" : "Cooperlake";
  }
  if (isa == "avx2" && reported->width < Width::avx2) return trait("cpu_vendor") == "AuthenticAMD" ? "Zen" : "Haswell";
  if (isa == "avx" && reported->width < Width::avx) return "Sandybridge";
  return std::nullopt;
}

}  // namespace bindgate
