#pragma once
// A run of the made-up programs in a directory of its own, started, continued and read back.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "launches.hpp"
#include "runner/discover.hpp"
#include "runner/run_plan.hpp"

namespace bindgate::testing {

namespace fs = std::filesystem;

class Watcher : public RunWatcher {
 public:
  void progress(const Progress& progress) override {
    seen.push_back(progress);
    if (at) at(progress);
  }
  void note(const std::string& text) override { notes.push_back(text); }
  void output(const std::string& tail) override { outputs.push_back(tail); }

  std::vector<Progress> seen;
  std::vector<std::string> notes, outputs;
  std::function<void(const Progress&)> at;
};

inline CaseInfo case_named(const std::string& name) {
  CaseInfo info;
  info.name = name;
  info.preemption = Preemption::cpu_gap;
  return info;
}

class RunOfChildren : public NothingLeft {
 protected:
  void SetUp() override {
    directory_ = fs::path(::testing::TempDir()) / ("run_plan_" + std::to_string(getpid()) + '_' +
                                                   ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(directory_);
    fs::create_directories(directory_);
    run_.id = "run";
    run_.started = "2026-01-31T23:59:59Z";
    run_.plan.rounds = 2;
    run_.plan.turns = 4;
    run_.plan.minimum_turns = 2;
    run_.plan.seed = 7;
    run_.plan.variants = {{"none", VariantStatus::ok, "", "", placement_here()}};
    options_.deadlines = patient();
    options_.nodes = {{0, allowed_cpus(), std::uint64_t{1} << 30, "dram"}};
    NothingLeft::SetUp();
  }
  void TearDown() override {
    NothingLeft::TearDown();
    fs::remove_all(directory_);
  }

  void add_variant(const std::string& name) {
    Placement placement = placement_here();
    placement.cpus = IndexSet{*placement.cpus.first()};
    placement.threads = 1;
    run_.plan.variants.push_back({name, VariantStatus::ok, "", "", placement});
  }
  void add_program(const std::string& child, const std::vector<std::string>& cases,
                   std::map<std::string, std::string> environment = {}) {
    environment.emplace("ASAN_OPTIONS", "detect_leaks=0");  // it would dominate the life of so short a process
    PlannedProgram program{child, child_path(child), "", std::move(environment), {}};
    for (const std::string& name : cases) program.cases.push_back(case_named(name));
    run_.plan.programs.push_back(std::move(program));
  }

  Result<RunOutcome> start(const fs::path& where) {
    auto journal = Journal::create(where, run_);
    EXPECT_TRUE(journal) << journal.error().message;
    return run_plan(run_.plan, {}, *journal, options_, stop_, watcher_);
  }
  Result<RunOutcome> start() { return start(directory_ / "run"); }
  Result<RunOutcome> go_on(const fs::path& where) {
    auto journal = Journal::resume(where);
    EXPECT_TRUE(journal) << journal.error().message;
    const auto before = read_run(where);
    EXPECT_TRUE(before) << before.error().message;
    EXPECT_EQ(before->plan, run_.plan);
    return run_plan(before->plan, resumption_of(*before), *journal, options_, stop_, watcher_);
  }
  static bindgate::Run read(const fs::path& where) {
    auto run = read_run(where);
    EXPECT_TRUE(run) << run.error().message;
    return run ? *std::move(run) : bindgate::Run{};
  }
  bindgate::Run read() { return read(directory_ / "run"); }

  static std::vector<const CaseRun*> runs_of(const bindgate::Run& run, const std::string& name) {
    std::vector<const CaseRun*> found;
    for (const Launch& launch : run.launches)
      for (const CaseRun& measured : launch.cases)
        if (measured.name == name) found.push_back(&measured);
    return found;
  }
  // Who took a turn at what, in order of time.
  static std::vector<std::string> sequence(const fs::path& where) {
    std::vector<std::string> turns;
    std::ifstream lines(where / journal_file_name);
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("{\"line\":\"block\"")) turns.push_back(line.substr(0, line.find(",\"nanoseconds\"")));
    return turns;
  }

  fs::path directory_;
  bindgate::Run run_;
  RunOptions options_;
  Watcher watcher_;
};

}  // namespace bindgate::testing
