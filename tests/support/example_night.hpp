#pragma once
// What a baseline stores of one run, made of fixed values with six significant digits.

#include <string>

#include "samples/night.hpp"

namespace bindgate::testing {

inline NightLaunch example_night_launch(unsigned round, Role role, double median_ns) {
  NightLaunch launch;
  launch.round = round;
  launch.role = role;
  launch.median_ns = median_ns;
  launch.spread = 0.00123456;
  double reading = 123456;
  for (const ReferenceKernel kernel : reference_kernels) launch.references_ns[kernel] = reading += 98765;
  return launch;
}

inline Night example_night(const std::string& run, unsigned rounds = 6) {
  Night night;
  night.run = run;
  night.measured = "2026-01-31T23:59:59Z";
  night.accepted = "2026-02-01T06:00:00Z";
  night.environment = {{"governor", "performance"}, {"kernel", "6.1.0-18-amd64"}};
  for (unsigned round = 0; round < rounds; ++round) {
    night.variants["none"].push_back(example_night_launch(round, Role::base, 2512340));
    night.variants["none"].push_back(example_night_launch(round, Role::twin, 2523450));
    night.variants["numactl"].push_back(example_night_launch(round, Role::other, 2401230));
  }
  return night;
}

inline Fingerprint example_fingerprint() {
  return {{{"cpu", "AMD EPYC 9554 64-Core Processor"}, {"memory", "64 GiB"}, {"nodes", "2"}}};
}

inline CaseHistory example_history(const std::string& case_name, const std::string& run, unsigned rounds = 6) {
  return {case_name, example_fingerprint(), Clock::thread, {example_night(run, rounds)}};
}

}  // namespace bindgate::testing
