#include "cli/programs.hpp"

#include <unistd.h>

#include <algorithm>

#include "binding/environment.hpp"
#include "core/names.hpp"

namespace bindgate {
namespace {

namespace fs = std::filesystem;

Result<std::vector<fs::path>> programs_beside_bindgate() {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  std::vector<fs::path> programs;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("bench_") && entry.is_regular_file(error) && access(entry.path().c_str(), X_OK) == 0)
      programs.push_back(entry.path());
  }
  if (programs.empty())
    return fail(folder.string() +
                ": no bench program (bench_*) stands beside bindgate; build them with "
                "'cmake --preset release && cmake --build --preset release'");
  std::sort(programs.begin(), programs.end());
  return programs;
}

bool is_selected(const CaseInfo& info, const Selection& selection) {
  if (selection.cases.empty()) return info.profile <= selection.profile;
  return std::any_of(selection.cases.begin(), selection.cases.end(),
                     [&](const std::string& glob) { return matches_glob(glob, info.name); });
}

std::string setting(const protocol::Hello& hello, const std::string& name) {
  const auto found = hello.settings.find(name);
  return found == hello.settings.end() ? "" : found->second;
}

std::vector<std::string> names_of(const std::vector<CaseInfo>& cases) {
  std::vector<std::string> names;
  for (const CaseInfo& info : cases) names.push_back(info.name);
  return names;
}

LaunchOrder order_of(const PlannedProgram& program, std::map<std::string, std::string> settings,
                     const Probing& probing) {
  return {program.path, std::move(settings), probing.placement, environment_of_process()};
}

constexpr const char* blas_core_variable = "OPENBLAS_CORETYPE";

}  // namespace

Result<std::vector<Program>> find_programs(const Placement& placement, const StopRequest& stop) {
  const auto paths = programs_beside_bindgate();
  if (!paths) return tl::unexpected(paths.error());
  std::vector<Program> programs;
  for (const fs::path& path : *paths) {
    auto found = discover({path.string(), {}, placement, environment_of_process()}, {}, {}, stop);
    if (!found) return tl::unexpected(found.error());
    programs.push_back({path, std::move(found->hello)});
  }
  return programs;
}

Result<std::vector<PlannedProgram>> choose_cases(std::span<const Program> programs,
                                                 const std::function<bool(const CaseInfo&)>& chosen) {
  std::vector<PlannedProgram> planned_programs;
  std::vector<std::string> names;
  for (const Program& program : programs) {
    PlannedProgram planned{program.path.filename().string(), program.path.string(), {}, {}, {}};
    for (const CaseInfo& info : program.hello.cases) {
      if (std::find(names.begin(), names.end(), info.name) != names.end())
        return fail(program.path.string() + ": its case '" + info.name +
                    "' is another program's too, and a case is known by its name; rename one or remove a program");
      names.push_back(info.name);
      if (chosen(info)) planned.cases.push_back(info);
    }
    if (!planned.cases.empty()) planned_programs.push_back(std::move(planned));
  }
  return planned_programs;
}

Result<std::vector<PlannedProgram>> select_cases(std::span<const Program> programs, const Selection& selection) {
  auto selected = choose_cases(programs, [&](const CaseInfo& info) { return is_selected(info, selection); });
  if (!selected) return selected;
  std::vector<std::string> names;
  for (const Program& program : programs)
    for (const CaseInfo& info : program.hello.cases) names.push_back(info.name);
  for (const std::string& glob : selection.cases)
    if (std::none_of(names.begin(), names.end(), [&](const std::string& name) { return matches_glob(glob, name); }))
      return fail("no case matches '" + glob + "' ('bindgate list' shows all)" + suggest(glob, names));
  return selected;
}

std::vector<LeftOut> cases_left_out(std::span<const Program> programs, const Selection& selection) {
  std::vector<LeftOut> left_out;
  if (!selection.cases.empty()) return left_out;
  for (const Program& program : programs)
    for (const CaseInfo& info : program.hello.cases)
      if (!is_selected(info, selection)) left_out.push_back({info.name, outside(selection.profile)});
  return left_out;
}

Result<SettledProgram> settle(PlannedProgram program, const protocol::Hello& hello, const Probing& probing,
                              std::vector<std::string>& findings) {
  const auto build_id = content_hash(program.path);
  if (!build_id) return tl::unexpected(build_id.error());
  SettledProgram settled{std::move(program), {}};
  PlannedProgram& planned = settled.program;
  planned.build_id = *build_id;
  const std::string from = setting(hello, "blas_core");
  const auto better = better_blas_core(from, probing.machine);
  if (!better) return settled;
  const std::string taken = planned.name + ": OpenBLAS took its core '" + from + "', below this CPU's capability";
  if (environment_of_process().contains(blas_core_variable)) {
    findings.push_back(taken + ", as " + blas_core_variable + " asks for: kept");
    return settled;
  }
  const std::map<std::string, std::string> replacement{{blas_core_variable, *better}};
  auto checked = discover(order_of(planned, replacement, probing), names_of(planned.cases), {}, probing.stop,
                          probing.begins);
  if (!checked) return tl::unexpected(checked.error());
  const std::string now = setting(checked->hello, "blas_core");
  const auto wrong = std::find_if(checked->cases.begin(), checked->cases.end(),
                                  [](const ProbedCase& probed) { return probed.outcome == CaseOutcome::failed; });
  if (now == from) {
    findings.push_back(taken + ", and " + blas_core_variable + '=' + *better +
                       " does not change it: expect slow products");
  } else if (wrong != checked->cases.end()) {
    findings.push_back(taken + "; '" + now + "' in its place was undone: " + wrong->name + ": " + wrong->reason);
  } else {
    planned.environment = replacement;
    settled.probed = *std::move(checked);
    findings.push_back(taken + "; replaced by '" + now + "', under which every selected case computes right");
  }
  return settled;
}

Result<ProbedProgram> probe_cases(SettledProgram settled, const Probing& probing) {
  const PlannedProgram& program = settled.program;
  const std::vector<std::string> names = names_of(program.cases);
  ProbedProgram result{program.name, 0, program.cases, {}};
  while (result.probed.size() < names.size()) {
    const std::span<const std::string> rest = std::span(names).subspan(result.probed.size());
    if (!settled.probed) {
      auto discovery = discover(order_of(program, program.environment, probing), rest, {}, probing.stop, probing.begins);
      if (!discovery) return tl::unexpected(discovery.error());
      settled.probed = *std::move(discovery);
    }
    result.start_seconds = settled.probed->start_seconds;
    // After a death the cases that were never begun are given a launch of their own.
    for (ProbedCase& probed : settled.probed->cases)
      if (probed.set_up_seconds) result.probed.push_back(std::move(probed));
    settled.probed.reset();
  }
  return result;
}

}  // namespace bindgate
