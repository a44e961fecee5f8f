#include "samples/case_info.hpp"

#include <array>
#include <nlohmann/json.hpp>

namespace bindgate {
namespace {

constexpr std::array<std::string_view, 5> clock_names{"wall", "thread", "process", "tree", "device"};
constexpr std::array<std::string_view, 2> preemption_names{"cpu_gap", "switches"};
constexpr std::array<std::string_view, 3> profile_names{"quick", "nightly", "thorough"};

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
          {"primary", name_of(info.primary)},
          {"preemption", name_of(info.preemption)},
          {"profile", name_of(info.profile)}};
}

CaseInfo read_case_info(const JsonCursor& cursor) {
  CaseInfo info;
  info.name = cursor["name"].string();
  if (info.name.empty()) cursor["name"].fault("a case needs a name; write program/case/parameters");
  if (const auto label = cursor.find("label")) info.label = label->string();
  if (const auto shape = cursor.find("shape")) info.shape = shape->string_map();
  if (const auto operations = cursor.find("operations")) info.operations = operations->number(0);
  if (const auto bytes = cursor.find("bytes")) info.bytes = bytes->number(0);
  if (const auto items = cursor.find("items")) info.items = items->number(0);
  if (const auto item = cursor.find("item")) info.item = item->string();
  if (const auto primary = cursor.find("primary")) info.primary = read_clock(*primary);
  if (const auto preemption = cursor.find("preemption"))
    info.preemption = static_cast<Preemption>(preemption->one_of(preemption_names));
  if (const auto profile = cursor.find("profile")) info.profile = read_profile(*profile);
  return info;
}

}  // namespace bindgate
