#include "verdict/reconcile.hpp"

#include <algorithm>

#include "core/names.hpp"

namespace bindgate {
namespace {

bool among(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool planned(const Plan& plan, const std::string& case_name) {
  return std::any_of(plan.programs.begin(), plan.programs.end(), [&](const PlannedProgram& program) {
    return std::any_of(program.cases.begin(), program.cases.end(),
                       [&](const CaseInfo& info) { return info.name == case_name; });
  });
}

// A case that has nights was known when the list of the run's profile was made.
bool lost_from_the_list(const Plan& plan, const LeftOut& left_out) {
  if (!plan.list || left_out.reason == outside(plan.list->profile)) return false;
  const auto& known = plan.list->left_out;
  return std::none_of(known.begin(), known.end(),
                      [&](const LeftOut& one) { return one.case_name == left_out.case_name; });
}

}  // namespace

StoredNights stored_nights(const Baseline& baseline, const Run& run) {
  StoredNights stored;
  std::map<std::string, std::string> here;
  for (const PlannedVariant& variant : run.plan.variants)
    if (variant.status != VariantStatus::skipped) here[variant.name] = describe(variant, run.rounds, run.plan.variants);
  for (const CaseHistory& history : baseline.cases) {
    if (history.nights.empty()) continue;
    const unsigned level = history.nights.back().level;
    stored.level = std::max(stored.level, level);
    for (const Night& night : history.nights) {
      if (night.level != level) continue;
      if (night.run == run.id) {
        stored.holds_the_run = true;
        continue;
      }
      if (!stored.newest || night.accepted > stored.newest->accepted) stored.newest = &night;
      if (night.forced && !among(stored.forced, night.run)) stored.forced.push_back(night.run);
      for (const auto& [variant, launches] : night.variants) {
        if (launches.empty()) continue;
        const auto there = night.placements.find(variant);
        const std::string placement = there == night.placements.end() ? "nothing told" : there->second;
        if (const auto own = here.find(variant); own != here.end() && own->second != placement) {
          stored.elsewhere[{history.case_name, variant}] = placement;
          continue;
        }
        StoredSeries& series = stored.series[{history.case_name, variant}];
        series.history = &history;
        series.nights.push_back(mean_of(launches));
        for (const NightLaunch& launch : launches)
          if (launch.mpki) series.mpki.push_back(*launch.mpki);
      }
    }
  }
  return stored;
}

Absence why_absent(const Run& run, const SeriesName& name) {
  const auto& [case_name, variant] = name;
  const Plan& plan = run.plan;
  const Selection& selection = plan.selection;
  if (!selection.cases.empty() && std::none_of(selection.cases.begin(), selection.cases.end(),
                                               [&](const std::string& glob) { return matches_glob(glob, case_name); }))
    return {false, "outside --case"};
  for (const LeftOut& one : plan.left_out)
    if (one.case_name == case_name) return {lost_from_the_list(plan, one), one.reason};
  if (!selection.variants.empty() && variant != plan.base && !among(selection.variants, variant))
    return {false, "not among the run's variants"};
  const auto own = std::find_if(plan.variants.begin(), plan.variants.end(),
                                [&](const PlannedVariant& candidate) { return candidate.name == variant; });
  // Variants with an argument are never built in, so a run without --variant does not choose them.
  if (own == plan.variants.end() && variant.find(':') != std::string::npos)
    return {false, "not among the run's variants"};

  if (!planned(plan, case_name))
    return {true, "not in this build's cases; if it is gone for good, remove its baseline file"};
  if (own == plan.variants.end())
    return {true, "this build knows no such variant; if it is gone for good, start a new level"};
  if (own->status == VariantStatus::skipped) return {true, "not run: " + own->reason};
  return {true, "run unfinished: go on with bindgate run --resume"};
}

}  // namespace bindgate
