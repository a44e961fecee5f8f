// Writes a journal as large as a nightly run of a large suite, in the form that the runner writes: launches of
// one ensemble take turns, each turn is one block with the clocks, forced switches and reference readings of a real
// one. The times are made up, from a seed; nothing is measured.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "samples/journal.hpp"

namespace bindgate {
namespace {

constexpr unsigned most_variants = 8, cases_of_a_program = 25, turns = 10, libraries_loaded = 190;

/// What the command line asks for. A series is one case under one variant.
struct Size {
  unsigned series = 1000, launches = 50, samples = 100, seed = 1;
};

using Random = std::mt19937_64;

std::int64_t around(Random& random, double nanoseconds, double sd) {
  return std::llround(nanoseconds * std::exp(std::normal_distribution<>(0, sd)(random)));
}

Placement placement_of(unsigned variant) {
  Placement placement;
  placement.cpus = IndexSet{variant, variant + most_variants};
  placement.threads = 2;
  return placement;
}

CaseInfo case_of(unsigned program, unsigned number) {
  CaseInfo info;
  info.name = "made_up_" + std::to_string(program) + "/f32/" + std::to_string(number) + "x512x512";
  info.shape = {{"m", std::to_string(number)}, {"n", "512"}, {"k", "512"}};
  info.operations = 2.0 * number * 512 * 512;
  info.preemption = number % 2 == 0 ? Preemption::cpu_gap : Preemption::switches;
  return info;
}

/// A run without launches. As many cases as give the series with the most variants that divide their number.
Run plan_of(const Size& size) {
  Run run;
  run.id = "generated-" + std::to_string(size.seed);
  run.started = "2026-01-01T00:00:00Z";
  run.bindgate_version = "0";
  run.bindgate_build = "Release";
  run.fingerprint.fields = {{"cpu", "Made Up 9000"}, {"memory", "64 GiB"}, {"nodes", "1"}};
  run.environment = {{"kernel", "6.1.0"}};
  run.plan.selection.profile = Profile::nightly;
  run.plan.rounds = size.launches;
  run.plan.turns = turns;
  run.plan.seed = size.seed;
  unsigned variants = std::min(most_variants, size.series);
  while (size.series % variants != 0) --variants;
  for (unsigned i = 0; i < variants; ++i) {
    PlannedVariant& variant = run.plan.variants.emplace_back();
    variant.name = i == 0 ? "none" : "cpus:" + placement_of(i).cpus.list();
    variant.placement = placement_of(i);
  }
  for (unsigned i = 0; i < size.series / variants; ++i) {
    if (i % cases_of_a_program == 0) {
      PlannedProgram& program = run.plan.programs.emplace_back();
      program.name = "bench_made_up_" + std::to_string(run.plan.programs.size());
      program.path = "/opt/bindgate/bin/" + program.name;
    }
    auto& cases = run.plan.programs.back().cases;
    cases.push_back(case_of(static_cast<unsigned>(run.plan.programs.size()), 1 + i % cases_of_a_program));
  }
  return run;
}

Launch launch_of(unsigned id, unsigned round, const PlannedProgram& program, const PlannedVariant& variant, Role role) {
  Launch launch;
  launch.id = id;
  launch.round = round;
  launch.program = program.name;
  launch.member = {variant.name, Side::new_side, role, Purpose::measure};
  launch.pid = 10'000 + static_cast<int>(id % 20'000);
  launch.placement = variant.placement;
  launch.build_type = "Release";
  launch.libraries = {{"libtorch", "1.13.0"}, {"onednn", "2.6.3"}, {"openblas", "0.3.21"}};
  launch.settings = {{"blas_core", "Cooperlake"}, {"cpu_capability", "AVX2"}, {"threads", "2"}};
  for (unsigned i = 0; i < libraries_loaded; ++i)
    launch.loaded.push_back("/usr/lib/x86_64-linux-gnu/libmade_up_dependency_" + std::to_string(i) + ".so.1.2.3");
  launch.environment = {{"MALLOC_MMAP_THRESHOLD_", "1073741824"}, {"OMP_WAIT_POLICY", "passive"}};
  launch.wall_seconds = 30;
  launch.others_cpu_seconds = 0.25;
  launch.steal_seconds = 0.01;
  return launch;
}

CaseRun case_run_of(Random& random, const std::string& name) {
  CaseRun run;
  run.name = name;
  run.outcome = CaseOutcome::ok;
  for (unsigned i = 0; i < 11; ++i) run.warmup_ns.push_back(around(random, 1.1e6, 0.1));
  run.batch = 2;
  run.threads = 2;
  run.working_set_bytes = 3'145'728;
  run.proof = Proof{ProofStatus::held, "", 3, {{0, 3'145'728}}, 0};
  return run;
}

/// One in fifty samples was interrupted, as on a machine with some life on it.
Block block_of(Random& random, unsigned turn, unsigned samples) {
  static constexpr std::array rotating{ReferenceKernel::l2, ReferenceKernel::l3, ReferenceKernel::dram,
                                       ReferenceKernel::chase, ReferenceKernel::faults};
  Block block;
  block.turn = turn;
  std::int64_t switches = 0;
  for (unsigned i = 0; i < samples; ++i) {
    const bool interrupted = std::bernoulli_distribution(0.02)(random);
    const std::int64_t thread = around(random, 512'000, 0.01);
    const std::int64_t wall = thread + (interrupted ? around(random, 80'000, 0.2) : around(random, 700, 0.1));
    block.nanoseconds[Clock::wall].push_back(wall);
    block.nanoseconds[Clock::thread].push_back(thread);
    block.nanoseconds[Clock::process].push_back(thread * 2);
    block.forced.push_back(interrupted ? 1 : 0);
    switches += block.forced.back();
  }
  block.indicators = {std::bernoulli_distribution(0.1)(random) ? 1 : 0, 0, 3, switches, 0};
  for (const ReferenceKernel kernel : {ReferenceKernel::compute, rotating[turn % rotating.size()]})
    for (unsigned i = 0; i < 3; ++i) block.references[kernel].push_back(around(random, 410'000, 0.005));
  return block;
}

/// One round of one program: all its launches alive together.
class Ensemble {
 public:
  Ensemble(Journal& journal, Random& random, const Run& run, unsigned samples)
      : journal_(journal), random_(random), run_(run), samples_(samples) {}

  Result<void> write(unsigned round, const PlannedProgram& program) {
    std::vector<Launch> launches;
    for (const PlannedVariant& variant : run_.plan.variants) {
      const bool base = variant.name == run_.plan.base;
      launches.push_back(launch_of(next_launch_++, round, program, variant, base ? Role::base : Role::other));
      if (base) launches.push_back(launch_of(next_launch_++, round, program, variant, Role::twin));
    }
    for (const Launch& launch : launches) require(journal_.launch_started(launch));
    for (const CaseInfo& info : program.cases) {
      const CaseRun measured = case_run_of(random_, info.name);
      for (const Launch& launch : launches) require(journal_.case_started(launch.id, measured));
      for (unsigned turn = 0; turn < turns; ++turn)
        for (const Launch& launch : launches)
          require(journal_.block(launch.id, info.name, block_of(random_, turn, samples_ / turns)));
      for (const Launch& launch : launches) require(journal_.case_ended(launch.id, measured));
    }
    for (const Launch& launch : launches) require(journal_.launch_ended(launch));
    return outcome_;
  }

 private:
  void require(Result<void> written) {
    if (outcome_ && !written) outcome_ = std::move(written);
  }

  Journal& journal_;
  Random& random_;
  const Run& run_;
  unsigned samples_, next_launch_ = 0;
  Result<void> outcome_;
};

Result<void> write(const std::string& directory, const Size& size) {
  const Run run = plan_of(size);
  auto journal = Journal::create(directory, run);
  if (!journal) return tl::unexpected(journal.error());
  Random random(size.seed);
  Ensemble ensemble(*journal, random, run, size.samples);
  for (unsigned round = 0; round < size.launches; ++round) {
    for (const PlannedProgram& program : run.plan.programs)
      if (auto written = ensemble.write(round, program); !written) return written;
    if (auto written = journal->round_completed(round); !written) return written;
  }
  return journal->finished();
}

unsigned number(const char* text) { return static_cast<unsigned>(std::strtoul(text, nullptr, 10)); }

}  // namespace
}  // namespace bindgate

int main(int count, char** words) {
  if (count != 6) {
    std::fputs("generate_run DIRECTORY SERIES LAUNCHES SAMPLES SEED (samples: a multiple of ten)\n", stderr);
    return 2;
  }
  const bindgate::Size size{bindgate::number(words[2]), bindgate::number(words[3]), bindgate::number(words[4]),
                            bindgate::number(words[5])};
  if (size.series == 0 || size.launches == 0 || size.samples == 0 || size.samples % bindgate::turns != 0) {
    std::fputs("generate_run: series, launches and samples must be above 0, samples a multiple of ten\n", stderr);
    return 2;
  }
  if (const auto written = bindgate::write(words[1], size); !written) {
    std::fprintf(stderr, "generate_run: %s\n", written.error().message.c_str());
    return 2;
  }
}
