#include "samples/case_info.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace bindgate {
namespace {

constexpr std::size_t longest_name = 200;  // with its suffix it must fit a file name's 255 bytes

constexpr std::array<std::string_view, 6> clock_names{"wall", "thread", "process", "tree", "interval", "device"};
constexpr std::array<std::string_view, 3> preemption_names{"cpu_gap", "switches", "own"};
constexpr std::array<std::string_view, 3> profile_names{"quick", "nightly", "thorough"};

// Every case has a baseline file named after it, and its name stands in globs and tables.
void check_name(const JsonCursor& cursor, const std::string& name) {
  if (name.empty()) cursor.fault("a case needs a name; write program/case/parameters");
  if (name.size() > longest_name)
    cursor.fault("is longer than " + std::to_string(longest_name) + " bytes; shorten the parameters");
  if (std::any_of(name.begin(), name.end(), [](unsigned char c) { return c <= ' ' || c == '+' || c == 127; }))
    cursor.fault("holds '+', a space or a control character; baseline files cannot be named after it");
}

}  // namespace

std::string_view name_of(Clock clock) { return clock_names[static_cast<std::size_t>(clock)]; }
std::string_view name_of(Preemption preemption) { return preemption_names[static_cast<std::size_t>(preemption)]; }
std::string_view name_of(Profile profile) { return profile_names[static_cast<std::size_t>(profile)]; }
Clock read_clock(const JsonCursor& cursor) { return static_cast<Clock>(cursor.one_of(clock_names)); }
Profile read_profile(const JsonCursor& cursor) { return static_cast<Profile>(cursor.one_of(profile_names)); }

nlohmann::json to_json(const CaseInfo& info) {
  return {{"name", info.name},
          {"label", info.label},
          {"shape", info.shape},
          {"operations", info.operations},
          {"bytes", info.bytes},
          {"items", info.items},
          {"item", info.item},
          {"against", info.against},
          {"primary", name_of(info.primary)},
          {"preemption", name_of(info.preemption)},
          {"profile", name_of(info.profile)}};
}

CaseInfo read_case_info(const JsonCursor& cursor) {
  CaseInfo info;
  info.name = cursor["name"].string();
  check_name(cursor["name"], info.name);
  if (const auto label = cursor.find("label")) info.label = label->string();
  if (const auto shape = cursor.find("shape")) info.shape = shape->string_map();
  if (const auto operations = cursor.find("operations")) info.operations = operations->number(0);
  if (const auto bytes = cursor.find("bytes")) info.bytes = bytes->number(0);
  if (const auto items = cursor.find("items")) info.items = items->number(0);
  if (const auto item = cursor.find("item")) info.item = item->string();
  if (const auto against = cursor.find("against")) info.against = against->string();
  if (const auto primary = cursor.find("primary")) info.primary = read_clock(*primary);
  if (const auto preemption = cursor.find("preemption"))
    info.preemption = static_cast<Preemption>(preemption->one_of(preemption_names));
  if (const auto profile = cursor.find("profile")) info.profile = read_profile(*profile);
  return info;
}

}  // namespace bindgate
