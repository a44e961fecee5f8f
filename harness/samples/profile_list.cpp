#include "samples/profile_list.hpp"

#include <nlohmann/json.hpp>
#include <set>

namespace bindgate {
namespace {

using Json = nlohmann::json;

constexpr const char* schema = "bindgate.profile/1";
constexpr double longest_seconds = 1e9;               // thirty years
constexpr std::int64_t longest_ns = 1'000'000'000'000'000;  // eleven days

Json to_json(const ListedCase& listed) {
  Json json{{"case", listed.name}, {"seconds", listed.seconds}};
  if (listed.iteration_ns) json["iteration_ns"] = *listed.iteration_ns;
  if (listed.working_set_bytes) json["working_set_bytes"] = *listed.working_set_bytes;
  if (!listed.note.empty()) json["note"] = listed.note;
  return json;
}

std::string read_name(const JsonCursor& cursor) {
  std::string name = cursor["case"].string();
  if (name.empty()) cursor["case"].fault("a case needs a name");
  return name;
}

ListedCase read_listed(const JsonCursor& cursor) {
  cursor.only({"case", "seconds", "iteration_ns", "working_set_bytes", "note"});
  ListedCase listed;
  listed.name = read_name(cursor);
  listed.seconds = cursor["seconds"].number(0, longest_seconds);
  if (const auto iteration = cursor.find("iteration_ns")) listed.iteration_ns = iteration->integer(1, longest_ns);
  if (const auto bytes = cursor.find("working_set_bytes"))
    listed.working_set_bytes = static_cast<std::uint64_t>(bytes->integer());
  if (const auto note = cursor.find("note")) listed.note = note->string();
  return listed;
}

// The keys of a list but its schema, which only a file of its own has.
ProfileList read_keys(const JsonCursor& cursor) {
  ProfileList list;
  list.profile = read_profile(cursor["profile"]);
  list.planned = cursor["planned"].string();
  list.rounds = static_cast<unsigned>(cursor["rounds"].integer(1, 1'000'000));
  list.members = static_cast<unsigned>(cursor["members"].integer(1, 1'000'000));
  std::set<std::string> names;
  const auto once = [&names](const JsonCursor& item, const std::string& name) {
    if (!names.insert(name).second) item["case"].fault("case \"" + name + "\" stands here twice; remove one");
  };
  for (const JsonCursor& item : cursor["cases"].items()) {
    list.cases.push_back(read_listed(item));
    once(item, list.cases.back().name);
  }
  for (const JsonCursor& item : cursor["left_out"].items()) {
    list.left_out.push_back(read_left_out(item));
    once(item, list.left_out.back().case_name);
  }
  return list;
}

// One entry a line, so that a diff shows which case came or went.
std::string lines_of(const Json& entries) {
  std::string text = "[";
  for (std::size_t i = 0; i < entries.size(); ++i)
    text += (i == 0 ? "\n  " : ",\n  ") + entries[i].dump(-1, ' ', false, Json::error_handler_t::replace);
  return text + ']';
}

}  // namespace

double total_seconds(const ProfileList& list) {
  double seconds = 0;
  for (const ListedCase& listed : list.cases) seconds += listed.seconds;
  return seconds;
}

Json to_json(const LeftOut& left_out) { return {{"case", left_out.case_name}, {"reason", left_out.reason}}; }

LeftOut read_left_out(const JsonCursor& cursor) {
  cursor.only({"case", "reason"});
  return {read_name(cursor), cursor["reason"].string()};
}

Json to_json(const ProfileList& list) {
  Json cases = Json::array(), left_out = Json::array();
  for (const ListedCase& listed : list.cases) cases.push_back(to_json(listed));
  for (const LeftOut& one : list.left_out) left_out.push_back(to_json(one));
  return {{"profile", name_of(list.profile)},
          {"planned", list.planned},
          {"rounds", list.rounds},
          {"members", list.members},
          {"cases", cases},
          {"left_out", left_out}};
}

ProfileList read_profile_list(const JsonCursor& cursor) {
  cursor.only({"profile", "planned", "rounds", "members", "cases", "left_out"});
  return read_keys(cursor);
}

std::string encode(const ProfileList& list) {
  Json json = to_json(list);
  json["schema"] = schema;
  std::string text;
  for (const auto& [key, value] : json.items())
    text += (text.empty() ? "{\n " : ",\n ") + Json(key).dump() + ':' +
            (value.is_array() ? lines_of(value) : value.dump(-1, ' ', false, Json::error_handler_t::replace));
  return text + "\n}\n";
}

Result<ProfileList> parse_profile_list(std::string_view text, const std::string& source) {
  JsonDocument document(text, source);
  const JsonCursor root = document.root();
  if (const std::string found = root["schema"].string(); document.good() && found != schema)
    root["schema"].fault("expected \"" + std::string(schema) + "\", found \"" + found +
                         "\"; is it a list of this version?");
  root.only({"schema", "profile", "planned", "rounds", "members", "cases", "left_out"});
  return document.finish(read_keys(root));
}

}  // namespace bindgate
