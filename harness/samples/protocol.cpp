#include "samples/protocol.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

namespace bindgate::protocol {
namespace {

using Json = nlohmann::json;

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

constexpr std::int64_t largest_batch = 1'000'000'000;
constexpr std::int64_t largest_samples = 1'000'000;

// A reason may quote bytes from anywhere; an invalid UTF-8 sequence must not stop the line that reports it.
std::string one_line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json with_reply(const char* reply, Json json = Json::object()) {
  json["reply"] = reply;
  return json;
}

std::string reason_of(const JsonCursor& cursor) {
  const auto reason = cursor.find("reason");
  return reason ? reason->string() : "no reason given";
}

Hello read_hello(const JsonCursor& cursor) {
  Hello hello;
  hello.version = static_cast<int>(cursor["protocol"].integer(0, 1'000'000));
  if (hello.version != version)
    cursor["protocol"].fault("speaks version " + std::to_string(hello.version) + " of the protocol, this harness " +
                             std::to_string(version) + "; build both from the same source");
  hello.program = cursor["program"].string();
  if (const auto build = cursor.find("build_type")) hello.build_type = build->string();
  if (const auto libraries = cursor.find("libraries")) hello.libraries = libraries->string_map();
  if (const auto settings = cursor.find("settings")) hello.settings = settings->string_map();
  std::set<std::string> names;  // a line may hold a million cases: comparing each with each would never end
  for (const JsonCursor& item : cursor["cases"].items()) {
    hello.cases.push_back(read_case_info(item));
    const std::string& name = hello.cases.back().name;
    if (!names.insert(name).second)
      item["name"].fault("case \"" + name + "\" is listed twice; every case needs its own name");
  }
  return hello;
}

Ready read_ready(const JsonCursor& cursor) {
  Ready ready;
  ready.warmup_ns = cursor["warmup_ns"].integers(0);
  if (ready.warmup_ns.empty()) cursor["warmup_ns"].fault("needs at least one warm-up iteration");
  if (const auto ranges = cursor.find("ranges"))
    for (const JsonCursor& range : ranges->items())
      ready.ranges.push_back(
          {static_cast<std::uint64_t>(range["start"].integer()), static_cast<std::uint64_t>(range["bytes"].integer())});
  if (const auto threads = cursor.find("threads"))
    ready.threads = static_cast<unsigned>(threads->integer(1, IndexSet::largest_id));
  if (const auto warmed = cursor.find("warmed_ns")) ready.warmed_ns = warmed->integer();
  if (const auto moves = cursor.find("moves")) ready.moves = moves->boolean();
  return ready;
}

Done read_done(const JsonCursor& cursor) {
  Done done;
  if (const auto figures = cursor.find("figures")) done.figures = figures->number_map();
  return done;
}

}  // namespace

std::uint64_t working_set_bytes(const Ready& ready) {
  static constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  std::uint64_t bytes = 0;
  for (const Range& range : ready.ranges) bytes = std::min(most, bytes + std::min(most, range.bytes));
  return bytes;
}

std::string encode(const Command& command) {
  const Json json = std::visit(Overloaded{[](const Begin& begin) {
                                            return Json{{"command", "begin"}, {"case", begin.case_name}};
                                          },
                                          [](const Turn& turn) {
                                            Json references = Json::array();
                                            for (const ReferenceKernel kernel : turn.references)
                                              references.push_back(name_of(kernel));
                                            return Json{{"command", "turn"},
                                                        {"turn", turn.turn},
                                                        {"samples", turn.samples},
                                                        {"batch", turn.batch},
                                                        {"references", references}};
                                          },
                                          [](const Next&) {
                                            return Json{{"command", "next"}};
                                          },
                                          [](const Exit&) {
                                            return Json{{"command", "exit"}};
                                          }},
                               command);
  return one_line(json);
}

std::string encode(const Reply& reply) {
  const Json json = std::visit(
      Overloaded{[](const Hello& hello) {
                   Json cases = Json::array();
                   for (const CaseInfo& info : hello.cases) cases.push_back(to_json(info));
                   return with_reply("hello", {{"protocol", hello.version},
                                               {"program", hello.program},
                                               {"build_type", hello.build_type},
                                               {"libraries", hello.libraries},
                                               {"settings", hello.settings},
                                               {"cases", cases}});
                 },
                 [](const Ready& ready) {
                   Json ranges = Json::array();
                   for (const Range& range : ready.ranges)
                     ranges.push_back({{"start", range.start}, {"bytes", range.bytes}});
                   Json keys{{"warmup_ns", ready.warmup_ns}, {"ranges", ranges}, {"threads", ready.threads}};
                   if (ready.warmed_ns > 0) keys["warmed_ns"] = ready.warmed_ns;
                   if (ready.moves) keys["moves"] = true;
                   return with_reply("ready", std::move(keys));
                 },
                 [](const NotRun& not_run) {
                   return with_reply("not_run", {{"reason", not_run.reason}});
                 },
                 [](const Failed& failed) {
                   return with_reply("failed", {{"reason", failed.reason}});
                 },
                 [](const Block& block) { return with_reply("block", to_json(block)); },
                 [](const Done& done) {
                   return with_reply("done", done.figures.empty() ? Json::object() : Json{{"figures", done.figures}});
                 }},
      reply);
  return one_line(json);
}

Result<Command> parse_command(std::string_view line, const std::string& source) {
  static constexpr std::string_view names[] = {"begin", "turn", "next", "exit"};
  JsonDocument document(line, source);
  const JsonCursor root = document.root();
  switch (root["command"].one_of(names)) {
    case 0:
      return document.finish<Command>(Begin{root["case"].string()});
    case 1: {
      Turn turn;
      turn.turn = static_cast<unsigned>(root["turn"].integer(0, 1'000'000));
      turn.samples = static_cast<unsigned>(root["samples"].integer(1, largest_samples));
      turn.batch = root["batch"].integer(1, largest_batch);
      for (const JsonCursor& kernel : root["references"].items())
        turn.references.push_back(read_reference_kernel(kernel));
      return document.finish<Command>(turn);
    }
    case 2:
      return document.finish<Command>(Next{});
    default:
      return document.finish<Command>(Exit{});
  }
}

Result<Reply> parse_reply(std::string_view line, const std::string& source) {
  static constexpr std::string_view names[] = {"hello", "ready", "not_run", "failed", "block", "done"};
  JsonDocument document(line, source);
  const JsonCursor root = document.root();
  switch (root["reply"].one_of(names)) {
    case 0:
      return document.finish<Reply>(read_hello(root));
    case 1:
      return document.finish<Reply>(read_ready(root));
    case 2:
      return document.finish<Reply>(NotRun{reason_of(root)});
    case 3:
      return document.finish<Reply>(Failed{reason_of(root)});
    case 4:
      return document.finish<Reply>(read_block(root));
    default:
      return document.finish<Reply>(read_done(root));
  }
}

}  // namespace bindgate::protocol
