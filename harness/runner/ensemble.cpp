#include "runner/ensemble.hpp"

#include <algorithm>
#include <utility>

#include "runner/charge.hpp"

namespace bindgate {
namespace {

const tl::unexpected<Ensemble::Cut> stopped{Ensemble::Cut{}};

}  // namespace

template <class Write, class... Values>
Ensemble::Step Ensemble::record(Write write, const Values&... values) {
  const Charge charge(journal_seconds_);
  if (const Result<void> written = (journal_.*write)(values...); !written) return tl::unexpected(Cut{written.error()});
  return {};
}

Ensemble::Ensemble(const Setting& setting, Journal& journal, RunWatcher& watcher, Progress progress)
    : setting_(setting), journal_(journal), watcher_(watcher), progress_(std::move(progress)) {
  progress_.program = setting_.program.name;
}

Ensemble::Step Ensemble::run() {
  take_seats();
  Step step = start();
  for (const CaseInfo& info : setting_.program.cases) {
    if (!step) break;
    step = run_case(info);
    ++progress_.case_index;
  }
  if (step) return finish();
  for (Seat& seat : seats_) seat.hang_up();  // all, before the first of them is waited for
  for (Seat& seat : seats_) seat.abandon();
  return step;
}

Ensemble::Members Ensemble::order(std::string_view moment) const {
  return order_of_turn(setting_.plan.seed, setting_.round, setting_.program.name, moment, 0, seats_.size());
}

Ensemble::Units Ensemble::turn_order(std::string_view case_name, unsigned turn) const {
  return order_of_turn(setting_.plan.seed, setting_.round, setting_.program.name, case_name, turn, units_.size());
}

void Ensemble::show(const Seat& seat, double part_done) {
  progress_.variant = seat.launch().member.variant;
  progress_.case_done = done_ + share_ * part_done;
  watcher_.progress(progress_);
}

void Ensemble::note(const Seat& seat, const std::string& what) {
  const Member& member = seat.launch().member;
  watcher_.note("round " + std::to_string(setting_.round + 1) + ", " +
                (progress_.case_name.empty() ? setting_.program.name : progress_.case_name) + ", " + member.variant +
                (member.role == Role::twin ? " (twin)" : "") + ": " + what);
}

void Ensemble::take_seats() {
  std::vector<Launch> launches;
  const auto add = [&](const PlannedVariant& variant, Role role) {
    Launch launch;
    launch.round = setting_.round;
    launch.program = setting_.program.name;
    launch.member = {variant.name, Side::new_side, role, Purpose::measure};
    launch.placement = placement_in_round(variant, setting_.round);
    launches.push_back(std::move(launch));
  };
  for (const PlannedVariant& variant : setting_.plan.variants) {
    if (variant.status == VariantStatus::skipped || !variant.same_as.empty()) continue;
    const bool is_base = variant.name == setting_.plan.base;
    add(variant, is_base ? Role::base : Role::other);
    if (is_base) add(variant, Role::twin);
  }
  const auto node_count = static_cast<unsigned>(setting_.options.nodes.size());
  for (const std::size_t i :
       order_of_turn(setting_.plan.seed, setting_.round, setting_.program.name, "start", 0, launches.size()))
    seats_.emplace_back(std::move(launches[i]), node_count);
  join_groups();
}

// Seats become units: a seat by itself, or those of a group.
void Ensemble::join_groups() {
  std::map<std::string, std::size_t> unit_of_group;
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    const auto variant = std::find_if(setting_.plan.variants.begin(), setting_.plan.variants.end(), [&](const auto& one) {
      return one.name == seats_[i].launch().member.variant;
    });
    if (variant->group.empty()) {
      units_.push_back({i});
      continue;
    }
    const auto [unit, first] = unit_of_group.emplace(variant->group, units_.size());
    if (first) units_.emplace_back();
    for (const std::size_t fellow : units_[unit->second])
      if (seats_[fellow].launch().placement.cpus.intersects(seats_[i].launch().placement.cpus)) {
        seats_[fellow].share_cpus();
        seats_[i].share_cpus();
      }
    units_[unit->second].push_back(i);
  }
}

