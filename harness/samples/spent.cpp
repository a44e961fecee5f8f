#include "samples/spent.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace bindgate {
namespace {

struct Part {
  const char* key;
  const char* name;
  double Spent::*seconds;
};
constexpr Part measuring_parts[] = {{"warm_up", "warm-up", &Spent::warm_up},
                                    {"readings", "readings", &Spent::readings},
                                    {"lead_in", "lead-in", &Spent::lead_in},
                                    {"blocks", "blocks", &Spent::blocks}};
constexpr Part other_parts[] = {
    {"planning", "planning", &Spent::planning}, {"start_up", "start-up", &Spent::start_up},
    {"set_up", "set-up", &Spent::set_up},       {"protocol", "protocol", &Spent::protocol},
    {"proof", "proof", &Spent::proof},          {"waiting", "waiting", &Spent::waiting},
    {"journal", "journal", &Spent::journal},    {"tear_down", "tear-down", &Spent::tear_down}};
constexpr Part whole{"wall", "wall", &Spent::wall};

template <class Do>
void for_all(Do each) {
  for (const Part& part : measuring_parts) each(part);
  for (const Part& part : other_parts) each(part);
  each(whole);
}

}  // namespace

Spent& Spent::operator+=(const Spent& other) {
  for_all([&](const Part& part) { this->*part.seconds += other.*part.seconds; });
  return *this;
}

std::string describe(const Spent& spent) {
  if (spent.wall <= 0) return "";
  const auto per_cent = [&](double seconds) { return std::lround(100 * seconds / spent.wall); };
  const auto add = [&](std::string& list, const std::string& name, double seconds) {
    if (const long share = per_cent(seconds); share > 0)
      list += (list.empty() ? "" : ", ") + name + ' ' + std::to_string(share);
  };
  std::string inside, outside;
  double rest = spent.wall - spent.measuring();
  for (const Part& part : measuring_parts) add(inside, part.name, spent.*part.seconds);
  for (const Part& part : other_parts) {
    add(outside, part.name, spent.*part.seconds);
    rest -= spent.*part.seconds;
  }
  add(outside, "rest", rest);
  return std::to_string(per_cent(spent.measuring())) + " % measuring" + (inside.empty() ? "" : " (" + inside + ')') +
         (outside.empty() ? "" : ", " + outside);
}

nlohmann::json to_json(const Spent& spent) {
  nlohmann::json json;
  for_all([&](const Part& part) { json[part.key] = spent.*part.seconds; });
  return json;
}

Spent read_spent(const JsonCursor& cursor) {
  static constexpr double longest_seconds = 1e9;
  Spent spent;
  for_all([&](const Part& part) {
    if (const auto seconds = cursor.find(part.key)) spent.*part.seconds = seconds->number(0, longest_seconds);
  });
  return spent;
}

}  // namespace bindgate
