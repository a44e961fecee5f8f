#include "runner/seat.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <thread>
#include <tuple>

#include "runner/charge.hpp"

namespace bindgate {
namespace {

using SteadyClock = std::chrono::steady_clock;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Whether idle OpenMP threads may spin into the next launch's turn.
bool spins_while_waiting(const std::map<std::string, std::string>& environment) {
  if (environment.contains("GOMP_SPINCOUNT") || environment.contains("KMP_BLOCKTIME")) return true;
  const auto policy = environment.find("OMP_WAIT_POLICY");
  return policy != environment.end() && lower(policy->second) != "passive";
}

// How much of what runs anywhere on `from` lands on `on`, if spread evenly.
double overlap(const IndexSet& from, const IndexSet& on) {
  return from.empty() ? 0 : static_cast<double>((from & on).size()) / static_cast<double>(from.size());
}

double harness_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

void Seat::start(const LaunchOrder& order, const Deadlines& deadlines, const StopRequest& stop) {
  const Charge charge(spent_.start_up);
  started_ = SteadyClock::now();
  auto client = LaunchClient::start(order, deadlines, stop);
  if (!client) {
    over_ = client.error().message;
    return;
  }
  client_ = *std::move(client);
  launch_.pid = client_->pid();
  launch_.environment = client_->environment();
  launch_.removed = client_->removed();
  waits_busily_ = spins_while_waiting(launch_.environment);
  prover_.emplace(client_->pid(), launch_.placement, node_count_);
}

bool Seat::hear_hello() {
  if (!client_) return true;
  const Charge charge(spent_.start_up);
  const auto hello = client_->hello();
  if (!hello) return go_on_after(hello.error());
  launch_.build_type = hello->build_type;
  launch_.libraries = hello->libraries;
  launch_.settings = hello->settings;
  for (const CaseInfo& info : hello->cases) known_cases_.insert(info.name);
  return true;
}

bool Seat::go_on_after(const LaunchOver& over) {
  if (over.stopped) return false;
  over_ = over.how;
  return true;
}

void Seat::fail_case(const std::string& reason) {
  failed_ = true;
  case_.outcome = CaseOutcome::failed;
  case_.reason = reason;
}

void Seat::refuse_case(const std::string& reason) { fail_case(reason); }

void Seat::withhold_case(const CaseInfo& info, const std::string& reason) {
  reset_case(info);
  fail_case(reason);
}

void Seat::announce(unsigned id) {
  launch_.id = id;
  announced_ = true;
}

void Seat::reset_case(const CaseInfo& info) {
  info_ = info;
  if (shares_cpus_) info_.preemption = Preemption::own;
  case_ = {};
  case_.name = info.name;
  ranges_.clear();
  cpu_shares_.clear();
  in_case_ = failed_ = moves_ = false;
  begin_part();
}

void Seat::begin_part() {
  samples_ = last_ = {};
  block_ns_ = 0;
  turns_ = repeated_ = 0;
}

bool Seat::begin_case(const CaseInfo& info) {
  reset_case(info);
  if (is_over()) {
    fail_case("its launch had ended: " + over_);
    return true;
  }
  if (!known_cases_.contains(info.name)) {
    fail_case("the program does not know this case any more; plan the run anew");
    return true;
  }
  const auto start = SteadyClock::now();
  auto answer = client_->begin(info.name);
  const double took = seconds_since(start);
  spent_.set_up += took;
  if (launch_.loaded.empty()) launch_.loaded = loaded_objects(launch_.pid);
  if (!answer) {
    if (!go_on_after(answer.error())) return false;
    fail_case(over_);
    return true;
  }
  if (const auto* not_run = std::get_if<protocol::NotRun>(&*answer)) {
    case_.outcome = CaseOutcome::not_run;
    case_.reason = not_run->reason;
  } else if (const auto* failed = std::get_if<protocol::Failed>(&*answer)) {
    fail_case(failed->reason);
  } else {
    auto& ready = std::get<protocol::Ready>(*answer);
    in_case_ = true;
    const std::int64_t recorded = std::accumulate(ready.warmup_ns.begin(), ready.warmup_ns.end(), std::int64_t{0});
    const double warm_up = std::min(took, 1e-9 * static_cast<double>(std::max(recorded, ready.warmed_ns)));
    spent_.warm_up += warm_up;
    spent_.set_up -= warm_up;
    case_.warmup_ns = std::move(ready.warmup_ns);
    case_.threads = ready.threads;
    moves_ = ready.moves;
    case_.working_set_bytes = protocol::working_set_bytes(ready);
    ranges_ = std::move(ready.ranges);
    const Charge charge(spent_.proof);
    prover_->begin(ranges_);
  }
  if (waits_busily_) wait_until_still();
  return true;
}

bool Seat::ask_turn(const protocol::Turn& turn) {
  turn_ = {turn, ticks(), SteadyClock::now(), 0, {}};
  const auto asked = client_->ask_turn(turn);
  return asked || go_on_after(asked.error());
}

bool Seat::hear_turn() {
  if (is_over()) return true;
  auto answer = client_->hear_turn(turn_.turn);
  turn_.seconds = seconds_since(turn_.at);
  if (!answer) return go_on_after(answer.error());
  turn_.answer = *std::move(answer);
  return true;
}

std::optional<Block> Seat::settle_turn(unsigned attempt, bool charged) {
  const CpuTicks after = ticks();
  if (is_over()) {
    in_case_ = false;
    fail_case(over_);
    return std::nullopt;
  }
  {
    const Charge charge(spent_.proof);
    prover_->check_threads(turn_.turn.turn, moves_);
  }
  if (waits_busily_) wait_until_still();
  if (const auto* failed = std::get_if<protocol::Failed>(&*turn_.answer)) {
    in_case_ = false;
    fail_case(failed->reason);
    [[maybe_unused]] const Proof unwanted = prover_->conclude({});
    return std::nullopt;
  }
  Block block = std::move(std::get<Block>(*turn_.answer));
  if (charged) charge_turn(turn_.seconds, block);
  if (!block.nanoseconds.contains(info_.primary)) {
    fail_case("its blocks lack the case's primary clock, " + std::string(name_of(info_.primary)));
    return std::nullopt;
  }
  block.attempt = attempt;
  block.steal_ticks = std::max<std::int64_t>(0, after.steal - turn_.before.steal);
  mark(block);
  return block;
}

CpuTicks Seat::ticks() {
  const Charge charge(spent_.proof);
  return cpu_ticks(launch_.placement.cpus);
}

void Seat::charge_turn(double seconds, const Block& block) {
  const double timed = 1e-9 * static_cast<double>(block_time_ns(block));
  double readings = 0;
  for (const auto& [kernel, times] : block.references)
    for (const std::int64_t time : times) readings += 1e-9 * static_cast<double>(time);
  const double inside = std::max(timed + readings, 1e-9 * static_cast<double>(block.spent_ns));
  spent_.blocks += timed;
  spent_.readings += readings;
  spent_.lead_in += std::max(0.0, inside - timed - readings);
  spent_.protocol += std::max(0.0, seconds - inside);
}

void Seat::mark(Block& block) {
  ++turns_;
  block.disturbed = what_disturbed(block, info_.preemption, case_.threads, launch_.placement.cpus.size(),
                                   undisturbed_share(cpu_shares_));
  if (const auto share = cpu_share(block)) cpu_shares_.push_back(*share);
  // A repetition follows what it repeats, and stands in its place.
  if (block.attempt > 0) samples_ = {samples_.all - last_.all, samples_.clean - last_.clean};
  const auto clean = clean_samples(block, info_.preemption);
  last_ = {std::ssize(clean), std::count(clean.begin(), clean.end(), true)};
  samples_ = {samples_.all + last_.all, samples_.clean + last_.clean};
  block_ns_ += block_time_ns(block);
}

// libgomp spins for milliseconds after its last region; the next launch's block must not share that.
void Seat::wait_until_still() {
  const Charge charge(spent_.waiting);
  static constexpr Milliseconds step{1}, longest{500};
  if (is_over()) return;
  const auto deadline = SteadyClock::now() + longest;
  for (auto seen = cpu_nanoseconds(launch_.pid); seen && SteadyClock::now() < deadline;) {
    std::this_thread::sleep_for(step);
    const auto now = cpu_nanoseconds(launch_.pid);
    if (now == seen) return;
    seen = now;
  }
}

bool Seat::end_case() {
  if (!in_case_) return true;
  in_case_ = false;
  Proof proof = [this] {
    const Charge charge(spent_.proof);
    return prover_->conclude(ranges_);
  }();
  const auto start = SteadyClock::now();
  if (!failed_) {
    case_.outcome = CaseOutcome::ok;
    case_.proof = std::move(proof);
  }
  auto done = client_->next();
  spent_.tear_down += seconds_since(start);
  if (done) {
    case_.figures = std::move(done->figures);
  } else {
    if (!go_on_after(done.error())) return false;
    fail_case(over_);
  }
  if (waits_busily_) wait_until_still();
  return true;
}

bool Seat::wants_more() const { return in_case() && !is_enough(samples_) && !is_spent(); }

bool Seat::may_repeat(unsigned turns) {
  if (repeated_ + 1 > extra_turns * turns) return false;
  ++repeated_;
  return true;
}

CpuUse Seat::cpu_use() const { return {launch_.placement.cpus, client_ ? client_->child().cpu_seconds() : 0}; }

Seat::Account Seat::account(std::span<const CpuUse> uses) const {
  const IndexSet& cpus = launch_.placement.cpus;
  const auto everywhere = static_cast<double>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  Account account{cpu_ticks(cpus), 0, SteadyClock::now()};
  account.known_seconds = harness_cpu_seconds() * std::min(1.0, static_cast<double>(cpus.size()) / everywhere);
  for (const CpuUse& use : uses) account.known_seconds += use.seconds * overlap(use.cpus, cpus);
  return account;
}

std::pair<double, double> Seat::taken(const Account& from, const Account& to) {
  const double busy = tick_seconds() * static_cast<double>(to.ticks.busy - from.ticks.busy);
  return {std::max(0.0, busy - (to.known_seconds - from.known_seconds)),
          std::max(0.0, tick_seconds() * static_cast<double>(to.ticks.steal - from.ticks.steal))};
}

void Seat::open_account(std::span<const CpuUse> uses) { opened_ = account(uses); }

void Seat::settle_account(std::span<const CpuUse> uses) {
  if (is_over()) return;
  std::tie(launch_.others_cpu_seconds, launch_.steal_seconds) = taken(opened_, account(uses));
}

void Seat::open_case_account(std::span<const CpuUse> uses) { case_opened_ = account(uses); }

void Seat::settle_case_account(std::span<const CpuUse> uses) {
  if (is_over() || !in_case_) return;
  const Account now = account(uses);
  std::tie(case_.others_cpu_seconds, case_.steal_seconds) = taken(case_opened_, now);
  case_.wall_seconds = std::chrono::duration<double>(now.at - case_opened_.at).count();
}

void Seat::ask_to_exit() {
  if (!is_over() && client_) client_->ask_to_exit();
}

void Seat::finish() {
  const Charge charge(spent_.tear_down);
  launch_.failure = over_;
  if (!is_over() && client_) launch_.failure = client_->finish();
  if (!launch_.failure.empty() && client_) launch_.output_tail = client_->child().output_tail();
  launch_.wall_seconds = std::chrono::duration<double>(SteadyClock::now() - started_).count();
}

void Seat::hang_up() {
  if (client_) client_->hang_up();
}

void Seat::abandon() {
  if (client_) client_->abandon();
}

}  // namespace bindgate
