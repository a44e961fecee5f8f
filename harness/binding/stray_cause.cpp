#include "binding/stray_cause.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "binding/environment.hpp"

namespace bindgate {

std::map<std::string, std::string> binding_settings(int process) {
  std::map<std::string, std::string> found = environment_of(process).value_or(std::map<std::string, std::string>());
  std::erase_if(found, [](const auto& setting) {
    static constexpr std::string_view names[] = {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"};
    return std::find(std::begin(names), std::end(names), setting.first) == std::end(names);
  });
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