const Ensemble::Members& Ensemble::unit_of(std::size_t seat) const {
  return *std::find_if(units_.begin(), units_.end(), [seat](const Members& unit) {
    return std::find(unit.begin(), unit.end(), seat) != unit.end();
  });
}

// Without one of its members a group would be another measurement: then it ends for all of them.
bool Ensemble::unit_in_case(const Members& unit) {
  const auto out = std::find_if(unit.begin(), unit.end(), [this](std::size_t i) { return !seats_[i].in_case(); });
  if (out == unit.end()) return true;
  for (const std::size_t i : unit)
    if (seats_[i].in_case())
      seats_[i].refuse_case(seats_[*out].launch().member.variant + ", which works beside it, cannot go on");
  return false;
}

Ensemble::Step Ensemble::start() {
  progress_.case_name.clear();
  for (Seat& seat : seats_) seat.open_account({});
  // All at once: nothing is timed while a program starts.
  for (Seat& seat : seats_) {
    show(seat, 0);
    const LaunchOrder order{setting_.program.path, setting_.program.environment, seat.launch().placement,
                            setting_.options.inherited};
    seat.start(order, setting_.options.deadlines, setting_.stop);
  }
  for (Seat& seat : seats_) {
    show(seat, 0);
    if (!seat.hear_hello()) return stopped;
    if (seat.is_over()) note(seat, "launch failed to start");
  }
  return {};
}

std::vector<CpuUse> Ensemble::cpu_uses() const {
  std::vector<CpuUse> uses;
  for (const Seat& seat : seats_) uses.push_back(seat.cpu_use());
  return uses;
}

Spent Ensemble::spent() const {
  Spent spent;
  spent.journal = journal_seconds_;
  for (const Seat& seat : seats_) spent += seat.spent();
  return spent;
}

Ensemble::Step Ensemble::run_case(const CaseInfo& info) {
  progress_.case_name = info.name;
  free_ = setting_.options.free_memory(setting_.options.nodes);
  turn_plan_.reset();
  first_turn_ = 0;
  done_ = 0;
  // A case can be set up once in a launch, so base and twin keep it open from the first part to the last.
  Members staying, waiting;
  for (const std::size_t i : order(info.name + " set-up"))
    (seats_[i].launch().member.role == Role::other ? waiting : staying).push_back(i);
  const auto others = static_cast<double>(waiting.size());
  if (Step step = begin_case(info, staying); !step) return step;
  if (const std::string problem = why_too_large(claims(), setting_.options.nodes, free_); !problem.empty()) {
    for (const std::size_t i : staying) seats_[i].refuse_case(problem);
    for (const std::size_t i : waiting) seats_[i].withhold_case(info, problem);
    staying.insert(staying.end(), waiting.begin(), waiting.end());
    waiting.clear();
  }
  for (bool first = true; first || !waiting.empty(); first = false) {
    const Members part = next_part(info, waiting);
    share_ = others > 0 && !part.empty() ? static_cast<double>(part.size()) / others : 1 - done_;
    Members starting = part, ending = part;
    if (first) starting.insert(starting.end(), staying.begin(), staying.end());
    if (waiting.empty()) ending.insert(ending.end(), staying.begin(), staying.end());
    if (Step step = begin_case(info, part); !step) return step;
    refuse_what_is_too_large(part);
    calibrate();
    if (Step step = announce(starting); !step) return step;
    if (Step step = take_turns(info, starting); !step) return step;
    if (Step step = end_case(info, ending); !step) return step;
    done_ += share_;
  }
  return {};
}

std::vector<MemoryClaim> Ensemble::claims() const {
  std::vector<MemoryClaim> claims;
  for (const Seat& seat : seats_)
    if (seat.in_case()) claims.push_back({&seat.launch().placement, seat.working_set_bytes()});
  return claims;
}

