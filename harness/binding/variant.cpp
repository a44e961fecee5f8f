#include "binding/variant.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "binding/environment.hpp"
#include "binding/expression.hpp"
#include "binding/memory_wish.hpp"
#include "core/names.hpp"
#include "core/printable.hpp"

namespace bindgate {
namespace {

constexpr std::string_view schema = "bindgate.variants/1";
constexpr std::array<std::string_view, 5> parameter_names{"node", "memory-node", "device", "cpus", "rank"};
constexpr std::array<std::string_view, 4> profile_names{"quick", "nightly", "thorough", "asked"};
constexpr std::array<std::string_view, 3> wrapper_names{"taskset", "numactl", "hwloc-bind"};
constexpr std::string_view with_trainer = "with-trainer";
constexpr std::size_t longest_name = 60;
constexpr unsigned most_threads = 4096, most_for_a_cpu = 16, most_ranks = 64;

// Stands in for a machine's values while the form of a family's texts is checked.
const std::string& sample_of(Parameter parameter) {
  static const std::string id = "0", address = "0000:00:00.0";
  return parameter == Parameter::device ? address : id;
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t place = 0; (place = text.find(what, place)) != std::string::npos; place += by.size())
    text.replace(place, what.size(), by);
}

void check_name(const JsonCursor& cursor, const std::string& name) {
  const auto may_stand = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("-._:").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (name.empty() || name.size() > longest_name || !std::all_of(name.begin(), name.end(), may_stand))
    cursor.fault("a name is 1 to " + std::to_string(longest_name) + " letters, digits and -._:");
  if (name.ends_with("-degraded")) cursor.fault("'-degraded' is what a variant is called that was refused in part");
}

// What is left in braces; neither expressions nor memory words have any.
void check_filled_in(const JsonCursor& cursor, const std::string& text) {
  const auto brace = text.find('{');
  if (brace == std::string::npos) return;
  const std::string name = text.substr(brace + 1, text.find('}', brace) - brace - 1), placeholder = '{' + name + '}';
  const std::vector<std::string> known(parameter_names.begin(), parameter_names.end());
  if (std::find(known.begin(), known.end(), name) == known.end())
    cursor.fault("nothing is put in place of " + placeholder + suggest(name, known));
  else if (name == name_of(Parameter::rank))
    cursor.fault(placeholder + " needs \"ranks\", as \"ranks\": 2");
  else
    cursor.fault(placeholder + " needs \"for\", as \"for\": [\"" + name + "\"]: a variant for each");
}

std::optional<AnyOf> check_expression(const JsonCursor& cursor, const std::string& text) {
  const auto expression = Expression::parse(text);
  if (expression) return expression->open();
  check_filled_in(cursor, text);
  cursor.fault(expression.error().message);
  return std::nullopt;
}

// Of the texts as they are for one member, at the places where they stand.
void check_texts(const JsonCursor& cursor, const Variant& variant) {
  std::vector<std::string> values;
  for (const Parameter parameter : variant.family) values.push_back(sample_of(parameter));
  const Variant member = member_of(variant, values);
  const auto open = cursor.find("cpus") ? check_expression(cursor["cpus"], member.cpus) : std::nullopt;
  if (member.workers != with_trainer) {
    const auto workers = check_expression(cursor["workers"], member.workers);
    if (open && workers && *open != *workers)
      cursor["workers"].fault("leaves another choice open than cpus; one variant has one");
  }
  if (const auto memory = MemoryWish::parse(member.memory); !memory && cursor.find("memory")) {
    check_filled_in(cursor["memory"], member.memory);
    cursor["memory"].fault(memory.error().message);
  }
  if (const auto threads = parse_threads(member.threads); !threads && cursor.find("threads"))
    cursor["threads"].fault(threads.error().message);
}

std::string text_or(const JsonCursor& cursor, std::string_view key, std::string otherwise) {
  const auto found = cursor.find(key);
  return found ? found->string() : otherwise;
}

std::vector<Parameter> read_family(const JsonCursor& cursor) {
  std::vector<Parameter> family;
  for (const JsonCursor& one : cursor.items()) {
    const auto parameter = static_cast<Parameter>(one.one_of(parameter_names));
    if (std::find(family.begin(), family.end(), parameter) != family.end()) one.fault("stands here twice");
    if (parameter == Parameter::rank) one.fault("say how many: \"ranks\": 2 in place of \"for\"");
    family.push_back(parameter);
  }
  if (family.empty()) cursor.fault("names nothing to make members for; leave it out");
  return family;
}

std::string forms_of_threads() {
  return "1 to " + std::to_string(most_threads) + ", per-cpu, per-core, or up to " + std::to_string(most_for_a_cpu) +
         " for each CPU, as 2-per-cpu";
}

// As POSIX has them (XBD 8.1).
bool is_name_of_variable(std::string_view name) {
  const auto may_stand = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::all_of(name.begin(), name.end(), may_stand);
}

// Threads may be written as a number.
std::string read_threads(const JsonCursor& cursor) {
  if (cursor.is_string()) return cursor.string();
  if (!cursor.is_number()) cursor.fault("expected " + forms_of_threads() + "; found " + cursor.dump());
  return std::to_string(cursor.integer(1, most_threads));
}

std::map<std::string, std::string> read_environment(const JsonCursor& cursor) {
  std::map<std::string, std::string> environment;
  for (const auto& [name, setting] : cursor.members()) {
    const std::string value = setting.string();
    if (!is_name_of_variable(name))
      setting.fault("no variable has such a name; write letters, digits and _, no digit first");
    if (printable(value) != value) setting.fault("holds a control character; leave it out");
    if (name.starts_with("BINDGATE_")) setting.fault("is for bindgate to set; see workers and threads");
    if (is_set_to_threads(name)) setting.fault("is set to the number of threads; use the key threads");
    environment.emplace(name, value);
  }
  return environment;
}

Variant read_variant(const JsonCursor& cursor) {
  cursor.only({"name", "meaning", "for", "cpus", "memory", "threads", "workers", "environment", "wrapper", "profile",
               "ranks"});
  Variant variant;
  variant.name = cursor["name"].string();
  check_name(cursor["name"], variant.name);
  variant.meaning = text_or(cursor, "meaning", "");
  if (const auto family = cursor.find("for")) variant.family = read_family(*family);
  if (const auto ranks = cursor.find("ranks")) {
    if (!variant.family.empty()) ranks->fault("ranks are a family by themselves; leave out \"for\"");
    variant.family = {Parameter::rank};
    variant.ranks = static_cast<unsigned>(ranks->integer(2, most_ranks));
  }
  variant.cpus = text_or(cursor, "cpus", variant.cpus);
  variant.memory = text_or(cursor, "memory", variant.memory);
  if (const auto threads = cursor.find("threads")) variant.threads = read_threads(*threads);
  variant.workers = text_or(cursor, "workers", variant.workers);
  if (const auto environment = cursor.find("environment")) variant.environment = read_environment(*environment);
  if (const auto wrapper = cursor.find("wrapper")) variant.wrapper = wrapper_names[wrapper->one_of(wrapper_names)];
  if (const auto profile = cursor.find("profile")) {
    const std::size_t position = profile->one_of(profile_names);
    variant.profile = position < 3 ? std::optional(static_cast<Profile>(position)) : std::nullopt;
  }
  check_texts(cursor, variant);
  return variant;
}

}  // namespace

