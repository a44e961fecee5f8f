#include "runner/ensemble.hpp"

#include <algorithm>

namespace bindgate {
namespace {

const tl::unexpected<Ensemble::Cut> stopped{Ensemble::Cut{}};

Ensemble::Step written(Result<void> result) {
  if (!result) return tl::unexpected(Ensemble::Cut{result.error()});
  return {};
}

}  // namespace

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

std::vector<std::size_t> Ensemble::order(std::string_view moment, unsigned turn) const {
  return order_of_turn(setting_.plan.seed, setting_.round, setting_.program.name, moment, turn, seats_.size());
}

void Ensemble::show(const Seat& seat, double case_done) {
  progress_.variant = seat.launch().member.variant;
  progress_.case_done = case_done;
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
    launch.placement = variant.placement;
    launches.push_back(std::move(launch));
  };
  for (const PlannedVariant& variant : setting_.plan.variants) {
    if (variant.status != VariantStatus::ok || !variant.same_as.empty()) continue;
    const bool is_base = variant.name == setting_.plan.base;
    add(variant, is_base ? Role::base : Role::other);
    if (is_base) add(variant, Role::twin);
  }
  const auto node_count = static_cast<unsigned>(setting_.options.nodes.size());
  for (const std::size_t i :
       order_of_turn(setting_.plan.seed, setting_.round, setting_.program.name, "start", 0, launches.size())) {
    launches[i].id = setting_.first_launch + static_cast<unsigned>(seats_.size());
    seats_.emplace_back(std::move(launches[i]), node_count);
  }
}

Ensemble::Step Ensemble::start() {
  progress_.case_name.clear();
  for (Seat& seat : seats_) {
    show(seat, 0);
    seat.open_account(seats_);
    const LaunchOrder order{setting_.program.path, setting_.program.environment, seat.launch().placement,
                            setting_.options.inherited};
    if (!seat.start(order, setting_.options.deadlines, setting_.stop)) return stopped;
    if (seat.is_over()) note(seat, "launch failed to start");
  }
  return {};
}

Ensemble::Step Ensemble::run_case(const CaseInfo& info) {
  progress_.case_name = info.name;
  Step step = set_up(info);
  if (step) step = take_turns(info);
  return step ? end_case(info) : step;
}

Ensemble::Step Ensemble::set_up(const CaseInfo& info) {
  free_bytes_.clear();
  for (const Node& node : setting_.options.nodes)
    if (const auto bytes = free_bytes_of_node(node.id)) free_bytes_[node.id] = *bytes;
  for (const std::size_t i : order(info.name + " set-up")) {
    show(seats_[i], 0);
    if (!seats_[i].begin_case(info)) return stopped;
  }
  check_memory();
  // The base calibrates for all; where it cannot take part, the first that can stands in.
  auto model = seats_.end();
  for (const Role role : {Role::base, Role::twin, Role::other})
    if (model == seats_.end())
      model = std::find_if(seats_.begin(), seats_.end(),
                           [role](const Seat& seat) { return seat.in_case() && seat.launch().member.role == role; });
  turn_plan_ = {};
  if (model != seats_.end())
    turn_plan_ = plan_turns(model->case_run().warmup_ns, setting_.plan.turns, setting_.plan.minimum_turns);
  // Only now are the launches' records complete: a program may load libraries in its first set-up.
  if (!journalled_)
    for (const Seat& seat : seats_)
      if (Step step = written(journal_.launch_started(seat.launch())); !step) return step;
  journalled_ = true;
  for (Seat& seat : seats_) {
    seat.case_run().batch = turn_plan_.batch;
    if (Step step = written(journal_.case_started(seat.launch().id, seat.case_run())); !step) return step;
  }
  return {};
}

void Ensemble::check_memory() {
  std::vector<MemoryClaim> claims;
  for (const Seat& seat : seats_)
    if (seat.in_case()) claims.push_back({&seat.launch().placement, seat.working_set_bytes()});
  const std::string problem = why_too_large(claims, setting_.options.nodes, free_bytes_);
  if (problem.empty()) return;
  for (Seat& seat : seats_)
    if (seat.in_case()) seat.refuse_case(problem);
}

Ensemble::Step Ensemble::take_turns(const CaseInfo& info) {
  const auto any = [this](auto&& holds) { return std::any_of(seats_.begin(), seats_.end(), holds); };
  for (unsigned turn = 0;; ++turn) {
    const bool planned = turn < turn_plan_.turns;
    if (!any([](const Seat& seat) { return seat.in_case(); })) return {};
    if (!planned && !any([](const Seat& seat) { return seat.wants_more(); })) return {};
    std::vector<std::size_t> again;
    for (const std::size_t i : order(info.name, turn)) {
      Seat& seat = seats_[i];
      if (!seat.in_case() || (seat.is_spent() && turn >= setting_.plan.minimum_turns)) continue;
      bool disturbed = false;
      if (Step step = take_turn(info, seat, turn, 0, disturbed); !step) return step;
      if (disturbed && seat.may_repeat(std::max(turn_plan_.turns, turn + 1))) again.push_back(i);
    }
    for (const std::size_t i : again) {
      bool disturbed = false;
      if (Step step = take_turn(info, seats_[i], turn, 1, disturbed); !step) return step;
    }
  }
}

Ensemble::Step Ensemble::take_turn(const CaseInfo& info, Seat& seat, unsigned turn, unsigned attempt, bool& disturbed) {
  show(seat, std::min(1.0, static_cast<double>(turn) / turn_plan_.turns));
  std::optional<Block> block;
  const protocol::Turn command{turn, turn_plan_.samples, turn_plan_.batch, references_of_turn(turn)};
  if (!seat.take_turn(command, attempt, block)) return stopped;
  if (!block) return {};
  disturbed = !block->disturbed.empty();
  return written(journal_.block(seat.launch().id, info.name, *block));
}

Ensemble::Step Ensemble::end_case(const CaseInfo& info) {
  for (const std::size_t i : order(info.name + " tear-down")) {
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
    if (Step step = written(journal_.case_ended(seat.launch().id, run)); !step) return step;
  }
  return {};
}

Ensemble::Step Ensemble::finish() {
  progress_.case_name.clear();
  for (Seat& seat : seats_) seat.settle_account(seats_);
  for (Seat& seat : seats_) {
    seat.finish();
    if (!seat.launch().failure.empty()) {
      ++failures_;
      note(seat, "launch failed: " + seat.launch().failure);
      if (!seat.launch().output_tail.empty()) watcher_.output(seat.launch().output_tail);
    }
    if (Step step = written(journal_.launch_ended(seat.launch())); !step) return step;
  }
  return {};
}

}  // namespace bindgate
