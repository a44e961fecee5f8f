#include "binding/stray_cause.hpp"

#include <algorithm>

#include "core/files.hpp"

namespace bindgate {

std::map<std::string, std::string> binding_settings(int process) {
  static constexpr std::string_view names[] = {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"};
  std::map<std::string, std::string> found;
  const auto text = read_file("/proc/" + std::to_string(process) + "/environ");
  if (!text) return found;
  for (std::string_view rest(*text); !rest.empty();) {
    const auto setting = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(std::min(setting.size() + 1, rest.size()));
    const auto equal = std::min(setting.find('='), setting.size());
    if (std::find(std::begin(names), std::end(names), setting.substr(0, equal)) != std::end(names))
      found[std::string(setting.substr(0, equal))] = setting.substr(std::min(equal + 1, setting.size()));
  }
  if (const auto bind = found.find("OMP_PROC_BIND"); bind != found.end() && bind->second == "false") found.clear();
  return found;
}

std::string likely_cause(const StrayFacts& facts) {
  const auto all = [&](auto holds) { return std::all_of(facts.strays.begin(), facts.strays.end(), holds); };
  const bool narrowed = all([&](const ThreadState& thread) { return facts.wanted.contains(thread.cpus); });
  if (narrowed && !facts.settings.empty()) {
    const auto& [name, value] = *facts.settings.begin();
    return name + "=" + value + " is in its environment";
  }
  const IndexSet& first = facts.strays.front().cpus;
  const bool alike = all([&](const ThreadState& thread) { return thread.cpus == first; });
  if (narrowed && alike && first.size() == 1 && facts.in_place == 0)
    return "every thread is narrowed to one CPU: a runtime or launcher pinned the main thread, and the others inherit";
  if (narrowed) return "the program or a library narrows its threads itself";
  if (facts.later) return "the program or a library has set its mask while it ran";
  if (facts.main_in_place)
    return "its main thread is in place: the others were made before it was bound, or set their own mask";
  return "the program, a library or its launcher has set its own mask";
}

}  // namespace bindgate
