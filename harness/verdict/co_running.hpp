#pragma once
// Ranks that work at once: what they get done together, and how the slowest of them fares, both against one launch of
// the base variant that has the machine to itself. Each rank is judged as a variant of its own elsewhere.

#include <string>
#include <vector>

#include "verdict/contender.hpp"

namespace bindgate {

/// A group's members at one case.
struct Group {
  struct Member {
    std::string variant, problem;
    const Rounds* rounds = nullptr;  ///< never null
  };
  std::string name;
  std::vector<Member> members;
};

/// From turns that all members and the base have. `level`: of each side of the intervals.
[[nodiscard]] CoRunning co_running(const Group& group, const Rounds& base, double level);

}  // namespace bindgate
