#include "binding/thread_rules.hpp"

#include <strings.h>

namespace bindgate {
namespace {

bool asks_to_narrow(const Placement& placement) {
  const auto bind = placement.environment.find("OMP_PROC_BIND");
  if (bind == placement.environment.end()) return placement.environment.contains("OMP_PLACES");
  return strcasecmp(bind->second.c_str(), "false") != 0;
}

}  // namespace

const IndexSet& cpus_for(bool descendant, const Placement& placement) {
  return descendant && !placement.workers.empty() ? placement.workers : placement.cpus;
}

bool is_in_place(const IndexSet& cpus, bool descendant, const Placement& placement) {
  const IndexSet& wanted = cpus_for(descendant, placement);
  // A wider mask is never right.
  return cpus == wanted || (asks_to_narrow(placement) && wanted.contains(cpus));
}

}  // namespace bindgate