// Takes out of `waiting` who can be set up beside what is open; where nobody can, they all have failed.
Ensemble::Members Ensemble::next_part(const CaseInfo& info, Members& waiting) {
  const std::vector<MemoryClaim> open = claims();
  std::uint64_t expected = 0;
  for (const MemoryClaim& claim : open) expected = std::max(expected, claim.bytes);
  std::vector<const Members*> units;
  std::vector<JointClaim> candidates;
  for (const std::size_t i : waiting) {
    const Members& unit = unit_of(i);
    if (std::find(units.begin(), units.end(), &unit) != units.end()) continue;
    units.push_back(&unit);
    JointClaim& claim = candidates.emplace_back();
    for (const std::size_t member : unit) claim.push_back({&seats_[member].launch().placement, expected});
  }
  Members part;
  for (const std::size_t place : fitting(open, candidates, setting_.options.nodes, free_))
    part.insert(part.end(), units[place]->begin(), units[place]->end());
  std::erase_if(waiting, [&](std::size_t i) { return std::find(part.begin(), part.end(), i) != part.end(); });
  if (!part.empty()) return part;
  for (std::size_t place = 0; place < units.size(); ++place) {
    std::vector<MemoryClaim> with_it = open;
    with_it.insert(with_it.end(), candidates[place].begin(), candidates[place].end());
    for (const std::size_t member : *units[place])
      seats_[member].withhold_case(info, why_too_large(with_it, setting_.options.nodes, free_));
  }
  return std::exchange(waiting, {});
}

Ensemble::Step Ensemble::begin_case(const CaseInfo& info, const Members& members) {
  const std::vector<CpuUse> uses = cpu_uses();
  for (const std::size_t i : members) seats_[i].open_case_account(uses);
  for (const std::size_t i : members) {
    if (seats_[i].has_case(info.name)) continue;
    show(seats_[i], 0);
    if (!seats_[i].begin_case(info)) return stopped;
  }
  return {};
}

// Working sets can turn out larger than the base's; the largest goes first.
void Ensemble::refuse_what_is_too_large(Members part) {
  const auto bytes = [this](std::size_t i) { return seats_[i].working_set_bytes(); };
  std::stable_sort(part.begin(), part.end(), [&](std::size_t a, std::size_t b) { return bytes(a) > bytes(b); });
  for (const std::size_t i : part) {
    const std::string problem = why_too_large(claims(), setting_.options.nodes, free_);
    if (problem.empty()) return;
    for (const std::size_t member : unit_of(i))
      if (seats_[member].in_case()) seats_[member].refuse_case(problem);
  }
}

// The base calibrates for all; where it cannot take part, the first that can stands in.
void Ensemble::calibrate() {
  if (turn_plan_) return;
  for (const Role role : {Role::base, Role::twin, Role::other})
    for (Seat& seat : seats_)
      if (!turn_plan_ && seat.in_case() && seat.launch().member.role == role)
        turn_plan_ = plan_turns(seat.case_run().warmup_ns, setting_.plan.turns, setting_.plan.minimum_turns);
}

// Only after its first set-up is a launch's record complete: that may load libraries.
Ensemble::Step Ensemble::announce(Members members) {
  std::sort(members.begin(), members.end());
  for (const std::size_t i : members) {
    Seat& seat = seats_[i];
    if (!seat.is_announced()) {
      seat.announce(setting_.first_launch + announced_++);
      if (Step step = record(&Journal::launch_started, seat.launch()); !step) return step;
    }
    if (turn_plan_) seat.case_run().batch = turn_plan_->batch;
    if (Step step = record(&Journal::case_started, seat.launch().id, seat.case_run()); !step) return step;
  }
  return {};
}

// All of a group take the same turns: it is spent with the first of its members, and then wants no more.
bool Ensemble::unit_is_spent(const Members& unit) const {
  return std::any_of(unit.begin(), unit.end(), [this](std::size_t i) { return seats_[i].is_spent(); });
}

bool Ensemble::unit_wants_more(const Members& unit) const {
  return !unit_is_spent(unit) &&
         std::any_of(unit.begin(), unit.end(), [this](std::size_t i) { return seats_[i].wants_more(); });
}

