#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "report/explanation.hpp"
#include "report/json.hpp"
#include "report/listings.hpp"
#include "report/markdown.hpp"
#include "report/terminal.hpp"
#include "report/warning_lines.hpp"
#include "report/wording.hpp"
#include "support/example_list.hpp"
#include "support/example_night.hpp"
#include "support/example_result.hpp"
#include "support/golden.hpp"

namespace bindgate {
namespace {

using namespace testing;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const Style plain{false, 100};

std::size_t columns_of(const std::string& line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
}

void expect_within(const std::string& text, std::size_t width) {
  for (const std::string& line : lines_of(text)) EXPECT_LE(columns_of(line), width) << line;
}

std::size_t occurrences(const std::string& text, const std::string& words) {
  std::size_t count = 0;
  for (auto at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++count;
  return count;
}

std::string without_white_space(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isspace(c); });
  return text;
}

VariantsListing example_variants() {
  std::vector<PlannedVariant> variants = example_run_header().plan.variants;
  variants[0].alternatives = {variants[0].placement, variants[0].placement};
  variants[0].alternatives[1].cpus = {50, 51};
  variants[0].alternatives[1].memory.nodes = {1};
  variants[0].placement.cpus =
      IndexSet::range(0, 5) | IndexSet{8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38};
  VariantsListing listing;
  for (PlannedVariant& variant : variants) listing.rows.push_back({std::move(variant), "", {}});
  listing.rows[0].meaning = "all allowed CPUs";
  listing.rows[0].lines = {{"taskset", "taskset --cpu-list 0-5,8"},
                           {"numactl", "numactl --physcpubind=0-5,8 --membind=0"}};
  listing.rows[2].meaning = "the CPUs of one node, memory bound to the farthest node";
  listing.left_out = {"matrix[:NODE,NODE]", "cpus:LIST"};
  listing.notes = {"no lines for srun: only CPU 1 of 0-1 may be used"};
  return listing;
}

Machine example_machine() {
  Machine machine;
  machine.source = "live";
  machine.live = true;
  machine.cpu_model = "AMD EPYC 9554 64-Core Processor";
  machine.online = machine.allowed_cpus = IndexSet::range(0, 3);
  machine.allowed_nodes = IndexSet{0, 1};
  machine.quota_cpus = 2.5;
  machine.packages = {{0, IndexSet::range(0, 3)}};
  machine.nodes = {{0, IndexSet{0, 1}, 8ull << 30, "dram"}, {1, IndexSet{}, 3ull << 30, "cxl"}};
  machine.cores = {{IndexSet{0, 1}, 0, IndexSet{0}, 0, ""}, {IndexSet{2, 3}, {}, IndexSet{}, {}, "efficiency"}};
  machine.l3 = {{0, IndexSet::range(0, 3), 32ull << 20}};
  machine.distances = {{10, 20}, {20, 10}};
  machine.devices = {{"0000:01:00.0", "gpu", "NVIDIA H200", 0}, {"0000:02:00.0", "nic", "mlx5", {}}};
  machine.findings = {"node 1 has no CPUs"};
  return machine;
}

std::vector<PlannedProgram> example_programs() {
  auto programs = example_result_run().plan.programs;
  CaseInfo decode;
  decode.name = "decode/jpeg/w=2";
  decode.items = 32;
  decode.item = "image";
  CaseInfo bare;
  bare.name = "decode/nothing";
  programs.push_back({"bench_decode", "/opt/bin/bench_decode", "77", {}, {decode, bare}});
  return programs;
}

ProfileListing example_listing() {
  ProfileListing listing{example_list(), example_programs(), "baselines/amd-epyc-9554-1a2b3c4d/nightly.json", {}};
  listing.list.cases[0].name = example_programs()[0].cases[0].name;
  listing.list.cases[1].name = "decode/jpeg/w=2";
  listing.list.cases[2].name = "gone/long/ago";
  listing.list.left_out.push_back({"decode/jpeg/w=1", "would take 4 min 10 s, and of 55 min 00 s only 12 s were left"});
  listing.findings = {"in the nightly list, and no program has it any more: gone/long/ago"};
  return listing;
}

TEST(GateTable, LooksAsItShould) {
  expect_golden("gate.txt", gate_table(example_result(), example_result_run(), Policy{}, plain));
}

TEST(GateTable, LooksAsItShouldWhenAllPasses) {
  GateResult result;
  result.verdict = Verdict::pass;
  result.exit = 0;
  for (const char* variant : {"none", "numactl"})
    result.cases.push_back(example_judgement("matmul/square/f32/m=512,k=512,n=512", variant, Verdict::pass));
  expect_golden("gate_pass.txt", gate_table(result, example_result_run(), Policy{}, plain));
}

GateResult example_without_a_baseline() {
  GateResult result;
  result.verdict = Verdict::incomparable;
  for (const char* name : {"matmul/transformer/bf16/m=2048,k=4096,n=14336", "matmul/square/f32/m=512,k=512,n=512"})
    for (const char* variant : {"none", "one-per-core"}) {
      Judgement judgement = example_judgement(name, variant, Verdict::incomparable);
      judgement.reasons = {
          "no baseline for this machine (amd-epyc-9554-3f64a4b0); the nearest, amd-epyc-9554-826522ff, "
          "differs: memory: 32 GiB here, 64 GiB there; accept a run"};
      judgement.base_n = 0;
      judgement.ratio.reset();
      judgement.target.reset();
      result.cases.push_back(judgement);
    }
  result.cases[1].reasons.push_back("unverifiable: move_pages (EPERM): Operation not permitted");
  return result;
}

TEST(GateTable, LooksAsItShouldWithoutABaseline) {
  bindgate::Run run = example_result_run();
  run.finished = false;
  run.stopped = "interrupted by SIGINT";
  expect_golden("gate_incomparable.txt", gate_table(example_without_a_baseline(), run, Policy{}, plain));
}

TEST(GateTable, SaysOnceWhatManyRowsShareAndTheRestAtItsRow) {
  for (const std::string& text : {gate_table(example_without_a_baseline(), example_result_run(), Policy{}, plain),
                                  gate_markdown(example_without_a_baseline(), example_result_run(), Policy{})}) {
    EXPECT_EQ(occurrences(text, "no baseline for this machine"), 1u);
    EXPECT_THAT(text, HasSubstr("all 4 rows: no baseline"));
    EXPECT_THAT(text, HasSubstr("unverifiable"));
  }
}

TEST(GateTable, EndsWithVerdictExitStatusAndNextStepOnOneLine) {
  for (int verdict = 0; verdict <= static_cast<int>(Verdict::not_selected); ++verdict) {
    GateResult result;
    result.verdict = static_cast<Verdict>(verdict);
    const std::string last = lines_of(gate_table(result, example_result_run(), Policy{}, plain)).back();
    EXPECT_THAT(last, StartsWith("verdict: " + std::string(name_of(result.verdict)) + " (exit 4). next: ")) << last;
    EXPECT_LE(columns_of(last), 100u) << last;
  }
}

TEST(GateTable, SaysThatAPolicyForgives) {
  GateResult result = example_without_a_baseline();
  result.exit = 0;
  EXPECT_THAT(gate_table(result, example_result_run(), Policy{}, plain), HasSubstr("(exit 0, as the policy allows)"));
  result.verdict = Verdict::pass;
  EXPECT_THAT(gate_table(result, example_result_run(), Policy{}, plain), HasSubstr("pass (exit 0). next:"));
}

TEST(GateTable, KeepsWithinAnyWidthAndLosesNoName) {
  const GateResult result = example_result();
  for (int width = 80; width <= 140; width += 5) {
    const std::string text = gate_table(result, example_result_run(), Policy{}, Style{false, width});
    expect_within(text, static_cast<std::size_t>(width));
    const std::string letters = without_white_space(text);
    for (const Judgement& judgement : result.cases) {
      EXPECT_THAT(letters, HasSubstr(without_white_space(judgement.case_name)));
      if (judgement.verdict == Verdict::pass || judgement.verdict == Verdict::not_selected) continue;
      for (const std::string& reason : judgement.reasons) EXPECT_THAT(letters, HasSubstr(without_white_space(reason)));
    }
  }
}

TEST(GateTable, WrapsEvenTheLongestCaseName) {
  GateResult result = example_result();
  result.cases[0].case_name = std::string(200, 'x');
  expect_within(gate_table(result, example_result_run(), Policy{}, plain), 100);
}

TEST(GateTable, ColoursTheVerdictOnlyWhenAsked) {
  EXPECT_THAT(gate_table(example_result(), example_result_run(), Policy{}, plain), Not(HasSubstr("\033")));
  EXPECT_THAT(gate_table(example_result(), example_result_run(), Policy{}, Style{true, 100}),
              HasSubstr("\033[31mregressed\033[0m"));
}

TEST(GateTable, ShowsOnWhichSideOfALimitAFigureLies) {
  GateResult result;
  result.cases = {example_judgement("c", "none", Verdict::unstable)};
  result.cases[0].variance->clean_cv = 0.050004;
  result.cases[0].target = 0.05;
  result.cases[0].ratio = Ratio{1.03, 1.010004, 0.99, 1.049996, 0.95};
  const std::string text = gate_table(result, example_result_run(), Policy{}, plain);
  EXPECT_THAT(text, HasSubstr("5.0004/5/0.8 %"));
  EXPECT_THAT(text, HasSubstr("(+1.0004 to +4.9996)"));
}

TEST(GateTable, ShowsThatVarianceIsSwitchedOff) {
  Policy policy;
  policy.limits.variance.statistic = VariancePolicy::Statistic::off;
  GateResult result;
  result.cases = {example_judgement("c", "none", Verdict::pass)};
  result.cases[0].variance.reset();
  EXPECT_THAT(gate_table(result, example_result_run(), policy, plain), HasSubstr(" off\n"));
}

TEST(ShowTable, LooksAsItShould) {
  expect_golden("show.txt", show_table(example_rankings(), example_proofs(), example_result_run(), plain));
  expect_within(show_table(example_rankings(), example_proofs(), example_result_run(), plain), 100);
}

bindgate::Run one_placement_run() {
  bindgate::Run run = example_result_run();
  run.plan.variants.resize(3);
  return run;
}

std::vector<CaseRanking> one_placement_rankings() {
  std::vector<CaseRanking> rankings = example_rankings();
  for (CaseRanking& ranking : rankings) {
    ranking.best.clear();
    ranking.sentence = "only one placement here: none and taskset are the same";
    ranking.twin = Ratio{1.001, 0.996, 0.975, 1.006, 0.975};
    const auto other = [](const RankedVariant& row) { return row.variant != "none" && row.variant != "remote"; };
    std::erase_if(ranking.variants, other);
  }
  rankings[1].sentence +=
      "; disturbed: the twin, the same code and placement, took 1.0 to 2.3 % more time than the base";
  return rankings;
}

TEST(ShowTable, LooksAsItShouldWithOnePlacement) {
  expect_golden("show_one_placement.txt", show_table(one_placement_rankings(), {}, one_placement_run(), plain));
}

TEST(ShowTable, SaysOnceWhatHoldsForTheWholeRun) {
  const std::string one = show_table(one_placement_rankings(), {}, one_placement_run(), plain);
  EXPECT_EQ(occurrences(one, "only one placement here"), 1u);
  EXPECT_EQ(occurrences(one, "remote:"), 1u);
  EXPECT_EQ(occurrences(one, "taskset"), 1u);
  EXPECT_THAT(one, HasSubstr("  > disturbed: the twin"));
  const std::string several = show_table(example_rankings(), example_proofs(), example_result_run(), plain);
  EXPECT_EQ(occurrences(several, "remote:"), 1u);
  std::vector<CaseRanking> without = example_rankings();
  for (CaseRanking& ranking : without) {
    ranking.sentence = "not run: no bf16 kernel";
    for (RankedVariant& row : ranking.variants) row.problem = "not run: no bf16 kernel";
  }
  // Once as the cases' sentence, once as the rows' reason.
  EXPECT_EQ(occurrences(show_table(without, {}, example_result_run(), plain), "no bf16 kernel"), 2u);
}

TEST(ShowTable, KeepsWithinAnyWidth) {
  for (int width = 80; width <= 140; width += 5)
    for (const auto& [rankings, run] : {std::pair(example_rankings(), example_result_run()),
                                        std::pair(one_placement_rankings(), one_placement_run())})
      expect_within(show_table(rankings, example_proofs(), run, Style{false, width}), static_cast<std::size_t>(width));
}

TEST(ShowTable, ShowsWhatEachVariantsProofRestsOn) {
  const std::string text = show_table(example_rankings(), example_proofs(), example_result_run(), plain);
  EXPECT_THAT(text, ContainsRegex("numactl +0-1 +bind 0 +3 +0-1,5 +0: 32.0 MiB, 8: 0 B +1 violated, 1 unverifiable"));
  EXPECT_THAT(text, HasSubstr("      - thread 'worker' (77) may run on CPUs 0-7 instead of 0-1"));
  EXPECT_THAT(text, ContainsRegex("none +0-7 +default +9 +- +0: 12.0 MiB, 1: 20.0 MiB +all 24 held\n"));
  EXPECT_THAT(text, HasSubstr("      ~ only one node (c in round 1, launch 3)\n"));
  std::vector<VariantProofs> hostile = example_proofs();
  hostile[1].weakest.proof.detail = "thread '\x1b[2J' strays";
  EXPECT_THAT(show_table(example_rankings(), hostile, example_result_run(), plain), HasSubstr("thread '?[2J' strays"));
}

TEST(ShowTable, SaysThatNothingWasMeasured) {
  EXPECT_THAT(show_table({}, {}, example_result_run(), plain), HasSubstr("no case was measured in a complete round"));
}

// 34 nodes of which 2 have CPUs, 2,048 of them.
Machine large_machine() {
  Machine machine;
  machine.source = "large.xml";
  machine.cpu_model = "Some CPU";
  machine.online = machine.allowed_cpus = IndexSet::range(0, 2047);
  machine.allowed_nodes = IndexSet::range(0, 33);
  for (unsigned id = 0; id < 2; ++id) {
    const unsigned first = id * 512;
    machine.packages.push_back({id, IndexSet::range(first, first + 511) | IndexSet::range(first + 1024, first + 1535)});
    machine.nodes.push_back({id, machine.packages[id].cpus, 512ull << 30, "dram"});
    for (unsigned core = first; core < first + 512; ++core)
      machine.cores.push_back({{core, core + 1024}, id, {id}, core / 8, ""});
  }
  for (unsigned id = 2; id < 34; ++id) machine.nodes.push_back({id, {}, 24ull << 30, "gpu", 900'000, 250});
  for (unsigned id = 0; id < 128; ++id) machine.l3.push_back({id, IndexSet::range(8 * id, 8 * id + 7), 32ull << 20});
  for (unsigned id = 0; id < 64; ++id) machine.clusters.push_back({id, IndexSet::range(16 * id, 16 * id + 15)});
  for (unsigned id = 0; id < 64; ++id) machine.dies.push_back({id, id / 32, IndexSet::range(16 * id, 16 * id + 15)});
  machine.distances.assign(34, std::vector<std::uint64_t>(34, 80));
  for (unsigned id = 0; id < 34; ++id) machine.distances[id][id] = 10;
  return machine;
}

TEST(TopologyText, StaysReadableOnALargeMachine) {
  const std::string text = topology_text(large_machine(), plain);
  expect_golden("topology_large.txt", text);
  EXPECT_LT(lines_of(text).size(), 80u);
}

TEST(TopologyText, ShowsWhatIsSpecial) {
  Machine machine = example_machine();
  machine.hypervisor = "QEMU";
  machine.offline = {4, 5};
  machine.isolated = {2, 3};
  machine.no_tick = {3};
  machine.dies = {{0, 0, {0, 1}}, {1, 0, {2, 3}}};
  machine.clusters = {{7, {2, 3}}};
  machine.nodes[1].bandwidth_mib_s = 20'480;
  machine.nodes[1].latency_ns = 250;
  const std::string text = topology_text(machine, plain);
  for (const char* line : {"hypervisor  QEMU\n", "offline     CPUs 4-5\n", "isolated    CPUs 2-3\n",
                           "no tick     CPUs 3\n", "die         0.1: CPUs 2-3\n", "cluster     7: CPUs 2-3\n",
                           "node        1: 3.00 GiB, cxl, 20.0 GiB/s, 250 ns, CPUs none\n"})
    EXPECT_THAT(text, HasSubstr(line));
}

MachineComparison example_comparison() {
  return {"cpu-00000001",
          "cpu-00000002",
          {{"memory", "16.0 GiB", "8.00 GiB", "memory: 16.0 GiB then, 8.00 GiB now"}},
          {{"device 0000:81:00.0", "node 0", "node 1", "device 0000:81:00.0 (gpu) was on node 0, is on node 1"},
           {"finding", "", "odd", "found now: odd"}},
          {"isa", "isolated CPUs"},
          {}};
}

TEST(ComparisonText, NamesWhatDiffers) {
  expect_golden("topology_compare.txt", comparison_text(example_comparison(), "monday.json", "live", plain));
  EXPECT_EQ(comparison_text({"a-1", "a-1", {}, {}, {}, {}}, "monday.json", "live", plain),
            "then        monday.json\nnow         live\n\nnothing differs\n");
}

TEST(ComparisonText, ListsApartWhatOneSideDoesNotTell) {
  EXPECT_EQ(comparison_text({"a-1", "a-2", {}, {}, {"isa"}, {"quota", "dies"}}, "then.xml", "live", plain),
            "then        then.xml\nnow         live\n"
            "fingerprint a-2; then a-1, so no stored baseline fits\n\n"
            "nothing else differs of what both tell\n\nnot compared\n"
            "  - isa (then.xml does not tell)\n  - quota, dies (live does not tell)\n");
}

TEST(ComparisonText, SaysThatNothingDiffersOfWhatBothTell) {
  EXPECT_THAT(comparison_text({"a-1", "a-1", {}, {}, {"quota"}, {}}, "then.xml", "live", plain),
              HasSubstr("\n\nnothing differs of what both tell\n\nnot compared\n  - quota"));
}

TEST(ComparisonText, DoesNotFillScreens) {
  MachineComparison comparison{"a-1", "a-1", {}, {}, {}, {}};
  comparison.differences.assign(1000, {"core of CPU 0", "a", "b", "core of CPU 0 had a, has b"});
  const std::string text = comparison_text(comparison, "then", "now", plain);
  EXPECT_THAT(text, HasSubstr("fingerprint a-1, as then\n"));
  EXPECT_THAT(text, HasSubstr("  - and 940 more; --json lists them all\n"));
}

TEST(TopologyText, SaysWhatIsKnownOfAKindThatIsNotTold) {
  Machine machine = example_machine();
  machine.nodes[0].kind = "unknown";
  machine.cpu_model = "unknown";
  machine.hypervisor = "a virtual machine, kind not told";
  const std::string text = topology_text(machine, plain);
  EXPECT_THAT(text, HasSubstr("machine     its CPU's model is not told\n"));
  EXPECT_THAT(text, HasSubstr("node        0: 8.00 GiB, kind not told, CPUs 0-1\n"));
  EXPECT_THAT(text, HasSubstr("hypervisor  a virtual machine, kind not told\n"));
}

TEST(ComparisonJson, HasEveryDifferenceAndBothFingerprints) {
  expect_golden("topology_compare.json", comparison_json(example_comparison(), "monday.json", "live"));
  const auto nothing = nlohmann::json::parse(comparison_json({"a-1", "a-1", {}, {}, {}, {}}, "then", "now"));
  EXPECT_FALSE(nothing["differs"].get<bool>());
}

TEST(Listings, LookAsTheyShould) {
  expect_golden("variants.txt", variants_table(example_variants(), plain));
  expect_golden("topology.txt", topology_text(example_machine(), plain));
  expect_golden("list.txt", list_table(example_programs(), plain));
  expect_golden("list_profile.txt", profile_table(example_listing(), plain));
  EXPECT_EQ(list_table({}, plain), "no cases\n");
  EXPECT_THAT(topology_text(Machine{}, plain), HasSubstr("its CPU's model is not told"));
  for (const int width : {80, 90, 100}) {
    expect_within(variants_table(example_variants(), Style{false, width}),
                  static_cast<std::size_t>(width));
    expect_within(topology_text(example_machine(), Style{false, width}), static_cast<std::size_t>(width));
    expect_within(list_table(example_programs(), Style{false, width}), static_cast<std::size_t>(width));
    expect_within(profile_table(example_listing(), Style{false, width}), static_cast<std::size_t>(width));
  }
}

TEST(Listings, NeverBreakWhatIsThereToBePasted) {
  VariantsListing variants = example_variants();
  variants.rows[0].variant.placement.memory = {MemoryPolicy::preferred_many, IndexSet{0, 2}};
  std::string list = "0";
  for (int cpu = 2; cpu < 200; cpu += 2) list += ',' + std::to_string(cpu);
  const std::string line = "env A='b  c' numactl --physcpubind=" + list + " --preferred-many=0,2";
  variants.rows[0].lines = {{"numactl", line}};
  const std::string text = variants_table(variants, Style{false, 80});
  EXPECT_THAT(text, HasSubstr("\n    " + line + "\n      (numactl 2.0.16 or newer)\n"));
}

TEST(Listings, SayOnceWhatMembersOfAFamilyMeanAndHowRanksBelongTogether) {
  VariantsListing listing;
  for (const char* name : {"ranks:0", "ranks:1"}) {
    PlannedVariant variant;
    variant.name = name;
    variant.group = "ranks";
    listing.rows.push_back({variant, "two ranks at once", {{"srun", "srun --overlap"}}});
  }
  const std::string text = variants_table(listing, Style{false, 300});
  EXPECT_EQ(occurrences(text, "    # two ranks at once\n"), 1u);
  EXPECT_THAT(text, HasSubstr("    & at once with ranks:1: end each one's line with &, then wait; "));
  EXPECT_THAT(text, HasSubstr("    & at once with ranks:0: "));
  listing.rows.pop_back();
  EXPECT_THAT(variants_table(listing, plain), HasSubstr("works beside others: bindgate variants ranks shows them all"));
}

TEST(Listings, TellWhatIsNotShownOnlyWhereSomethingIsNot) {
  VariantsListing listing = example_variants();
  EXPECT_THAT(variants_table(listing, Style{false, 300}),
              HasSubstr("\nnot shown, since no profile measures them unasked: matrix[:NODE,NODE], cpus:LIST. "));
  listing.left_out.clear();
  EXPECT_THAT(variants_table(listing, plain), Not(HasSubstr("not shown")));
}

TEST(Listings, SayOfANightlyListMadeJustNowThatItIsNotStored) {
  ProfileListing listing = example_listing();
  listing.stored_in.clear();
  EXPECT_THAT(profile_table(listing, plain), HasSubstr("stored nowhere"));
  listing.list.profile = Profile::thorough;
  EXPECT_THAT(profile_table(listing, plain), Not(HasSubstr("stored"))) << "only the nightly list ever is";
  listing.list.cases.clear();
  EXPECT_THAT(profile_table(listing, plain), StartsWith("thorough: 0 cases, about 0 s ("));
}

// What others name or write: cases, reasons, findings, devices, the notes of a list.
TEST(EveryText, LetsNoNameSpeakToTheTerminal) {
  const std::string hostile = "x\x1b[2J\nverdict: pass";
  bindgate::Run run = example_result_run();
  GateResult result = example_result();
  std::vector<CaseRanking> rankings = example_rankings();
  ProfileListing listing = example_listing();
  Machine machine = example_machine();
  std::vector<PlannedProgram> programs = example_programs();
  for (std::string* text :
       {&run.id, &run.findings[0], &result.cases[0].case_name, &result.cases[0].reasons[0], &result.notes[0],
        &result.environment_changes[0], &rankings[0].case_name, &rankings[0].sentence, &rankings[0].variants[2].problem,
        &listing.list.cases[0].note, &listing.list.left_out[0].reason, &listing.list.planned, &machine.cpu_model,
        &machine.devices[0].name, &machine.findings[0], &programs[0].name, &programs[0].cases[0].label})
    *text = hostile;
  for (const std::string& text :
       {gate_table(result, run, Policy{}, plain), gate_markdown(result, run, Policy{}),
        show_table(rankings, {}, run, plain), profile_table(listing, plain), topology_text(machine, plain),
        list_table(programs, plain)}) {
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_THAT(text, Not(HasSubstr("\nverdict: pass")));
    EXPECT_THAT(text, HasSubstr("2J verdict: pass"));
  }
}

TEST(Markdown, LooksAsItShould) {
  expect_golden("gate.md", gate_markdown(example_result(), example_result_run(), Policy{}));
}

TEST(Markdown, EscapesWhatOtherProgramsWrote) {
  GateResult result;
  result.cases = {unmeasured("a|b", "<none>", Verdict::failed, "expected `1`\n# found <b>2</b> & *more*")};
  const std::string text = gate_markdown(result, example_result_run(), Policy{});
  EXPECT_THAT(text, HasSubstr("a\\|b"));
  EXPECT_THAT(text, HasSubstr("expected \\`1\\` \\# found &lt;b&gt;2&lt;/b&gt; &amp; \\*more\\*\n"));
  EXPECT_THAT(text, Not(HasSubstr("<b>")));
}

TEST(Json, LooksAsItShould) {
  expect_golden("gate.json", gate_json(example_result(), example_result_run()));
  expect_golden("show.json", show_json(example_rankings(), example_proofs(), example_result_run()));
  expect_golden("variants.json", variants_json(example_variants()));
  expect_golden("list.json", list_json(example_programs()));
  expect_golden("list_profile.json", profile_json(example_listing()));
  bindgate::Run run = example_run();
  run.launches[1].failure = "killed by SIGSEGV";
  run.launches[2].cases[0].outcome = CaseOutcome::not_run;
  run.launches[2].cases[0].reason = "no bf16 kernel";
  run.launches[4].failure = "of an abandoned round";
  run.abandoned = {4};
  expect_golden("run.json", run_json(run, "runs/2026-01-31T23-59-59Z", 4));
  Night night = example_night("2026-01-31T23-59-59Z");
  night.level = 2;
  night.note = "new libtorch";
  expect_golden("accept.json", accept_json(night, example_fingerprint(), "baselines/x", {"a/b", "c/d"}, {"e/f"}));
}

TEST(Json, HasEveryKeyThatScriptsRelyOn) {
  const auto has_all = [](const nlohmann::json& json, std::initializer_list<const char*> keys) {
    for (const char* key : keys) EXPECT_TRUE(json.contains(key)) << key;
  };
  for (const std::string& text :
       {gate_json(example_result(), example_result_run()),
        show_json(example_rankings(), example_proofs(), example_result_run())}) {
    const auto json = nlohmann::json::parse(text);
    has_all(json, {"schema", "verdict", "exit", "cases", "missing", "environment_changes"});
    for (const auto& series : json["cases"]) {
      has_all(series,
              {"case", "variant", "verdict", "reasons", "n", "n_unit", "seconds", "target", "ratio", "variance"});
      EXPECT_TRUE(series["reasons"].is_array());
      if (!series["ratio"].is_null()) has_all(series["ratio"], {"estimate", "low", "low_level", "high", "high_level"});
      if (!series["variance"].is_null())
        has_all(series["variance"], {"clean_cv", "plain_cv", "mad_cv", "p95_over_p50", "fired", "launches"});
    }
  }
  const auto show = nlohmann::json::parse(show_json(example_rankings(), example_proofs(), example_result_run()));
  EXPECT_EQ(show["proofs"].size(), 3u);
  for (const auto& one : show["proofs"]) {
    has_all(one, {"variant", "held", "violated", "unverifiable", "weakest"});
    has_all(one["weakest"],
            {"case", "launch", "round", "placement", "status", "detail", "threads", "ran_on", "node_bytes"});
  }
  const auto variants = nlohmann::json::parse(variants_json(example_variants()));
  EXPECT_EQ(variants["schema"], "bindgate.variants_plan/1");
  has_all(variants, {"left_out", "notes"});
  for (const auto& variant : variants["variants"]) {
    has_all(variant, {"name", "status", "reason", "same_as", "cpus", "memory", "threads", "environment", "launch",
                      "meaning", "group"});
    has_all(variant["launch"], {"taskset", "numactl", "srun"});
  }
  EXPECT_EQ(nlohmann::json::parse(topology_json(example_machine()))["schema"], "bindgate.topology/1");
}

TEST(Json, WritesWhatIsUnknownOrNoNumberAsNull) {
  GateResult result;
  result.cases = {unmeasured("c", "none", Verdict::missing, "not run")};
  result.cases[0].ratio = Ratio{std::numeric_limits<double>::quiet_NaN(), 1, 0.99, 1, 0.95};
  const auto json = nlohmann::json::parse(gate_json(result, bindgate::Run{}));
  EXPECT_TRUE(json["cases"][0]["seconds"].is_null());
  EXPECT_TRUE(json["cases"][0]["variance"].is_null());
  EXPECT_TRUE(json["cases"][0]["ratio"]["estimate"].is_null());
  EXPECT_EQ(json["missing"][0]["case"], "c");
}

TEST(SharedReasons, AreThoseOfThreeRowsOrOfAll) {
  const SharedReasons of_three({{"a", "b"}, {"a"}, {"b", "a"}, {}});
  EXPECT_EQ(of_three.marks({"a", "b"}), " [1]");
  EXPECT_THAT(of_three.own({"a", "b"}), ElementsAre("b"));
  ASSERT_EQ(of_three.legend().size(), 1u);
  EXPECT_EQ(of_three.legend()[0].meaning, "3 of 4 rows: a");
  const SharedReasons of_all({{"a", "b"}, {"b", "a"}});
  EXPECT_EQ(of_all.marks({"b", "a"}), " [2 1]");
  const SharedReasons of_one({{"a"}});
  EXPECT_EQ(of_one.marks({"a"}), "");
  EXPECT_THAT(of_one.own({"a"}), ElementsAre("a"));
}

TEST(Explanation, HasAdviceForEveryVerdict) {
  for (int verdict = 0; verdict <= static_cast<int>(Verdict::not_selected); ++verdict) {
    EXPECT_FALSE(advice_for(static_cast<Verdict>(verdict)).meaning.empty());
    EXPECT_FALSE(advice_for(static_cast<Verdict>(verdict)).next.empty());
  }
}

TEST(Explanation, ExplainsOnlyWhatStandsInTheTable) {
  const auto words_of = [](const GateResult& result) {
    std::vector<std::string> words;
    for (const Term& term : gate_terms(result)) words.push_back(term.word);
    return words;
  };
  EXPECT_THAT(words_of(example_result()), ElementsAre("change", "catches", "n", "CV/limit/R", "*", "! remote pages",
                                                      "! cache misses"));
  EXPECT_THAT(words_of(example_without_a_baseline()), ElementsAre("n", "CV/limit/R"));
  EXPECT_THAT(words_of(GateResult{}), ElementsAre());
}

TEST(Warnings, SayTheFigureTheThresholdAndWhatToLookAt) {
  EXPECT_EQ(warning_line(example_remote_pages()),
            "remote pages: 45 % of the working set (460 MiB of 1022 MiB) lay on nodes 1,4 in round 3, while the memory "
            "nearest to its CPUs is node 0; more than 10 % in 3 of 12 launches");
  EXPECT_EQ(warning_line(CacheMisses{4.56, 2.28, 1.5, 12, 36}),
            "cache misses: 4.56 per 1,000 instructions, 2.00 times the baseline's 2.28 (warned of above 1.50 times)");
  const std::string text = gate_table(example_result(), example_result_run(), Policy{}, Style{false, 1000});
  EXPECT_EQ(occurrences(text, next_for_remote_pages), 1u);
  EXPECT_EQ(occurrences(text, next_for_cache_misses), 1u);
  EXPECT_THAT(warning_line(CacheMisses{0.5, 0, 1.5, 1, 1}), HasSubstr("instructions, above the baseline's 0 (warned"));
  EXPECT_THAT(warning_lines({}), IsEmpty());
}

TEST(Warnings, ShowOnWhichSideOfTheThresholdTheFigureLies) {
  RemotePages pages = example_remote_pages();
  pages.share = 0.10001;
  EXPECT_THAT(warning_line(pages), StartsWith("remote pages: 10.001 % "));
  EXPECT_THAT(warning_line(CacheMisses{1.50004, 1, 1.5, 1, 1}), HasSubstr("1.50004 times the baseline's 1 ("));
}

TEST(Warnings, StandBesideEveryVerdictOfEveryFormat) {
  for (const Verdict verdict : {Verdict::pass, Verdict::regressed}) {
    GateResult result;
    result.cases = {example_judgement("c", "none", verdict)};
    result.cases[0].warnings.remote_pages = example_remote_pages();
    for (const std::string& text : {gate_table(result, example_result_run(), Policy{}, Style{false, 1000}),
                                    gate_markdown(result, example_result_run(), Policy{})}) {
      EXPECT_EQ(occurrences(text, "remote pages: 45 % of the working set"), 1u) << text;
      EXPECT_THAT(text, HasSubstr("changes no verdict"));
    }
  }
  EXPECT_THAT(gate_table(example_without_a_baseline(), example_result_run(), Policy{}, plain),
              Not(HasSubstr("changes no verdict")));
}

TEST(Wording, CountsVerdictsWorstFirst) {
  EXPECT_EQ(tally(example_result()),
            "1 failed, 1 missing, 1 regressed, 1 unstable, 1 inconclusive, 1 improved, 1 pass, 1 not selected");
  EXPECT_EQ(tally(GateResult{}), "no series");
}

}  // namespace
}  // namespace bindgate
