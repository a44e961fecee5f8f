#include "verdict/series.hpp"

#include <algorithm>

namespace bindgate {
namespace {

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
  Sorter(const Evidence& evidence, const PlannedProgram& program)
      : launches_(counted_launches(evidence, program.name)) {}

  void fill(Series& series) const {
    Mishaps failures, unproven, absences;
    std::size_t launches = 0;
    for (const CountedLaunch& counted : launches_) {
      if (counted.launch->member.variant != series.variant) continue;
      ++launches;
      take_in(counted, series, failures, unproven, absences);
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
  static void take_in(const CountedLaunch& counted, Series& series, Mishaps& failures, Mishaps& unproven,
                      Mishaps& absences) {
    const Launch& launch = *counted.launch;
    const auto found = counted.cases.find(series.info->name);
    const CaseRun* run = found == counted.cases.end() ? nullptr : found->second.run;
    if (!run || run->outcome == CaseOutcome::unfinished) {
      if (!launch.failure.empty()) return failures.add(launch, launch.failure);
      if (run) return failures.add(launch, "did not end");
      return absences.add(launch, "its launch ended before it");
    }
    if (run->outcome == CaseOutcome::failed) return failures.add(launch, run->reason);
    if (run->outcome == CaseOutcome::not_run) return absences.add(launch, run->reason);
    if (blameless_but_crashed(launch)) return failures.add(launch, launch.failure);
    if (run->proof && run->proof->status == ProofStatus::violated)
      return failures.add(launch, "binding violated: " + run->proof->detail);
    if (claims_something(launch) && (!run->proof || run->proof->status == ProofStatus::unverifiable))
      return unproven.add(launch, run->proof ? run->proof->detail : "the journal holds no proof");
    (launch.member.role == Role::twin ? series.twins : series.launches).push_back(found->second);
  }

  /// A process that fails outside its cases casts doubt on all of them.
  static bool blameless_but_crashed(const Launch& launch) {
    return !launch.failure.empty() && std::none_of(launch.cases.begin(), launch.cases.end(), [](const CaseRun& run) {
      return run.outcome == CaseOutcome::unfinished || run.outcome == CaseOutcome::failed;
    });
  }

  std::vector<CountedLaunch> launches_;
};

}  // namespace

std::vector<Series> series_of(const Evidence& evidence) {
  const Plan& plan = evidence.run.plan;
  std::vector<Series> all;
  for (const PlannedProgram& program : plan.programs) {
    const Sorter sorter(evidence, program);
    for (const CaseInfo& info : program.cases)
      for (const PlannedVariant& variant : plan.variants) {
        if (variant.status == VariantStatus::skipped || !variant.same_as.empty()) continue;
        Series& series = all.emplace_back();
        series.info = &info;
        series.program = program.name;
        series.variant = variant.name;
        series.rotates = !variant.alternatives.empty();
        for (const PlannedVariant& other : plan.variants)
          if (other.same_as == variant.name) series.same_as.push_back(other.name);
        sorter.fill(series);
      }
  }
  return all;
}

}  // namespace bindgate
