#include "cli/planning.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "baseline/store.hpp"
#include "binding/environment.hpp"
#include "core/names.hpp"
#include "core/units.hpp"

namespace bindgate {
namespace {

namespace fs = std::filesystem;

std::uint64_t random_seed() {
  std::random_device source;
  return source() & 0x7fffffffu;  // short enough to be typed
}

// One of the variants that the user named, if none of those can be had; the base alone was not asked for.
const PlannedVariant* all_asked_for_are_skipped(const Plan& plan) {
  const PlannedVariant* skipped = nullptr;
  for (const PlannedVariant& variant : plan.variants) {
    const auto& asked = plan.selection.variants;
    if (std::find(asked.begin(), asked.end(), strong_name(variant)) == asked.end()) continue;
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

// Everything below `value` by its path, "programs/0/name"; of a list also how long it is, as an empty one has nothing
// else to tell, and nothing of what is null.
std::map<std::string, std::string> fields_of(const nlohmann::json& value, const std::string& path = "") {
  if (value.is_null()) return {};
  if (!value.is_structured()) return {{path, value.dump()}};
  std::map<std::string, std::string> fields;
  if (value.is_array()) fields[path] = counted(value.size(), "element");
  for (const auto& [key, child] : value.items()) fields.merge(fields_of(child, path.empty() ? key : path + '/' + key));
  return fields;
}

const protocol::Hello& hello_of(std::span<const Program> programs, const fs::path& path) {
  return std::find_if(programs.begin(), programs.end(), [&](const Program& one) { return one.path == path; })->hello;
}

// What is begun again, after a death or without a setting, counts once.
Probing probing_of(const std::vector<PlannedProgram>& programs, const Placement& placement,
                   const PlanningSetting& setting) {
  std::size_t count = 0;
  for (const PlannedProgram& program : programs) count += program.cases.size();
  return {placement, setting.machine, setting.deadlines, setting.stop,
          [begins = setting.begins, count, index = std::size_t{0}](const std::string& name) mutable {
            index = std::min(index + 1, count);
            begins(name, index, count);
          }};
}

Result<void> settle_all(Run& run, std::vector<PlannedProgram> chosen, std::span<const Program> programs,
                        const PlanningSetting& setting) {
  const Probing probing = probing_of(chosen, run.plan.variants.front().placement, setting);
  for (PlannedProgram& program : chosen) {
    const protocol::Hello& hello = hello_of(programs, program.path);
    auto settled = settle(std::move(program), hello, probing, run.findings);
    if (!settled) return tl::unexpected(settled.error());
    run.plan.programs.push_back(std::move(settled->program));
  }
  return {};
}

// A list that was made for a smaller run may make tonight's too long.
void add_length_finding(Run& run, const std::string& file) {
  static constexpr std::chrono::hours longest{1};
  const ProfileList& list = *run.plan.list;
  const unsigned members = placements_of(run.plan.variants) + 1;
  const auto estimate = estimate_for(list, run.plan.rounds, members);
  if (estimate <= longest || (list.rounds == run.plan.rounds && list.members == members)) return;
  run.findings.push_back("the nightly list was made for " + std::to_string(list.rounds) + " rounds of " +
                         std::to_string(list.members) + " launches of each program, this run has " +
                         std::to_string(run.plan.rounds) + " of " + std::to_string(members) + " and takes about " +
                         format_duration(estimate) + "; delete " + file + " to plan anew");
}

Result<void> choose_by_list(Run& run, std::span<const Program> programs, ProfileAnswer answer,
                            const PlanningSetting& setting) {
  Plan& plan = run.plan;
  const std::string file = answer.file.string();
  auto listed = select_listed(programs, answer.list, file);
  if (!listed) return tl::unexpected(listed.error());
  if (listed->programs.empty())
    return fail(answer.stored ? file + ": names no case of the programs here; delete it to plan anew"
                              : "profile nightly holds no case of the programs here; name cases with --case "
                                "('bindgate list --profile nightly' shows why)");
  for (const auto* findings : {&answer.findings, &listed->findings})
    run.findings.insert(run.findings.end(), findings->begin(), findings->end());
  plan.list = std::move(answer.list);
  plan.left_out = std::move(listed->left_out);
  add_length_finding(run, file);
  if (answer.settled.empty()) return settle_all(run, std::move(listed->programs), programs, setting);
  for (PlannedProgram& program : listed->programs) {
    const auto settled = std::find_if(answer.settled.begin(), answer.settled.end(),
                                      [&](const PlannedProgram& one) { return one.path == program.path; });
    program.build_id = settled->build_id;
    program.environment = settled->environment;
    plan.programs.push_back(std::move(program));
  }
  return {};
}

// Fills in which cases are measured, and why the others are not. `list`: of a run that is resumed.
Result<void> choose(Run& run, std::span<const Program> programs, const fs::path& baselines,
                    const PlanningSetting& setting, const std::optional<ProfileList>& list) {
  const Selection& selection = run.plan.selection;
  if (list) {
    ProfileAnswer answer;
    answer.list = *list;
    return choose_by_list(run, programs, std::move(answer), setting);
  }
  if (selection.cases.empty() && selection.profile == Profile::nightly) {
    auto answer = list_of_profile(Profile::nightly, programs, run.plan.variants, baselines, setting);
    if (!answer) return tl::unexpected(answer.error());
    return choose_by_list(run, programs, *std::move(answer), setting);
  }
  auto selected = select_cases(programs, selection);
  if (!selected) return tl::unexpected(selected.error());
  if (selected->empty())
    return fail(
        "profile " + std::string(name_of(selection.profile)) +
        " holds no case of the programs here; choose a larger --profile or name cases with --case ('bindgate list')");
  run.plan.left_out = cases_left_out(programs, selection);
  return settle_all(run, *std::move(selected), programs, setting);
}

}  // namespace

Result<ProfileAnswer> list_of_profile(Profile profile, std::span<const Program> programs,
                                      std::span<const PlannedVariant> variants, const fs::path& baselines,
                                      const PlanningSetting& setting) {
  const Fingerprint fingerprint = fingerprint_of(setting.machine);
  ProfileAnswer answer;
  answer.file = nightly_list_file(baselines, fingerprint);
  if (profile == Profile::nightly) {
    auto stored = load_nightly_list(baselines, fingerprint);
    if (!stored) return tl::unexpected(stored.error());
    if (*stored) {
      answer.list = **std::move(stored);
      answer.stored = true;
      return answer;
    }
  }
  auto candidates = select_cases(programs, {{}, {}, profile});
  if (!candidates) return tl::unexpected(candidates.error());
  const Probing probing = probing_of(*candidates, variants.front().placement, setting);
  std::vector<ProbedProgram> probed;
  for (PlannedProgram& program : *candidates) {
    const protocol::Hello& hello = hello_of(programs, program.path);
    auto settled = settle(std::move(program), hello, probing, answer.findings);
    if (!settled) return tl::unexpected(settled.error());
    answer.settled.push_back(settled->program);
    auto figures = probe_cases(*std::move(settled), probing);
    if (!figures) return tl::unexpected(figures.error());
    probed.push_back(*std::move(figures));
  }
  answer.list = plan_profile(profile, probed, threads_of_members(variants),
                             format_utc(std::chrono::system_clock::now()));
  return answer;
}

Result<Run> plan_run(const RunArguments& arguments, const Catalogue& catalogue, const PlanningSetting& setting,
                     const Plan* stored) {
  Run run;
  Plan& plan = run.plan;
  plan.selection = {arguments.cases, arguments.variants, arguments.profile.value_or(Profile::quick)};
  const Effort effort = effort_of(plan.selection.profile);
  plan.rounds = arguments.rounds.value_or(effort.rounds);
  plan.turns = effort.turns;
  plan.minimum_turns = effort.minimum_turns;
  plan.seed = arguments.seed ? *arguments.seed : random_seed();

  VariantWishes wishes{arguments.variants, arguments.allow_degraded, {}};
  if (wishes.names.empty()) wishes.names = catalogue.defaults(plan.selection.profile);
  if (stored) remember(*stored, catalogue, wishes);
  auto variants = plan_here(setting.machine, catalogue, wishes);
  if (!variants) return tl::unexpected(variants.error());
  plan.variants = *std::move(variants);
  // Where variants are left out, or a file has more, they are named, so that the gate misses no other.
  if (!arguments.variants.empty() || wishes.names != Catalogue().defaults(Profile::thorough))
    plan.selection.variants = asked_for(plan.variants, wishes.names, plan.base);
  const PlannedVariant& base = plan.variants.front();
  if (base.status != VariantStatus::ok)
    return fail("the base variant '" + base.name + "' cannot be had: " + base.reason);
  if (const PlannedVariant* skipped = all_asked_for_are_skipped(plan))
    return fail("variant '" + skipped->name + "' cannot be had here: " + skipped->reason +
                "; 'bindgate variants' shows which can");

  const auto programs = find_programs(base.placement, setting.deadlines, setting.stop);
  if (!programs) return tl::unexpected(programs.error());
  run.findings = setting.machine.findings;
  add_environment_findings(base.placement, run.findings);
  const auto list = stored ? stored->list : std::nullopt;
  const auto chosen = choose(run, *programs, arguments.baselines, setting, list);
  if (!chosen) return tl::unexpected(chosen.error());

  run.started = format_utc(std::chrono::system_clock::now());
  run.bindgate_version = BINDGATE_VERSION;
  run.bindgate_build = BINDGATE_BUILD_TYPE;
  run.machine = to_json(setting.machine).dump();
  run.fingerprint = fingerprint_of(setting.machine);
  run.environment = read_environment();
  run.environment["allowed_cpus"] = (setting.machine.allowed_cpus & setting.machine.online).list();
  run.environment["bindgate"] = run.bindgate_version;
  for (const Program& program : *programs) {
    const std::string name = program.path.filename().string() + ' ';
    run.environment[name + "build"] = program.hello.build_type;
    for (const auto& [library, version] : program.hello.libraries) run.environment[name + library] = version;
  }
  return run;
}

std::vector<std::string> plan_differences(const Plan& stored, const Plan& fresh) {
  return differences(fields_of(to_json(fresh)), fields_of(to_json(stored)));
}

}  // namespace bindgate
