#include "cli/planning.hpp"

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "binding/apply.hpp"
#include "binding/environment.hpp"
#include "binding/variants.hpp"
#include "core/names.hpp"
#include "core/units.hpp"

namespace bindgate {
namespace {

namespace fs = std::filesystem;

/// How much a profile measures.
struct Effort {
  unsigned rounds, turns, minimum_turns;
};

Effort effort_of(Profile profile) {
  switch (profile) {
    case Profile::quick:
      return {6, 60, 8};
    case Profile::nightly:
      return {6, 100, 12};
    case Profile::thorough:
      break;
  }
  return {24, 100, 12};
}

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

std::uint64_t random_seed() {
  std::random_device source;
  return source() & 0x7fffffffu;  // short enough to be typed
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

constexpr const char* blas_core_variable = "OPENBLAS_CORETYPE";

// Gives the program the settings that its selected cases need. A replaced BLAS core must first compute every one
// of them right: some kernels give wrong results on some processors.
Result<PlannedProgram> with_settings(PlannedProgram planned, const protocol::Hello& hello, const Placement& placement,
                                     const Machine& machine, const StopRequest& stop,
                                     std::vector<std::string>& findings) {
  const auto build_id = content_hash(planned.path);
  if (!build_id) return tl::unexpected(build_id.error());
  planned.build_id = *build_id;
  const std::string from = setting(hello, "blas_core");
  const auto better = better_blas_core(from, machine);
  if (!better) return planned;
  const std::string taken = planned.name + ": OpenBLAS took its core '" + from + "', below this CPU's capability";
  const auto inherited = environment_of_process();
  if (inherited.contains(blas_core_variable)) {
    findings.push_back(taken + ", as " + blas_core_variable + " asks for: kept");
    return planned;
  }
  const std::map<std::string, std::string> replacement{{blas_core_variable, *better}};
  std::vector<std::string> names;
  for (const CaseInfo& info : planned.cases) names.push_back(info.name);
  const auto checked = discover({planned.path, replacement, placement, inherited}, names, {}, stop);
  if (!checked) return fail(planned.path, checked.error());
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
    findings.push_back(taken + "; replaced by '" + now + "', under which every selected case computes right");
  }
  return planned;
}

// One of the variants that the user named, if none of those can be had; the base alone was not asked for.
const PlannedVariant* all_asked_for_are_skipped(const Plan& plan) {
  const PlannedVariant* skipped = nullptr;
  for (const PlannedVariant& variant : plan.variants) {
    const auto& asked = plan.selection.variants;
    if (std::find(asked.begin(), asked.end(), variant.name) == asked.end()) continue;
    if (variant.status != VariantStatus::skipped) return nullptr;
    skipped = &variant;
  }
  return skipped;
}

// What the caller's environment would have done to every launch, and what of it stays.
void add_environment_findings(const Placement& placement, std::vector<std::string>& findings) {
  const LaunchEnvironment environment = launch_environment(environment_of_process(), placement, {});
  std::string removed;
  for (const std::string& name : environment.removed) removed += (removed.empty() ? "" : ", ") + name;
  if (!removed.empty()) findings.push_back("removed from the environment of every launch: " + removed);
  findings.insert(findings.end(), environment.findings.begin(), environment.findings.end());
}

}  // namespace

Result<std::vector<Program>> find_programs(const Placement& placement, const StopRequest& stop) {
  const auto paths = programs_beside_bindgate();
  if (!paths) return tl::unexpected(paths.error());
  std::vector<Program> programs;
  for (const fs::path& path : *paths) {
    auto found = discover({path.string(), {}, placement, environment_of_process()}, {}, {}, stop);
    if (!found) return fail(path.string(), found.error());
    programs.push_back({path, std::move(found->hello)});
  }
  return programs;
}

Result<std::vector<PlannedProgram>> select_cases(std::span<const Program> programs, const Selection& selection) {
  std::vector<PlannedProgram> selected;
  std::vector<std::string> names;
  for (const Program& program : programs) {
    PlannedProgram planned{program.path.filename().string(), program.path.string(), {}, {}, {}};
    for (const CaseInfo& info : program.hello.cases) {
      if (std::find(names.begin(), names.end(), info.name) != names.end())
        return fail(program.path.string() + ": its case '" + info.name +
                    "' is another program's too, and a case is known by its name; rename one or remove a program");
      names.push_back(info.name);
      if (is_selected(info, selection)) planned.cases.push_back(info);
    }
    if (!planned.cases.empty()) selected.push_back(std::move(planned));
  }
  for (const std::string& glob : selection.cases)
    if (std::none_of(names.begin(), names.end(), [&](const std::string& name) { return matches_glob(glob, name); }))
      return fail("no case matches '" + glob + "' ('bindgate list' shows all)" + suggest(glob, names));
  return selected;
}

std::vector<std::string> cases_left_out(std::span<const Program> programs, const Selection& selection) {
  std::vector<std::string> names;
  if (!selection.cases.empty()) return names;
  for (const Program& program : programs)
    for (const CaseInfo& info : program.hello.cases)
      if (!is_selected(info, selection)) names.push_back(info.name);
  return names;
}

Result<std::vector<PlannedVariant>> plan_here(const Machine& machine, std::span<const std::string> names) {
  auto variants = plan_variants(machine, names);
  if (!variants || !machine.live) return variants;
  for (PlannedVariant& variant : *variants) {
    if (variant.status != VariantStatus::ok) continue;
    std::vector<Placement> placements = variant.alternatives;
    if (placements.empty()) placements.push_back(variant.placement);
    for (const Placement& placement : placements)
      if (const auto granted = probe(placement); !granted) {
        variant.status = VariantStatus::skipped;
        variant.reason = granted.error().message;
        variant.same_as.clear();
        break;
      }
  }
  return variants;
}

Result<Run> plan_run(const RunArguments& arguments, const Machine& machine, const StopRequest& stop) {
  Run run;
  Plan& plan = run.plan;
  plan.selection = {arguments.cases, arguments.variants, arguments.profile.value_or(Profile::quick)};
  const Effort effort = effort_of(plan.selection.profile);
  plan.rounds = arguments.rounds.value_or(effort.rounds);
  plan.turns = effort.turns;
  plan.minimum_turns = effort.minimum_turns;
  plan.seed = arguments.seed ? *arguments.seed : random_seed();

  // Where the profile leaves variants out they are named, so that the gate misses no other.
  if (auto names = default_variants(plan.selection.profile);
      arguments.variants.empty() && names != default_variants(Profile::thorough))
    plan.selection.variants = std::move(names);
  auto variants = plan_here(machine, plan.selection.variants);
  if (!variants) return tl::unexpected(variants.error());
  plan.variants = *std::move(variants);
  const PlannedVariant& base = plan.variants.front();
  if (base.status != VariantStatus::ok)
    return fail("the base variant '" + base.name + "' cannot be had: " + base.reason);
  if (const PlannedVariant* skipped = all_asked_for_are_skipped(plan))
    return fail("variant '" + skipped->name + "' cannot be had here: " + skipped->reason +
                "; 'bindgate variants' shows which can");

  const auto programs = find_programs(base.placement, stop);
  if (!programs) return tl::unexpected(programs.error());
  auto selected = select_cases(*programs, plan.selection);
  if (!selected) return tl::unexpected(selected.error());
  if (selected->empty())
    return fail(
        "profile " + std::string(name_of(plan.selection.profile)) +
        " holds no case of the programs here; choose a larger --profile or name cases with --case ('bindgate list')");
  run.findings = machine.findings;
  add_environment_findings(base.placement, run.findings);
  for (PlannedProgram& program : *selected) {
    const auto found =
        std::find_if(programs->begin(), programs->end(), [&](const Program& p) { return p.path == program.path; });
    auto planned = with_settings(std::move(program), found->hello, base.placement, machine, stop, run.findings);
    if (!planned) return tl::unexpected(planned.error());
    plan.programs.push_back(*std::move(planned));
  }
  plan.left_out = cases_left_out(*programs, plan.selection);

  run.started = format_utc(std::chrono::system_clock::now());
  run.bindgate_version = BINDGATE_VERSION;
  run.bindgate_build = BINDGATE_BUILD_TYPE;
  run.machine = to_json(machine).dump();
  run.fingerprint = fingerprint_of(machine);
  run.environment = read_environment();
  run.environment["allowed_cpus"] = (machine.allowed_cpus & machine.online).list();
  for (const Program& program : *programs)
    for (const auto& [library, version] : program.hello.libraries)
      run.environment[program.path.filename().string() + ' ' + library] = version;
  return run;
}

std::vector<std::string> plan_differences(const Plan& stored, const Plan& fresh) {
  const auto before = to_json(stored).flatten(), now = to_json(fresh).flatten();
  std::map<std::string, std::string> before_fields, now_fields;
  for (const auto& [key, value] : before.items()) before_fields[key.substr(1)] = value.dump();
  for (const auto& [key, value] : now.items()) now_fields[key.substr(1)] = value.dump();
  return differences(now_fields, before_fields);
}

}  // namespace bindgate
