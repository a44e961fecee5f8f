#include "samples/run.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace bindgate {
namespace {

nlohmann::json to_json(const PlannedProgram& program) {
  nlohmann::json cases = nlohmann::json::array();
  for (const CaseInfo& info : program.cases) cases.push_back(bindgate::to_json(info));
  return {{"name", program.name},
          {"path", program.path},
          {"build_id", program.build_id},
          {"environment", program.environment},
          {"cases", cases}};
}

PlannedProgram read_program(const JsonCursor& cursor) {
  PlannedProgram program;
  program.name = cursor["name"].string();
  program.path = cursor["path"].string();
  program.build_id = cursor["build_id"].string();
  program.environment = cursor["environment"].string_map();
  for (const JsonCursor& info : cursor["cases"].items()) {
    program.cases.push_back(read_case_info(info));
    for (std::size_t i = 0; i + 1 < program.cases.size(); ++i)
      if (program.cases[i].name == program.cases.back().name)
        info["name"].fault("case \"" + program.cases[i].name + "\" is planned twice; every case needs its own name");
  }
  return program;
}

}  // namespace

std::vector<std::string> debug_builds(const Run& run) {
  static constexpr std::string_view debug = "Debug";
  std::vector<std::string> names;
  if (run.bindgate_build == debug) names.push_back("bindgate");
  for (const Launch& launch : run.launches)
    if (launch.build_type == debug && !run.abandoned.contains(launch.id) &&
        std::find(names.begin(), names.end(), launch.program) == names.end())
      names.push_back(launch.program);
  return names;
}

std::string outside(Profile profile) { return "outside profile " + std::string(name_of(profile)); }

nlohmann::json to_json(const Plan& plan) {
  nlohmann::json variants = nlohmann::json::array(), programs = nlohmann::json::array();
  nlohmann::json left_out = nlohmann::json::array();
  for (const PlannedVariant& variant : plan.variants) variants.push_back(to_json(variant));
  for (const PlannedProgram& program : plan.programs) programs.push_back(to_json(program));
  for (const LeftOut& one : plan.left_out) left_out.push_back(to_json(one));
  return {{"selection",
           {{"cases", plan.selection.cases},
            {"variants", plan.selection.variants},
            {"profile", name_of(plan.selection.profile)}}},
          {"base", plan.base},
          {"rounds", plan.rounds},
          {"turns", plan.turns},
          {"minimum_turns", plan.minimum_turns},
          {"seed", plan.seed},
          {"variants", variants},
          {"programs", programs},
          {"list", plan.list ? to_json(*plan.list) : nlohmann::json()},
          {"left_out", left_out}};
}

Plan read_plan(const JsonCursor& cursor) {
  Plan plan;
  plan.selection.cases = cursor["selection"]["cases"].strings();
  plan.selection.variants = cursor["selection"]["variants"].strings();
  plan.selection.profile = read_profile(cursor["selection"]["profile"]);
  plan.base = cursor["base"].string();
  plan.rounds = static_cast<unsigned>(cursor["rounds"].integer(1, 1'000'000));
  plan.turns = static_cast<unsigned>(cursor["turns"].integer(1, 1'000'000));
  plan.minimum_turns = static_cast<unsigned>(cursor["minimum_turns"].integer(1, 1'000'000));
  plan.seed = static_cast<std::uint64_t>(cursor["seed"].integer());
  for (const JsonCursor& variant : cursor["variants"].items()) plan.variants.push_back(read_planned_variant(variant));
  for (const JsonCursor& program : cursor["programs"].items()) plan.programs.push_back(read_program(program));
  if (const auto list = cursor.find("list")) plan.list = read_profile_list(*list);
  if (const auto left_out = cursor.find("left_out"))
    for (const JsonCursor& one : left_out->items()) {
      // Runs of the first version name the cases alone.
      plan.left_out.push_back(one.is_string() ? LeftOut{one.string(), outside(plan.selection.profile)}
                                              : read_left_out(one));
    }
  return plan;
}

}  // namespace bindgate
