#include "verdict/evidence.hpp"

namespace bindgate {

void Digests::learn(const Plan& plan) {
  for (const PlannedProgram& program : plan.programs)
    for (const CaseInfo& info : program.cases) planned_.emplace(std::pair(program.name, info.name), info);
}

void Digests::take(const Plan& plan, Launch& launch, CaseRun& measured) {
  if (planned_.empty()) learn(plan);
  if (const auto info = planned_.find({launch.program, measured.name}); info != planned_.end()) {
    CaseDigest digest = digest_of(measured, info->second);
    digest.warmed_up = first_calls_ && !measured.warmup_ns.empty();
    if (digest.warmed_up) digest.first_calls = first_calls(measured.warmup_ns);
    by_launch_[launch.id].insert_or_assign(measured.name, std::move(digest));
  }
  // Assigning {} would keep the memory.
  measured.blocks = std::vector<Block>();
  measured.warmup_ns = std::vector<std::int64_t>();
  launch.loaded = std::vector<std::string>();
}

const CaseDigest* Digests::find(unsigned launch, std::string_view case_name) const {
  const auto cases = by_launch_.find(launch);
  if (cases == by_launch_.end()) return nullptr;
  const auto digest = cases->second.find(case_name);
  return digest != cases->second.end() ? &digest->second : nullptr;
}

Evidence evidence_of(Run run) {
  Digests digests(true);
  for (Launch& launch : run.launches)
    for (CaseRun& measured : launch.cases) digests.take(run.plan, launch, measured);
  return {std::move(run), std::move(digests)};
}

std::vector<CountedLaunch> counted_launches(const Evidence& evidence, std::string_view program) {
  const Run& run = evidence.run;
  std::vector<CountedLaunch> counted;
  for (const Launch& launch : run.launches) {
    if (launch.program != program || launch.member.purpose != Purpose::measure || !run.rounds.contains(launch.round) ||
        run.abandoned.contains(launch.id))
      continue;
    CountedLaunch& one = counted.emplace_back();
    one.launch = &launch;
    for (const CaseRun& measured : launch.cases)
      if (const CaseDigest* digest = evidence.digests.find(launch.id, measured.name))
        one.cases.emplace(measured.name, SeriesLaunch{&launch, &measured, digest});
  }
  return counted;
}

}  // namespace bindgate
