// A well-behaved program whose times are made up: each case "takes" what its name says, without taking it.
// Cases: steady/fast (1 us; the only one of the quick profile), steady/medium (2 ms), steady/slow (100 ms),
// steady/endless (400 ms), steady/sluggish (2 s); steady/absent is not run, steady/wrong fails its check, steady/huge claims a petabyte.
// STEADY_CASES (space-separated) replaces the list. STEADY_SLUGGISH=CASE makes that case take 2 s.
// STEADY_DIE_BEFORE=CASE ends the process with status 3 when that case is set up.
// STEADY_BLAS_CORE is the BLAS core that it reports unless OPENBLAS_CORETYPE names one, and with STEADY_BAD_CORE so
// named the case steady/blas computes wrong results.
// STEADY_CLAIM=BYTES is claimed by every case.
// STEADY_WAITS=CASE keeps the CPU for nine tenths of that case's time only.
// STEADY_DIE_AT=CASE ends the process with status 3 in the third turn of that case, in the launches whose
// STEADY_DIE_IN (a file that only one of them can remove) falls to them.
// STEADY_MEETS=MODE:FIFO, of one launch "r" and of another "w", begins no block before the other launch begins one.
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <sstream>
#include <variant>

#include "conversation.hpp"

namespace {

using namespace bindgate;
using namespace bindgate::protocol;
using children::hear;
using children::say;

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::int64_t duration_of(const std::string& name) {
  if (name.ends_with("sluggish") || setting("STEADY_SLUGGISH") == name) return 2'000'000'000;
  if (name.ends_with("endless")) return 400'000'000;
  if (name.ends_with("slow")) return 100'000'000;
  if (name.ends_with("medium")) return 2'000'000;
  return 1'000;
}

Hello hello() {
  Hello hello;
  hello.program = "child_steady";
  hello.build_type = "Release";
  hello.libraries = {{"made-up", "1.0"}};
  hello.settings = {{"threads", setting(threads_variable)}};
  if (const std::string core = setting("OPENBLAS_CORETYPE"); !core.empty()) hello.settings["blas_core"] = core;
  else if (!setting("STEADY_BLAS_CORE").empty()) hello.settings["blas_core"] = setting("STEADY_BLAS_CORE");
  std::istringstream names(setting("STEADY_CASES").empty()
                               ? "steady/fast steady/medium steady/slow steady/absent steady/wrong"
                               : setting("STEADY_CASES"));
  for (std::string name; names >> name;) {
    CaseInfo info;
    info.name = name;
    info.preemption = Preemption::cpu_gap;
    info.profile = name.ends_with("fast") ? Profile::quick : Profile::nightly;
    hello.cases.push_back(info);
  }
  return hello;
}

Reply begin_case(const std::string& name) {
  if (name.ends_with("absent")) return NotRun{"made up to be absent"};
  if (name.ends_with("blas") && setting("OPENBLAS_CORETYPE") == setting("STEADY_BAD_CORE"))
    return Failed{"expected 1, found 3"};
  if (name.ends_with("wrong")) return Failed{"expected 1, found 2"};
  Ready ready;
  ready.warmup_ns.assign(6, duration_of(name));
  ready.warmup_ns.front() *= 10;
  if (name.ends_with("huge")) ready.ranges.push_back({0x10000, std::uint64_t{1} << 50});
  if (!setting("STEADY_CLAIM").empty()) ready.ranges.push_back({0x10000, std::stoull(setting("STEADY_CLAIM"))});
  return ready;
}

// Opening a fifo waits for its other end.
void meet(const std::string& rendezvous) {
  if (rendezvous.empty()) return;
  const int end = open(rendezvous.substr(2).c_str(), rendezvous.front() == 'r' ? O_RDONLY : O_WRONLY);
  if (end >= 0) close(end);
}

Block take(const Turn& turn, const std::string& name) {
  meet(setting("STEADY_MEETS"));
  Block block;
  block.turn = turn.turn;
  const std::int64_t sample = duration_of(name) * turn.batch;
  block.nanoseconds[Clock::wall].assign(turn.samples, sample);
  block.nanoseconds[Clock::thread].assign(turn.samples, setting("STEADY_WAITS") == name ? sample * 9 / 10 : sample);
  // Turn 1 looks disturbed once; its repetition does not, being asked with the same number.
  static std::map<std::string, int> asked;
  if (setting("STEADY_DISTURBED") == name && turn.turn == 1 && asked[name]++ == 0) block.indicators.forced_switches = 2;
  for (const ReferenceKernel kernel : turn.references) block.references[kernel] = {500'000, 500'000};
  return block;
}

}  // namespace

int main() {
  say(hello());
  std::string current;
  int turns = 0;
  while (const auto command = hear()) {
    if (const auto* begun = std::get_if<Begin>(&*command)) {
      current = begun->case_name;
      turns = 0;
      if (setting("STEADY_DIE_BEFORE") == current) return 3;
      say(begin_case(current));
    } else if (const auto* taken = std::get_if<Turn>(&*command)) {
      if (++turns == 3 && setting("STEADY_DIE_AT") == current && unlink(setting("STEADY_DIE_IN").c_str()) == 0)
        return 3;
      say(take(*taken, current));
    } else if (std::holds_alternative<Next>(*command)) {
      say(Done{});
    } else {
      return 0;
    }
  }
  return 0;
}
