#pragma once
// A small run with every kind of thing in it, made of fixed values. Tests change what they are about.

#include <string>

#include "samples/run.hpp"

namespace bindgate::testing {

inline CaseInfo example_case(const std::string& name) {
  CaseInfo info;
  info.name = name;
  info.label = "bandwidth-bound";
  info.shape = {{"m", "1"}, {"n", "4096"}};
  info.operations = 33554432;
  info.bytes = 67125248;
  info.primary = Clock::thread;
  info.preemption = Preemption::cpu_gap;
  info.profile = Profile::quick;
  return info;
}

inline Placement example_placement() {
  Placement placement;
  placement.cpus = IndexSet{0, 1};
  placement.memory = {MemoryPolicy::bind, IndexSet{0}};
  placement.threads = 2;
  placement.environment = {{"OMP_PLACES", "cores"}};
  return placement;
}

inline Block example_block(unsigned turn) {
  Block block;
  block.turn = turn;
  block.nanoseconds = {{Clock::wall, {510'000 + turn, 511'000}}, {Clock::thread, {500'000 + turn, 501'000}}};
  block.forced = {0, 0};
  block.indicators = {3, 0, 1, 0, 0};
  block.references = {{ReferenceKernel::compute, {250'000, 251'000}}, {ReferenceKernel::dram, {900'000, 901'000}}};
  return block;
}

inline CaseRun example_case_run(const std::string& name, unsigned turns) {
  CaseRun run;
  run.name = name;
  run.outcome = CaseOutcome::ok;
  run.warmup_ns = {900'000, 600'000, 500'000};
  run.batch = 4;
  run.threads = 2;
  run.working_set_bytes = 67125248;
  for (unsigned turn = 0; turn < turns; ++turn) run.blocks.push_back(example_block(turn));
  run.proof = Proof{ProofStatus::held, "", 3, {{0, 67125248}}, 2};
  return run;
}

inline Launch example_launch(unsigned id, unsigned round, const std::string& variant, Role role) {
  Launch launch;
  launch.id = id;
  launch.round = round;
  launch.program = "bench_matmul";
  launch.member = {variant, Side::new_side, role, Purpose::measure};
  launch.pid = 4711;
  launch.placement = example_placement();
  launch.build_type = "Release";
  launch.libraries = {{"torch", "1.13.1"}};
  launch.settings = {{"blas_core", "Haswell"}};
  launch.loaded = {"/usr/lib/libtorch_cpu.so"};
  launch.environment = {{"OMP_WAIT_POLICY", "passive"}};
  launch.removed = {"OMP_NUM_THREADS"};
  launch.cases = {example_case_run("matmul/f32/m=1", 2)};
  launch.wall_seconds = 1.5;
  launch.others_cpu_seconds = 0.02;
  launch.steal_seconds = 0;
  return launch;
}

inline Run example_run_header() {
  Run run;
  run.id = "2026-01-31T23-59-59Z";
  run.started = "2026-01-31T23:59:59Z";
  run.bindgate_version = "0.1.0";
  run.bindgate_build = "Release";
  run.machine = R"({"nodes":[{"cpus":"0-1","id":0}]})";
  run.fingerprint.fields = {{"cpu", "AMD EPYC 9554"}, {"memory", "64 GiB"}, {"nodes", "1"}};
  run.environment = {{"kernel", "6.1.0-18-amd64"}, {"governor", "performance"}};
  run.findings = {"the BLAS core 'Prescott' is below this CPU; Haswell is used instead"};
  run.plan.selection = {{"matmul/*"}, {"taskset"}, Profile::quick};
  run.plan.rounds = 2;
  run.plan.seed = 9'000'000'000'000'000'000ull;
  PlannedVariant skipped;
  skipped.name = "remote";
  skipped.status = VariantStatus::skipped;
  skipped.reason = "this machine has one node";
  run.plan.variants = {{"none", VariantStatus::ok, "", "", example_placement()},
                       {"taskset", VariantStatus::degraded, "no memory policy", "none", example_placement()},
                       skipped};
  run.plan.programs = {{"bench_matmul", "/opt/bin/bench_matmul", "8d3f", {{"MALLOC_TOP_PAD_", "67108864"}}, {example_case("matmul/f32/m=1")}}};
  return run;
}

/// Two complete rounds of base, twin and another variant.
inline Run example_run() {
  Run run = example_run_header();
  unsigned id = 0;
  for (unsigned round = 0; round < 2; ++round) {
    run.launches.push_back(example_launch(id++, round, "none", Role::base));
    run.launches.push_back(example_launch(id++, round, "none", Role::twin));
    run.launches.push_back(example_launch(id++, round, "numactl", Role::other));
    run.rounds.insert(round);
  }
  run.finished = true;
  return run;
}

}  // namespace bindgate::testing
