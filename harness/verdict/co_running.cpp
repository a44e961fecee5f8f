#include "verdict/co_running.hpp"

#include <algorithm>
#include <cmath>

namespace bindgate {
namespace {

/// Of one round, over the turns that all members have.
struct GroupTimes {
  TurnTimes together;  ///< per iteration of any member: the reciprocal of their throughput
  TurnTimes slowest;
};

GroupTimes group_times(const std::vector<const TurnTimes*>& members) {
  GroupTimes times;
  for (const TurnTime& own : *members.front()) {
    double rate = 0, longest = own.log_ns;
    bool complete = true;
    for (const TurnTimes* member : members) {
      const auto found = std::lower_bound(member->begin(), member->end(), own.turn,
                                          [](const TurnTime& one, unsigned turn) { return one.turn < turn; });
      complete = complete && found != member->end() && found->turn == own.turn;
      if (!complete) break;
      rate += std::exp(-found->log_ns);
      longest = std::max(longest, found->log_ns);
    }
    if (!complete) continue;
    times.together.push_back({own.turn, -std::log(rate)});
    times.slowest.push_back({own.turn, longest});
  }
  return times;
}

}  // namespace

CoRunning co_running(const Group& group, const Rounds& base, double level) {
  CoRunning result;
  result.group = group.name;
  for (const Group::Member& member : group.members) {
    result.ranks.push_back(member.variant);
    if (result.problem.empty() && !member.problem.empty()) result.problem = member.variant + ": " + member.problem;
  }
  if (!result.problem.empty()) return result;
  Rounds together, slowest;
  for (const auto& [round, times] : *group.members.front().rounds) {
    std::vector<const TurnTimes*> members;
    for (const Group::Member& member : group.members)
      if (const auto found = member.rounds->find(round); found != member.rounds->end())
        members.push_back(&found->second);
    if (members.size() < group.members.size()) continue;
    GroupTimes both = group_times(members);
    if (both.together.empty()) continue;
    together[round] = std::move(both.together);
    slowest[round] = std::move(both.slowest);
  }
  const std::vector<double> gains = log_ratios(base, together);
  result.n = static_cast<unsigned>(gains.size());
  result.throughput = ratio_of(gains, level);
  result.slowest = ratio_of(log_ratios(slowest, base), level);
  if (!result.throughput)
    result.problem = "too few rounds: " + std::to_string(result.n) + " usable, at least " +
                     std::to_string(fewest_rounds) + " are needed";
  return result;
}

}  // namespace bindgate
