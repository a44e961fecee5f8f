#include "cli/profile_planning.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/names.hpp"
#include "core/units.hpp"
#include "runner/turn_rules.hpp"

namespace bindgate {
namespace {

using Seconds = std::chrono::duration<double>;

// Beside its block, a turn reads two reference kernels of about a millisecond and leads in with an iteration, or
// with short ones for a while.
constexpr std::int64_t references_ns = 2'000'000, lead_in_ns = 300'000;

// Cases of few samples go on after the planned turns, until there are enough or they have had their time.
unsigned turns_to_expect(const TurnPlan& plan, std::int64_t block) {
  const auto enough = [&](std::int64_t turns) {
    return is_enough({turns * plan.samples, turns * plan.samples}) || turns * block >= longest_case_ns;
  };
  unsigned turns = plan.turns;
  while (!enough(turns)) ++turns;
  return turns;
}

struct Candidate {
  const ProbedProgram* program = nullptr;
  const ProbedCase* probed = nullptr;
};

std::vector<Candidate> in_order(std::span<const ProbedProgram> programs) {
  std::vector<Candidate> candidates;
  for (const Profile profile : {Profile::quick, Profile::nightly, Profile::thorough}) {
    std::vector<std::vector<Candidate>> own(programs.size());
    std::size_t longest = 0;
    for (std::size_t p = 0; p < programs.size(); ++p) {
      for (std::size_t i = 0; i < programs[p].cases.size(); ++i)
        if (programs[p].cases[i].profile == profile) own[p].push_back({&programs[p], &programs[p].probed[i]});
      longest = std::max(longest, own[p].size());
    }
    for (std::size_t i = 0; i < longest; ++i)
      for (const auto& cases : own)
        if (i < cases.size()) candidates.push_back(cases[i]);
  }
  return candidates;
}

ListedCase listed_case(const ProbedCase& probed) {
  ListedCase listed;
  listed.name = probed.name;
  if (probed.outcome != CaseOutcome::ok)
    listed.note = (probed.outcome == CaseOutcome::not_run ? "not run: " : "failed: ") + probed.reason;
  if (probed.warmup_ns.empty()) return listed;
  listed.iteration_ns = iteration_ns(probed.warmup_ns);
  listed.working_set_bytes = probed.working_set_bytes;
  return listed;
}

std::string in_minutes(double seconds) {
  return format_duration(Seconds(seconds));
}

}  // namespace

Effort effort_of(Profile profile) {
  switch (profile) {
    case Profile::quick:
      return {6, 60, 8};
    case Profile::nightly:
      return {6, 100, 12};
    case Profile::thorough:
      break;
  }
  return {24, 100, 12};
}

double seconds_of_a_launch(const ProbedCase& probed, const Effort& effort, unsigned threads) {
  const double set_up = probed.set_up_seconds.value_or(0);
  if (probed.warmup_ns.empty()) return set_up;
  const std::int64_t times_longer = std::max(1U, probed.threads / std::max(1U, threads));
  const std::int64_t iteration = iteration_ns(probed.warmup_ns) * times_longer;
  const TurnPlan plan = plan_turns(probed.warmup_ns, effort.turns, effort.minimum_turns);
  const std::int64_t block = plan.samples * plan.batch * iteration;
  const std::int64_t turn = block + references_ns + std::max(lead_in_ns, iteration);
  return set_up + 1e-9 * static_cast<double>(turn) * turns_to_expect(plan, block);
}

ProfileList plan_profile(Profile profile, std::span<const ProbedProgram> programs,
                         std::span<const unsigned> members, std::string planned) {
  const Effort effort = effort_of(profile);
  ProfileList list{profile, std::move(planned), effort.rounds, static_cast<unsigned>(members.size()), {}, {}};
  double left = Seconds(nightly_budget).count();
  std::set<const ProbedProgram*> started;
  for (const auto& [program, probed] : in_order(programs)) {
    ListedCase listed = listed_case(*probed);
    const double start = started.contains(program) ? 0 : program->start_seconds;
    double round = 0;
    for (const unsigned threads : members) round += start + seconds_of_a_launch(*probed, effort, threads);
    listed.seconds = std::round(10 * effort.rounds * round) / 10;
    const bool may_be_cut = profile == Profile::nightly && probed->outcome == CaseOutcome::ok;
    if (may_be_cut && listed.iteration_ns >= nightly_iteration_ns) {
      list.left_out.push_back({probed->name, "an iteration takes " +
                                                 format_seconds(1e-9 * static_cast<double>(*listed.iteration_ns)) +
                                                 "; nightly holds those below " +
                                                 format_seconds(1e-9 * nightly_iteration_ns)});
    } else if (may_be_cut && listed.seconds > left) {
      list.left_out.push_back({probed->name, "would take " + in_minutes(listed.seconds) + ", and of " +
                                                 format_duration(nightly_budget) + " only " +
                                                 in_minutes(std::max(0.0, left)) + " were left"});
    } else {
      // A broken case will be mended: it pushes nothing out for good.
      if (probed->outcome != CaseOutcome::failed) left -= listed.seconds;
      started.insert(program);
      list.cases.push_back(std::move(listed));
    }
  }
  return list;
}

Result<ListedSelection> select_listed(std::span<const Program> programs, const ProfileList& list,
                                      const std::string& file) {
  const std::string profile(name_of(list.profile));
  std::set<std::string> listed, gone;
  for (const ListedCase& one : list.cases) listed.insert(one.name);
  std::map<std::string, std::string> reasons;
  for (const LeftOut& one : list.left_out)
    reasons[one.case_name] = "left out of the " + profile + " list: " + one.reason;
  ListedSelection selection;
  auto chosen = choose_cases(programs, [&](const CaseInfo& info) { return listed.contains(info.name); });
  if (!chosen) return tl::unexpected(chosen.error());
  selection.programs = *std::move(chosen);
  gone = listed;
  std::vector<std::string> fresh;
  for (const Program& program : programs)
    for (const CaseInfo& info : program.hello.cases) {
      gone.erase(info.name);
      if (listed.contains(info.name)) continue;
      const auto reason = reasons.find(info.name);
      if (reason != reasons.end()) {
        selection.left_out.push_back({info.name, reason->second});
      } else if (info.profile > list.profile) {
        selection.left_out.push_back({info.name, outside(list.profile)});
      } else {
        selection.left_out.push_back({info.name, "new since the " + profile + " list was made"});
        fresh.push_back(info.name);
      }
    }
  const std::string anew = "; delete " + file + " to plan anew";
  if (!fresh.empty())
    selection.findings.push_back("new since the " + profile + " list was made, and not measured: " + joined(fresh) +
                                 anew);
  if (!gone.empty())
    selection.findings.push_back("in the " + profile + " list, and no program has it any more: " +
                                 joined(std::vector<std::string>(gone.begin(), gone.end())) + anew);
  return selection;
}

std::chrono::duration<double> estimate_for(const ProfileList& list, unsigned rounds, unsigned members) {
  const double share = static_cast<double>(rounds) * members / (static_cast<double>(list.rounds) * list.members);
  return Seconds(total_seconds(list) * share);
}

}  // namespace bindgate
