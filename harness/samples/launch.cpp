#include "samples/launch.hpp"

#include <array>

namespace bindgate {
namespace {

constexpr std::array<std::string_view, 2> side_names{"old", "new"};
constexpr std::array<std::string_view, 3> role_names{"base", "twin", "other"};
constexpr std::array<std::string_view, 3> purpose_names{"measure", "probe", "attribute"};
constexpr std::array<std::string_view, 4> outcome_names{"unfinished", "ok", "not_run", "failed"};

}  // namespace

std::string_view name_of(Side side) { return side_names[static_cast<std::size_t>(side)]; }
std::string_view name_of(Role role) { return role_names[static_cast<std::size_t>(role)]; }
std::string_view name_of(Purpose purpose) { return purpose_names[static_cast<std::size_t>(purpose)]; }
std::string_view name_of(CaseOutcome outcome) { return outcome_names[static_cast<std::size_t>(outcome)]; }

Side read_side(const JsonCursor& cursor) { return static_cast<Side>(cursor.one_of(side_names)); }
Role read_role(const JsonCursor& cursor) { return static_cast<Role>(cursor.one_of(role_names)); }
Purpose read_purpose(const JsonCursor& cursor) { return static_cast<Purpose>(cursor.one_of(purpose_names)); }
CaseOutcome read_case_outcome(const JsonCursor& cursor) {
  return static_cast<CaseOutcome>(cursor.one_of(outcome_names));
}

}  // namespace bindgate
