#include "verdict/series.hpp"

#include <algorithm>

namespace bindgate {
namespace {

bool counts(const Run& run, const Launch& launch) {
  return launch.member.purpose == Purpose::measure && run.rounds.contains(launch.round) &&
         !run.abandoned.contains(launch.id);
}

/// The variant that asks for nothing; its launches run where the system puts them.
bool claims_something(const Launch& launch) {
  return launch.member.variant != "none" || launch.placement.memory.policy != MemoryPolicy::default_policy;
}

/// What went wrong in how many launches, told by the first.
struct Mishaps {
  unsigned count = 0;
  std::string reason, first;  ///< without and with its round

  void add(const Launch& launch, const std::string& what) {
    if (count++ > 0) return;
    reason = what;
    first = what + " (round " + std::to_string(launch.round + 1) + ")";
  }
  [[nodiscard]] std::string told(std::size_t launches) const {
    return count < 2 ? first
                     : first + ", in " + std::to_string(count) + " of " + std::to_string(launches) + " launches";
  }
};

class Sorter {
 public:
  Sorter(const Run& run, const PlannedProgram& program, const CaseInfo& info) : info_(info) {
    for (const Launch& launch : run.launches)
      if (launch.program == program.name && counts(run, launch)) launches_.push_back(&launch);
  }

  void fill(Series& series) const {
    Mishaps failures, unproven, absences;
    std::size_t launches = 0;
    for (const Launch* launch : launches_) {
      if (launch->member.variant != series.variant) continue;
      ++launches;
      take_in(*launch, series, failures, unproven, absences);
    }
    series.not_run = absences.reason;
    // What this machine cannot run, it cannot run in any launch.
    if (absences.count > 0 && absences.count < launches && failures.count == 0)
      series.failure = "not run: " + absences.told(launches) + ", and run in others";
    else
      series.failure = failures.told(launches);
    series.unproven = unproven.told(launches);
  }

 private:
  void take_in(const Launch& launch, Series& series, Mishaps& failures, Mishaps& unproven,
               Mishaps& absences) const {
    const auto run = std::find_if(launch.cases.begin(), launch.cases.end(),
                                  [&](const CaseRun& candidate) { return candidate.name == info_.name; });
    const bool absent = run == launch.cases.end();
    if (absent || run->outcome == CaseOutcome::unfinished) {
      if (!launch.failure.empty()) return failures.add(launch, launch.failure);
      if (!absent) return failures.add(launch, "did not end");
      return absences.add(launch, "its launch ended before it");
    }
    if (run->outcome == CaseOutcome::failed) return failures.add(launch, run->reason);
    if (run->outcome == CaseOutcome::not_run) return absences.add(launch, run->reason);
    if (blameless_but_crashed(launch)) return failures.add(launch, launch.failure);
    if (run->proof && run->proof->status == ProofStatus::violated)
      return failures.add(launch, "binding violated: " + run->proof->detail);
    if (claims_something(launch) && (!run->proof || run->proof->status == ProofStatus::unverifiable))
      return unproven.add(launch, run->proof ? run->proof->detail : "the journal holds no proof");
    (launch.member.role == Role::twin ? series.twins : series.launches).push_back({&launch, &*run, &info_});
  }

  /// A process that fails outside its cases casts doubt on all of them.
  static bool blameless_but_crashed(const Launch& launch) {
    return !launch.failure.empty() && std::none_of(launch.cases.begin(), launch.cases.end(), [](const CaseRun& run) {
      return run.outcome == CaseOutcome::unfinished || run.outcome == CaseOutcome::failed;
    });
  }

  const CaseInfo& info_;
  std::vector<const Launch*> launches_;
};

}  // namespace

std::vector<Series> series_of(const Run& run) {
  std::vector<Series> all;
  for (const PlannedProgram& program : run.plan.programs)
    for (const CaseInfo& info : program.cases) {
      const Sorter sorter(run, program, info);
      for (const PlannedVariant& variant : run.plan.variants) {
        if (variant.status == VariantStatus::skipped || !variant.same_as.empty()) continue;
        Series& series = all.emplace_back();
        series.info = &info;
        series.variant = variant.name;
        for (const PlannedVariant& other : run.plan.variants)
          if (other.same_as == variant.name) series.same_as.push_back(other.name);
        sorter.fill(series);
      }
    }
  return all;
}

}  // namespace bindgate
