#include "samples/night.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace bindgate {
namespace {

using Json = nlohmann::json;

constexpr const char* schema = "bindgate.baseline/1";
constexpr double longest_ns = 1e15;  // eleven days

// A double that is a whole number without ".0": a night's file grows for years.
Json shortest(double value) {
  constexpr double exact = 9007199254740992.0;  // 2^53
  if (std::abs(value) < exact && value == std::trunc(value)) return static_cast<std::int64_t>(value);
  return value;
}

Json to_json(const NightLaunch& launch) {
  Json json{{"round", launch.round},
            {"role", name_of(launch.role)},
            {"median_ns", shortest(launch.median_ns)},
            {"spread", shortest(launch.spread)}};
  for (const auto& [kernel, reading] : launch.references_ns)
    json["references_ns"][std::string(name_of(kernel))] = shortest(reading);
  if (launch.mpki) json["mpki"] = shortest(*launch.mpki);
  return json;
}

NightLaunch read_launch(const JsonCursor& cursor) {
  cursor.only({"round", "role", "median_ns", "spread", "references_ns", "mpki"});
  NightLaunch launch;
  launch.round = static_cast<unsigned>(cursor["round"].integer(0, 1'000'000));
  launch.role = read_role(cursor["role"]);
  launch.median_ns = cursor["median_ns"].number(1e-6, longest_ns);
  launch.spread = cursor["spread"].number(0, 1e6);
  if (const auto references = cursor.find("references_ns")) {
    references->only({"compute", "l2", "l3", "dram", "chase", "faults"});
    for (const ReferenceKernel kernel : reference_kernels)
      if (const auto reading = references->find(name_of(kernel)))
        launch.references_ns[kernel] = reading->number(1e-6, longest_ns);
  }
  if (const auto mpki = cursor.find("mpki")) launch.mpki = mpki->number(0, 1e6);
  return launch;
}

// One launch a line: a diff of two nights can then be read, and a night of six rounds fits a screen.
std::string encode(const Night& night) {
  const Json facts{{"accepted", night.accepted},     {"environment", night.environment},
                   {"forced", night.forced},         {"level", night.level},
                   {"measured", night.measured},     {"note", night.note},
                   {"placements", night.placements}, {"run", night.run}};
  std::string text = facts.dump(-1, ' ', false, Json::error_handler_t::replace);  // a note is whatever was typed
  text.back() = ',';
  text += "\"variants\":{";
  for (auto variant = night.variants.begin(); variant != night.variants.end(); ++variant) {
    text += (variant == night.variants.begin() ? "\n  " : ",\n  ") + Json(variant->first).dump() + ":[";
    for (std::size_t i = 0; i < variant->second.size(); ++i)
      text += (i == 0 ? "\n   " : ",\n   ") + to_json(variant->second[i]).dump();
    text += ']';
  }
  return text + "}}";
}

Night read_night(const JsonCursor& cursor) {
  cursor.only({"run", "measured", "accepted", "note", "level", "forced", "environment", "placements", "variants"});
  Night night;
  night.run = cursor["run"].string();
  night.measured = cursor["measured"].string();
  night.accepted = cursor["accepted"].string();
  night.note = cursor["note"].string();
  night.level = static_cast<unsigned>(cursor["level"].integer(0, 1'000'000));
  night.forced = cursor["forced"].boolean();
  night.environment = cursor["environment"].string_map();
  night.placements = cursor["placements"].string_map();
  for (const auto& [variant, launches] : cursor["variants"].members()) {
    auto& list = night.variants[variant];
    for (const JsonCursor& launch : launches.items()) list.push_back(read_launch(launch));
    if (list.empty()) launches.fault("a variant needs at least one launch; remove it or accept the run again");
  }
  return night;
}

}  // namespace

std::string encode(const CaseHistory& history) {
  std::string text = "{\n \"case\":" + Json(history.case_name).dump() +
                     ",\n \"clock\":" + Json(name_of(history.clock)).dump() +
                     ",\n \"fingerprint\":" + Json(history.fingerprint.fields).dump() + ",\n \"nights\":[";
  for (std::size_t i = 0; i < history.nights.size(); ++i) text += (i == 0 ? "\n " : ",\n ") + encode(history.nights[i]);
  return text + "],\n \"schema\":" + Json(schema).dump() + "\n}\n";
}

Result<CaseHistory> parse_case_history(std::string_view text, const std::string& source) {
  JsonDocument document(text, source);
  const JsonCursor root = document.root();
  if (const std::string found = root["schema"].string(); document.good() && found != schema)
    root["schema"].fault("expected \"" + std::string(schema) + "\", found \"" + found +
                         "\"; is it a baseline of this version?");
  root.only({"schema", "case", "fingerprint", "clock", "nights"});
  CaseHistory history;
  history.case_name = root["case"].string();
  history.fingerprint.fields = root["fingerprint"].string_map();
  history.clock = read_clock(root["clock"]);
  for (const JsonCursor& item : root["nights"].items()) {
    Night night = read_night(item);
    if (!history.nights.empty() && night.level < history.nights.back().level)
      item["level"].fault("is below the level of the night before; nights stand in order of acceptance");
    for (const Night& earlier : history.nights)
      if (earlier.run == night.run) item["run"].fault("run \"" + night.run + "\" stands here twice; remove one");
    history.nights.push_back(std::move(night));
  }
  return document.finish(std::move(history));
}

}  // namespace bindgate
