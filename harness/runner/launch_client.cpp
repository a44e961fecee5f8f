#include "runner/launch_client.hpp"

#include <algorithm>

#include "binding/environment.hpp"
#include "core/printable.hpp"
#include "core/units.hpp"

namespace bindgate {
namespace {

constexpr std::size_t longest_quote = 120;

// A piece of someone's output that is safe and short enough for one line of ours.
std::string in_quotes(std::string_view text) {
  return "'" + printable(std::string(text.substr(0, longest_quote))) + (text.size() > longest_quote ? "..." : "") + "'";
}

bool is_locale(std::string_view name) { return name == "LANG" || name == "LANGUAGE" || name.starts_with("LC_"); }

std::string in_seconds(Milliseconds limit) { return format_seconds(std::chrono::duration<double>(limit).count()); }

std::string_view kind_of(const protocol::Reply& reply) {
  static constexpr std::string_view kinds[] = {"hello", "ready", "not_run", "failed", "block", "done"};
  return kinds[reply.index()];
}

// What of `block` is not what `turn` asked for; "" when all is.
std::string mismatch(const protocol::Turn& turn, const Block& block) {
  const auto samples = block.nanoseconds.begin()->second.size();
  if (samples != turn.samples)
    return "a block of " + std::to_string(samples) + " samples where " + std::to_string(turn.samples) +
           " were asked for";
  if (block.turn != turn.turn)
    return "a block of turn " + std::to_string(block.turn) + " in turn " + std::to_string(turn.turn);
  return "";
}

}  // namespace

Deadlines deadlines_for(Milliseconds step) {
  Deadlines deadlines;
  deadlines.hello = deadlines.set_up = deadlines.turn = deadlines.tear_down = step;
  deadlines.exit = std::min(std::max(deadlines.exit, step / 6), step);
  deadlines.grace = std::min(deadlines.grace, step);
  return deadlines;
}

Result<LaunchClient> LaunchClient::start(const LaunchOrder& order, const Deadlines& deadlines,
                                         const StopRequest& stop) {
  LaunchClient client(order, deadlines);
  auto environment = launch_environment(order.inherited, order.placement, order.environment);
  const auto set = [&](const std::string& name, const std::string& value) {
    environment.complete.push_back(name + '=' + value);
    environment.set[name] = value;
  };
  std::erase_if(environment.complete, [](const std::string& setting) {
    const auto name = std::string_view(setting).substr(0, setting.find('='));
    return is_locale(name) || name == protocol::threads_variable;
  });
  for (const auto& [name, value] : order.inherited)
    if (is_locale(name)) environment.removed.push_back(name);
  set("LC_ALL", "C");
  set(protocol::threads_variable, std::to_string(order.placement.threads));
  client.environment_ = std::move(environment.set);
  client.removed_ = std::move(environment.removed);
  client.note_free_memory();
  client.latest_end_ = std::chrono::steady_clock::now() + deadlines.launch;
  auto child = Child::start({order.path, std::move(environment.complete), order.placement}, stop);
  if (!child) return tl::unexpected(child.error());
  client.child_ = *std::move(child);
  return client;
}

LaunchOver LaunchClient::rubbish(const std::string& what) {
  child_->end(Milliseconds(0), deadlines_.grace);
  return {false, "said rubbish: " + what};
}

// When it is dead its memory is free again: what counts is how much there was before it asked for more.
void LaunchClient::note_free_memory() {
  if (memory_.policy != MemoryPolicy::bind) return;
  free_before_.clear();
  for (const unsigned node : memory_.nodes)
    if (const auto bytes = free_bytes_(node)) free_before_[node] = *bytes;
}

// A bound process that the kernel kills has mostly run out of its nodes' memory, and no log of its own says so.
std::string LaunchClient::about_memory(const Ending& ending) const {
  if (memory_.policy != MemoryPolicy::bind || !ending.how.starts_with("killed by SIGKILL")) return "";
  std::string text = "; its memory was bound to node" + std::string(memory_.nodes.size() > 1 ? "s " : " ") +
                     memory_.nodes.list();
  std::uint64_t free = 0;
  for (const auto& [node, bytes] : free_before_) free += bytes;
  if (!free_before_.empty()) text += ", which had " + format_bytes(free) + " free";
  return text + ": MPOL_BIND never spills";
}

LaunchOver LaunchClient::over(const NoLine& why, Milliseconds limit) {
  using Why = NoLine::Why;
  if (why.why == Why::stopped) return {true, ""};
  if (why.why == Why::rubbish)
    return rubbish("a line of more than " + format_bytes(Child::longest_line) + ": " + in_quotes(why.fragment));
  std::string how;
  if (why.why == Why::silent) {
    child_->end(Milliseconds(0), deadlines_.grace);
    how = "no reply within " + in_seconds(limit);
  } else {
    // A closed pipe is mostly the first that is seen of a process on its way out.
    const Ending ending = child_->end(deadlines_.grace, deadlines_.grace);
    how = ending.forced        ? "closed its reply pipe"
          : ending.how.empty() ? "exited with status 0 before its time"
                               : ending.how + about_memory(ending);
  }
  if (!why.fragment.empty()) how += " after half a line: " + in_quotes(why.fragment);
  if (const std::string words = child_->last_words(); !words.empty()) how += "; it last said: " + in_quotes(words);
  return {false, how};
}

Answer<protocol::Reply> LaunchClient::reply(Milliseconds limit) {
  const auto left = std::chrono::ceil<Milliseconds>(latest_end_ - std::chrono::steady_clock::now());
  if (left <= Milliseconds(0)) {
    child_->end(Milliseconds(0), deadlines_.grace);
    return tl::unexpected(LaunchOver{false, "not done within " + in_seconds(deadlines_.launch) + " as a whole"});
  }
  auto line = child_->read_line(std::min(limit, left));
  if (!line) return tl::unexpected(over(line.error(), std::min(limit, left)));
  auto parsed = protocol::parse_reply(*line, "reply");
  if (!parsed) return tl::unexpected(rubbish(parsed.error().message + ", in " + in_quotes(*line)));
  return *std::move(parsed);
}

Answer<void> LaunchClient::say(const protocol::Command& command) {
  if (child_->has_more()) return tl::unexpected(rubbish("a line that nobody asked for"));
  child_->write_line(protocol::encode(command));
  return {};
}

Answer<protocol::Reply> LaunchClient::ask(const protocol::Command& command, Milliseconds limit) {
  if (auto said = say(command); !said) return tl::unexpected(said.error());
  return reply(limit);
}

Answer<protocol::Hello> LaunchClient::hello() {
  auto said = reply(deadlines_.hello);
  if (!said) return tl::unexpected(said.error());
  if (auto* hello = std::get_if<protocol::Hello>(&*said)) return std::move(*hello);
  return tl::unexpected(rubbish("'" + std::string(kind_of(*said)) + "' where a hello was due"));
}

Answer<LaunchClient::BeginAnswer> LaunchClient::begin(const std::string& case_name) {
  note_free_memory();
  auto said = ask(protocol::Begin{case_name}, deadlines_.set_up);
  if (!said) return tl::unexpected(said.error());
  if (auto* ready = std::get_if<protocol::Ready>(&*said)) return BeginAnswer(std::move(*ready));
  if (auto* not_run = std::get_if<protocol::NotRun>(&*said)) return BeginAnswer(std::move(*not_run));
  if (auto* failed = std::get_if<protocol::Failed>(&*said)) return BeginAnswer(std::move(*failed));
  return tl::unexpected(rubbish("'" + std::string(kind_of(*said)) + "' in answer to begin"));
}

Answer<void> LaunchClient::ask_turn(const protocol::Turn& turn) {
  note_free_memory();
  return say(turn);
}

Answer<LaunchClient::TurnAnswer> LaunchClient::hear_turn(const protocol::Turn& turn) {
  auto said = reply(deadlines_.turn);
  if (!said) return tl::unexpected(said.error());
  if (auto* failed = std::get_if<protocol::Failed>(&*said)) return TurnAnswer(std::move(*failed));
  auto* block = std::get_if<Block>(&*said);
  if (!block) return tl::unexpected(rubbish("'" + std::string(kind_of(*said)) + "' in answer to turn"));
  if (const std::string what = mismatch(turn, *block); !what.empty()) return tl::unexpected(rubbish(what));
  return TurnAnswer(std::move(*block));
}

Answer<protocol::Done> LaunchClient::next() {
  auto said = ask(protocol::Next{}, deadlines_.tear_down);
  if (!said) return tl::unexpected(said.error());
  if (auto* done = std::get_if<protocol::Done>(&*said)) return std::move(*done);
  return tl::unexpected(rubbish("'" + std::string(kind_of(*said)) + "' in answer to next"));
}

void LaunchClient::ask_to_exit() {
  if (!asked_to_exit_) child_->write_line(protocol::encode(protocol::Exit{}));
  asked_to_exit_ = true;
}

std::string LaunchClient::finish() {
  ask_to_exit();
  const Ending ending = child_->end(deadlines_.exit, deadlines_.grace);
  return ending.how.empty() ? "" : ending.how + " when asked to exit";
}

}  // namespace bindgate