Ensemble::Step Ensemble::take_turns(const CaseInfo& info, const Members& starting) {
  const auto any = [this](auto&& holds) { return std::any_of(seats_.begin(), seats_.end(), holds); };
  // Base and twin alone have taken their turns in an earlier part.
  if (std::none_of(starting.begin(), starting.end(), [this](std::size_t i) { return seats_[i].in_case(); })) return {};
  for (Seat& seat : seats_) seat.begin_part();
  for (unsigned taken = 0;; ++taken) {
    const unsigned turn = first_turn_ + taken;
    const bool planned = taken < turn_plan_->turns;
    if (!any([](const Seat& seat) { return seat.in_case(); }) ||
        (!planned && std::none_of(units_.begin(), units_.end(),
                                  [this](const Members& unit) { return unit_wants_more(unit); }))) {
      first_turn_ = turn;
      return {};
    }
    Units again;
    for (const std::size_t place : turn_order(info.name, turn)) {
      const Members& unit = units_[place];
      if (!unit_in_case(unit)) continue;
      Seat& first = seats_[unit.front()];
      if (unit_is_spent(unit) && taken >= setting_.plan.minimum_turns) continue;
      bool disturbed = false;
      if (Step step = take_turn(info, unit, turn, 0, disturbed); !step) return step;
      if (disturbed && first.may_repeat(std::max(turn_plan_->turns, taken + 1))) again.push_back(place);
    }
    for (const std::size_t place : again) {
      bool disturbed = false;
      if (!unit_in_case(units_[place])) continue;
      if (Step step = take_turn(info, units_[place], turn, 1, disturbed); !step) return step;
    }
  }
}

Ensemble::Step Ensemble::take_turn(const CaseInfo& info, const Members& unit, unsigned turn, unsigned attempt,
                                   bool& disturbed) {
  show(seats_[unit.front()], std::min(1.0, static_cast<double>(turn - first_turn_) / turn_plan_->turns));
  const protocol::Turn command{turn, turn_plan_->samples, turn_plan_->batch, references_of_turn(turn)};
  for (const std::size_t i : unit)
    if (!seats_[i].ask_turn(command)) return stopped;
  for (const std::size_t i : unit)
    if (!seats_[i].hear_turn()) return stopped;
  const std::size_t longest = *std::max_element(unit.begin(), unit.end(), [this](std::size_t a, std::size_t b) {
    return seats_[a].turn_seconds() < seats_[b].turn_seconds();
  });
  std::vector<std::pair<std::size_t, Block>> blocks;
  std::string disturbance;
  for (const std::size_t i : unit)
    if (auto block = seats_[i].settle_turn(attempt, i == longest)) {
      if (disturbance.empty() && !block->disturbed.empty())
        disturbance = seats_[i].launch().member.variant + " beside it: " + block->disturbed;
      blocks.emplace_back(i, *std::move(block));
    }
  disturbed = !disturbance.empty();
  // A turn stands for all of a group or for none, or blocks of different moments would be put together.
  for (auto& [i, block] : blocks) {
    if (block.disturbed.empty()) block.disturbed = disturbance;
    if (Step step = record(&Journal::block, seats_[i].launch().id, info.name, block); !step) return step;
  }
  return {};
}

Ensemble::Step Ensemble::end_case(const CaseInfo& info, const Members& members) {
  const std::vector<CpuUse> uses = cpu_uses();
  for (const std::size_t i : members) seats_[i].settle_case_account(uses);
  for (const std::size_t i : order(info.name + " tear-down")) {
    if (std::find(members.begin(), members.end(), i) == members.end()) continue;
    Seat& seat = seats_[i];
    show(seat, 1);
    if (!seat.end_case()) return stopped;
    const CaseRun& run = seat.case_run();
    if (run.outcome == CaseOutcome::failed) {
      ++failures_;
      note(seat, "failed: " + run.reason);
    } else if (run.proof && run.proof->status == ProofStatus::violated) {
      ++failures_;
      note(seat, "binding violated: " + run.proof->detail);
    }
    if (Step step = record(&Journal::case_ended, seat.launch().id, run); !step) return step;
  }
  return {};
}

Ensemble::Step Ensemble::finish() {
  progress_.case_name.clear();
  const std::vector<CpuUse> uses = cpu_uses();
  for (Seat& seat : seats_) seat.settle_account(uses);
  for (Seat& seat : seats_) seat.ask_to_exit();  // all at once, as they started
  for (Seat& seat : seats_) {
    seat.finish();
    if (!seat.launch().failure.empty()) {
      ++failures_;
      note(seat, "launch failed: " + seat.launch().failure);
      if (!seat.launch().output_tail.empty()) watcher_.output(seat.launch().output_tail);
    }
    if (Step step = record(&Journal::launch_ended, seat.launch()); !step) return step;
  }
  return {};
}

}  // namespace bindgate