std::string_view name_of(Parameter parameter) { return parameter_names[static_cast<std::size_t>(parameter)]; }

Result<ThreadWish> parse_threads(std::string_view text) {
  ThreadWish wish;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, wish.count);
  const bool counted = error == std::errc() && wish.count >= 1 && wish.count <= most_threads;
  const std::string_view word(rest, static_cast<std::size_t>(end - rest));
  if (counted && word.empty()) wish.each = ThreadWish::Each::launch;
  else if (counted && word == "-per-cpu" && wish.count <= most_for_a_cpu) wish.each = ThreadWish::Each::cpu;
  else if (text == "per-cpu") wish = {1, ThreadWish::Each::cpu};
  else if (text == "per-core") wish = {1, ThreadWish::Each::core};
  else
    return fail("'" + std::string(text) + "' is no number of threads; write " + forms_of_threads());
  return wish;
}

Variant member_of(const Variant& family, const std::vector<std::string>& values) {
  Variant member = family;
  member.family.clear();
  for (std::size_t i = 0; i < family.family.size(); ++i) {
    member.name += (i == 0 ? ':' : ',') + values.at(i);
    const std::string placeholder = '{' + std::string(name_of(family.family[i])) + '}';
    for (std::string* text : {&member.meaning, &member.cpus, &member.memory, &member.workers})
      replace_all(*text, placeholder, values.at(i));
  }
  return member;
}

Result<std::vector<Variant>> parse_variants(std::string_view text, std::string source) {
  JsonDocument document(text, std::move(source), Nulls::are_values);
  const JsonCursor root = document.root();
  root.only({"schema", "variants"});
  if (const JsonCursor place = root["schema"]; place.string() != schema)
    place.fault("expected \"" + std::string(schema) + "\", found \"" + place.string() + '"');
  std::vector<Variant> variants;
  for (const JsonCursor& one : root["variants"].items()) {
    Variant variant = read_variant(one);
    const auto is_named = [&](const Variant& earlier) { return earlier.name == variant.name; };
    if (std::any_of(variants.begin(), variants.end(), is_named))
      one["name"].fault("'" + variant.name + "' is named twice; give each its own name");
    variants.push_back(std::move(variant));
  }
  return document.finish(std::move(variants));
}

nlohmann::json to_json(const std::vector<Variant>& variants) {
  nlohmann::json json{{"schema", schema}, {"variants", nlohmann::json::array()}};
  for (const Variant& variant : variants) {
    nlohmann::json one{{"name", variant.name},       {"meaning", variant.meaning},
                       {"cpus", variant.cpus},       {"memory", variant.memory},
                       {"threads", variant.threads}, {"workers", variant.workers},
                       {"environment", variant.environment},
                       {"profile", profile_names[variant.profile ? static_cast<std::size_t>(*variant.profile) : 3]}};
    for (const Parameter parameter : variant.family)
      if (parameter != Parameter::rank) one["for"].push_back(name_of(parameter));
    if (variant.ranks > 0) one["ranks"] = variant.ranks;
    if (!variant.wrapper.empty()) one["wrapper"] = variant.wrapper;
    json["variants"].push_back(std::move(one));
  }
  return json;
}

}  // namespace bindgate
