#include "samples/journal_lines.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace bindgate::journal_lines {
namespace {

using Json = nlohmann::ordered_json;  // "line" and ids lead, so that a person can read along

std::string one_line(const Json& json) { return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); }

}  // namespace

std::string header(const Run& run) {
  Json json{{"line", "run"},
            {"schema", schema},
            {"id", run.id},
            {"started", run.started},
            {"bindgate", {{"version", run.bindgate_version}, {"build", run.bindgate_build}}},
            {"fingerprint", run.fingerprint.fields},
            {"environment", run.environment},
            {"findings", run.findings},
            {"machine", Json::accept(run.machine) ? Json::parse(run.machine) : Json()},
            {"plan", to_json(run.plan)}};
  return one_line(json);
}

std::string launch_started(const Launch& launch) {
  return one_line({{"line", "launch"},
                   {"launch", launch.id},
                   {"round", launch.round},
                   {"program", launch.program},
                   {"member",
                    {{"variant", launch.member.variant},
                     {"side", name_of(launch.member.side)},
                     {"role", name_of(launch.member.role)},
                     {"purpose", name_of(launch.member.purpose)}}},
                   {"pid", launch.pid},
                   {"placement", to_json(launch.placement)},
                   {"build_type", launch.build_type},
                   {"libraries", launch.libraries},
                   {"settings", launch.settings},
                   {"loaded", launch.loaded},
                   {"environment", launch.environment},
                   {"removed", launch.removed}});
}

std::string case_started(unsigned launch, const CaseRun& run) {
  return one_line({{"line", "case"},
                   {"launch", launch},
                   {"case", run.name},
                   {"warmup_ns", run.warmup_ns},
                   {"batch", run.batch},
                   {"threads", run.threads},
                   {"working_set_bytes", run.working_set_bytes}});
}

std::string block(unsigned launch, std::string_view case_name, const Block& block) {
  Json json{{"line", "block"}, {"launch", launch}, {"case", case_name}};
  json.update(Json(to_json(block)));
  return one_line(json);
}

std::string case_ended(unsigned launch, const CaseRun& run) {
  Json json{{"line", "case_ended"},
            {"launch", launch},
            {"case", run.name},
            {"outcome", name_of(run.outcome)},
            {"reason", run.reason}};
  if (!run.figures.empty()) json["figures"] = run.figures;
  if (run.wall_seconds) json["wall_seconds"] = *run.wall_seconds;
  if (run.others_cpu_seconds) json["others_cpu_seconds"] = *run.others_cpu_seconds;
  if (run.steal_seconds) json["steal_seconds"] = *run.steal_seconds;
  if (run.proof) json["proof"] = to_json(*run.proof);
  return one_line(json);
}

std::string launch_ended(const Launch& launch) {
  Json json{{"line", "launch_ended"}, {"launch", launch.id}, {"failure", launch.failure}};
  if (!launch.output_tail.empty()) json["output_tail"] = launch.output_tail;
  if (launch.wall_seconds) json["wall_seconds"] = *launch.wall_seconds;
  if (launch.others_cpu_seconds) json["others_cpu_seconds"] = *launch.others_cpu_seconds;
  if (launch.steal_seconds) json["steal_seconds"] = *launch.steal_seconds;
  return one_line(json);
}

std::string round_completed(unsigned round, const Spent& spent) {
  Json json{{"line", "round_completed"}, {"round", round}};
  if (spent != Spent{}) json["spent"] = to_json(spent);
  return one_line(json);
}

std::string resumed() { return one_line({{"line", "resumed"}}); }

std::string stopped(std::string_view reason) { return one_line({{"line", "stopped"}, {"reason", reason}}); }

std::string finished() { return one_line({{"line", "finished"}}); }

}  // namespace bindgate::journal_lines
