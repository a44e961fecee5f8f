#include "report/json.hpp"

#include <nlohmann/json.hpp>

#include "report/proofs.hpp"
#include "report/warning_lines.hpp"
#include "verdict/warm_up.hpp"

namespace bindgate {
namespace {

using Json = nlohmann::ordered_json;  // keys stand in the documented order

Json document(const char* command) { return {{"schema", std::string("bindgate.") + command + "/1"}}; }

std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json to_json(const std::optional<Ratio>& ratio) {
  if (!ratio) return nullptr;
  return {{"estimate", ratio->estimate},
          {"low", ratio->low},
          {"low_level", ratio->low_level},
          {"high", ratio->high},
          {"high_level", ratio->high_level}};
}

Json to_json(const std::optional<Variance>& variance) {
  if (!variance) return nullptr;
  return {{"clean_cv", or_null(variance->clean_cv)},
          {"plain_cv", or_null(variance->plain_cv)},
          {"mad_cv", or_null(variance->mad_cv)},
          {"p95_over_p50", or_null(variance->p95_over_p50)},
          {"fired", variance->fired},
          {"launches", variance->launches},
          {"within_turn_cv", or_null(variance->within_turn_cv)},
          {"max_over_p50", or_null(variance->max_over_p50)},
          {"halves", or_null(variance->halves)},
          {"clean_fraction", or_null(variance->clean_fraction)},
          {"reference_cv", or_null(variance->reference_cv)},
          {"beyond_machine", variance->beyond_machine},
          {"judged", variance->judged}};
}

Json to_json(const Warnings& warnings) {
  Json json = Json::array();
  if (const auto& pages = warnings.remote_pages)
    json.push_back({{"kind", "remote_pages"},
                    {"text", warning_line(*pages)},
                    {"next", next_for_remote_pages},
                    {"share", pages->share},
                    {"threshold", pages->threshold},
                    {"bytes", pages->bytes},
                    {"working_set_bytes", pages->working_set_bytes},
                    {"nodes", pages->nodes.list()},
                    {"nearest", pages->nearest.list()},
                    {"round", pages->round},
                    {"beyond", pages->beyond},
                    {"launches", pages->launches}});
  if (const auto& misses = warnings.cache_misses)
    json.push_back({{"kind", "cache_misses"},
                    {"text", warning_line(*misses)},
                    {"next", next_for_cache_misses},
                    {"mpki", misses->mpki},
                    {"baseline_mpki", misses->stored_mpki},
                    {"threshold", misses->threshold},
                    {"launches", misses->launches},
                    {"baseline_launches", misses->stored_launches}});
  return json;
}

Json to_json(const Judgement& judgement) {
  return {{"case", judgement.case_name},
          {"variant", judgement.variant},
          {"verdict", name_of(judgement.verdict)},
          {"reasons", judgement.reasons},
          {"n", judgement.n},
          {"n_unit", or_null(judgement.n_unit)},
          {"base_n", judgement.base_n},
          {"base_unit", or_null(judgement.base_unit)},
          {"seconds", or_null(judgement.seconds)},
          {"target", or_null(judgement.target)},
          {"gating", judgement.gating},
          {"same_as", judgement.same_as},
          {"ratio", to_json(judgement.ratio)},
          {"variance", to_json(judgement.variance)},
          {"warnings", to_json(judgement.warnings)}};
}

Json to_json(const std::optional<BreakEven>& even) {
  if (!even) return nullptr;
  return {{"never", even->never},
          {"iterations", or_null(even->iterations)},
          {"low", or_null(even->low)},
          {"high", or_null(even->high)},
          {"n", even->n},
          {"n_unit", "round"}};
}

Json to_json(const std::optional<WarmUp>& warm_up) {
  if (!warm_up) return nullptr;
  return {{"steady_from", or_null(warm_up->steady_from)},
          {"first_calls_seconds", or_null(warm_up->first_calls_seconds)},
          {"share", or_null(warm_up->share)},
          {"of_iterations", warm_up_iterations},
          {"settled", warm_up->settled},
          {"launches", warm_up->launches},
          {"against", or_null(warm_up->against)},
          {"break_even", to_json(warm_up->break_even)}};
}

// The keys of a gate's series, so that one script reads both; what ranking does not judge is null.
Json to_json(const std::string& case_name, const RankedVariant& ranked) {
  return {{"case", case_name},
          {"variant", ranked.variant},
          {"verdict", nullptr},
          {"reasons", ranked.problem.empty() ? Json::array() : Json{ranked.problem}},
          {"n", ranked.n},
          {"n_unit", "round"},
          {"seconds", or_null(ranked.seconds)},
          {"target", nullptr},
          {"same_as", ranked.same_as},
          {"ratio", to_json(ranked.ratio)},
          {"variance", to_json(ranked.variance)},
          {"warm_up", to_json(ranked.warm_up)},
          {"figures", ranked.figures},
          {"warnings", to_json(ranked.warnings)}};
}

Json to_json(const std::vector<CoRunning>& groups) {
  Json json = Json::array();
  for (const CoRunning& group : groups)
    json.push_back({{"group", group.group},
                    {"ranks", group.ranks},
                    {"n", group.n},
                    {"n_unit", "round"},
                    {"throughput", to_json(group.throughput)},
                    {"slowest", to_json(group.slowest)},
                    {"problem", or_null(group.problem)}});
  return json;
}

Json to_json(const std::optional<NodeMatrix>& matrix) {
  if (!matrix) return nullptr;
  Json cells = Json::array();
  for (const auto& row : matrix->cells) {
    Json& line = cells.emplace_back(Json::array());
    for (const NodeMatrix::Cell& cell : row)
      line.push_back({{"seconds", or_null(cell.seconds)},
                      {"to_local", to_json(cell.to_local)},
                      {"problem", or_null(cell.problem)}});
  }
  return {{"cpu_nodes", matrix->cpu_nodes}, {"memory_nodes", matrix->memory_nodes}, {"cells", cells}};
}

Json declared(const CaseInfo& info, const PlannedProgram& program) {
  Json json{{"case", info.name}, {"program", program.name}};
  const nlohmann::json keys = bindgate::to_json(info);
  for (const auto& [key, value] : keys.items())
    if (key != "name") json[key] = value;
  return json;
}

void add_run(Json& json, const Run& run) {
  json["run"] = run.id;
  json["fingerprint"] = run.fingerprint.id();
  json["rounds"] = run.rounds.size();
  json["finished"] = run.finished;
  json["stopped"] = or_null(run.stopped);
  json["findings"] = run.findings;
}

}  // namespace

std::string gate_json(const GateResult& result, const Run& run) {
  Json json = document("gate");
  json["verdict"] = name_of(result.verdict);
  json["exit"] = result.exit;
  json["cases"] = Json::array();
  json["missing"] = Json::array();
  for (const Judgement& judgement : result.cases) {
    json["cases"].push_back(to_json(judgement));
    if (judgement.verdict == Verdict::missing)
      json["missing"].push_back(
          {{"case", judgement.case_name}, {"variant", judgement.variant}, {"reasons", judgement.reasons}});
  }
  if (!result.unfinished.empty())
    json["missing"].push_back({{"case", nullptr}, {"variant", nullptr}, {"reasons", {result.unfinished}}});
  json["environment_changes"] = result.environment_changes;
  json["notes"] = result.notes;
  add_run(json, run);
  return text_of(json);
}

std::string show_json(const std::vector<CaseRanking>& rankings, const std::vector<VariantProofs>& proofs,
                      const Run& run) {
  Json json = document("show");
  json["verdict"] = nullptr;
  json["exit"] = 0;
  json["cases"] = Json::array();
  json["missing"] = Json::array();
  json["rankings"] = Json::array();
  for (const CaseRanking& ranking : rankings) {
    for (const RankedVariant& ranked : ranking.variants) {
      json["cases"].push_back(to_json(ranking.case_name, ranked));
      if (!ranked.problem.empty())
        json["missing"].push_back(
            {{"case", ranking.case_name}, {"variant", ranked.variant}, {"reasons", {ranked.problem}}});
    }
    json["rankings"].push_back({{"case", ranking.case_name},
                                {"best", or_null(ranking.best)},
                                {"sentence", ranking.sentence},
                                {"twin", to_json(ranking.twin)},
                                {"groups", to_json(ranking.groups)},
                                {"matrix", to_json(ranking.matrix)}});
  }
  json["proofs"] = proofs_json(proofs);
  json["environment_changes"] = Json::array();
  add_run(json, run);
  json["spent"] = bindgate::to_json(run.spent);
  return text_of(json);
}

std::string variants_json(const VariantsListing& listing) {
  Json json = document("variants_plan");
  json["variants"] = Json::array();
  for (const auto& [planned, meaning, lines] : listing.rows) {
    Json variant = bindgate::to_json(planned);
    variant["meaning"] = or_null(meaning);
    variant["launch"] = Json::object();
    for (const char* tool : {"taskset", "numactl", "srun"})
      variant["launch"][tool] = lines.contains(tool) ? Json(lines.at(tool)) : Json();
    json["variants"].push_back(std::move(variant));
  }
  json["left_out"] = listing.left_out;
  json["notes"] = listing.notes;
  return text_of(json);
}

std::string topology_json(const Machine& machine) {
  Json json = document("topology");
  json.update(Json(bindgate::to_json(machine)));
  return text_of(json);
}

std::string comparison_json(const MachineComparison& comparison, const std::string& then, const std::string& now) {
  Json json = document("topology-compare");
  json["then"] = {{"source", then}, {"fingerprint", comparison.then_fingerprint}};
  json["now"] = {{"source", now}, {"fingerprint", comparison.now_fingerprint}};
  json["differs"] = !comparison.nothing_differs();
  const auto all_of = [](const std::vector<MachineDifference>& differences) {
    Json all = Json::array();
    for (const MachineDifference& one : differences)
      all.push_back({{"what", one.what}, {"then", or_null(one.then)}, {"now", or_null(one.now)}, {"line", one.line}});
    return all;
  };
  json["fingerprint_fields"] = all_of(comparison.fingerprint_fields);
  json["differences"] = all_of(comparison.differences);
  json["not_compared"] = Json::array();
  for (const std::string& what : comparison.untold_then)
    json["not_compared"].push_back({{"what", what}, {"not_told", "then"}});
  for (const std::string& what : comparison.untold_now)
    json["not_compared"].push_back({{"what", what}, {"not_told", "now"}});
  return text_of(json);
}

std::string list_json(std::span<const PlannedProgram> programs) {
  Json json = document("list");
  json["cases"] = Json::array();
  for (const PlannedProgram& program : programs)
    for (const CaseInfo& info : program.cases) json["cases"].push_back(declared(info, program));
  return text_of(json);
}

std::string profile_json(const ProfileListing& listing) {
  const ProfileList& list = listing.list;
  Json json = document("list");
  json["cases"] = Json::array();
  for (const ListedCase& one : list.cases) {
    Json listed{{"case", one.name}, {"program", nullptr}};
    for (const PlannedProgram& program : listing.programs)
      for (const CaseInfo& info : program.cases)
        if (info.name == one.name) listed = declared(info, program);
    listed["iteration_seconds"] = one.iteration_ns ? Json(1e-9 * static_cast<double>(*one.iteration_ns)) : Json();
    listed["seconds"] = one.seconds;
    listed["working_set_bytes"] = or_null(one.working_set_bytes);
    listed["note"] = or_null(one.note);
    json["cases"].push_back(std::move(listed));
  }
  json["left_out"] = Json::array();
  for (const LeftOut& one : list.left_out) json["left_out"].push_back(Json(bindgate::to_json(one)));
  json["profile"] = name_of(list.profile);
  json["planned"] = list.planned;
  json["stored_in"] = or_null(listing.stored_in);
  json["rounds"] = list.rounds;
  json["members"] = list.members;
  json["seconds"] = total_seconds(list);
  json["findings"] = listing.findings;
  return text_of(json);
}

std::string run_json(const Run& run, const std::string& directory, int exit) {
  Json json = document("run");
  json["directory"] = directory;
  json["exit"] = exit;
  add_run(json, run);
  json["seed"] = run.plan.seed;
  json["spent"] = bindgate::to_json(run.spent);
  json["failures"] = Json::array();
  json["not_run"] = Json::array();
  for (const Launch& launch : run.launches) {
    if (run.abandoned.contains(launch.id)) continue;
    const auto add = [&](const char* list, const Json& case_name, const std::string& reason) {
      json[list].push_back({{"case", case_name},
                            {"program", launch.program},
                            {"variant", launch.member.variant},
                            {"round", launch.round},
                            {"reason", reason}});
    };
    if (!launch.failure.empty()) add("failures", nullptr, launch.failure);
    for (const CaseRun& measured : launch.cases) {
      if (measured.outcome == CaseOutcome::failed) add("failures", measured.name, measured.reason);
      if (measured.outcome == CaseOutcome::not_run) add("not_run", measured.name, measured.reason);
    }
  }
  return text_of(json);
}

std::string accept_json(const Night& night, const Fingerprint& fingerprint, const std::string& directory,
                        const std::vector<std::string>& cases, const std::vector<std::string>& unusable) {
  Json json = document("accept");
  json["exit"] = 0;
  json["run"] = night.run;
  json["fingerprint"] = fingerprint.id();
  json["directory"] = directory;
  json["cases"] = cases;
  json["unusable"] = unusable;
  json["level"] = night.level;
  json["accepted"] = night.accepted;
  json["note"] = or_null(night.note);
  json["forced"] = night.forced;
  return text_of(json);
}

}  // namespace bindgate
