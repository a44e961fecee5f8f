#include "support/program.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "core/names.hpp"
#include "support/cpus.hpp"
#include "support/session.hpp"

namespace bindgate {
namespace {

// Runs the author's function; what it throws, as the reply that says so.
protocol::Reply outcome_of(const CaseBody& body, State& state) {
  try {
    body(state);
    if (!state.measured()) return protocol::Failed{"the case never called measure(); hand it operation and check"};
    return state.done();
  } catch (const protocol::NotRun& reason) {
    return reason;
  } catch (const protocol::Failed& reason) {
    return reason;
  } catch (const EndOfConversation&) {
    throw;
  } catch (const std::exception& error) {
    return protocol::Failed{error.what()};
  } catch (...) {
    return protocol::Failed{"an exception that says nothing; derive it from std::exception"};
  }
}

constexpr const char* usage =
    "usage: bench_%s [--benchmark_filter=REGEX] [--benchmark_list_tests] [--benchmark_min_time=SECONDS]\n"
    "Runs its cases by hand, on BINDGATE_THREADS threads (default: every allowed CPU); more --benchmark_*\n"
    "options are Google Benchmark's. For bindings, baselines and verdicts use `bindgate run`.\n"
    "example: BINDGATE_THREADS=1 bench_%s --benchmark_filter='%s'\n";

}  // namespace

Result<unsigned> requested_threads() {
  const char* text = std::getenv(protocol::threads_variable);
  if (!text) return std::max(1u, static_cast<unsigned>(allowed_cpus().size()));
  const std::string_view digits(text);
  unsigned threads = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), threads);
  if (error != std::errc() || end != digits.end() || threads == 0 || threads > IndexSet::largest_id)
    return fail(std::string(protocol::threads_variable) + ": \"" + text + "\" is no number of threads; give 1 or more");
  return threads;
}

Program::Program(std::string name) {
  hello_.program = std::move(name);
#ifdef BINDGATE_BUILD_TYPE
  hello_.build_type = BINDGATE_BUILD_TYPE;
#endif
  hello_.libraries["benchmark"] = BINDGATE_BENCHMARK_VERSION;
}

void Program::add(CaseInfo info, CaseBody body) {
  for (const CaseInfo& other : hello_.cases)
    if (other.name == info.name) throw std::logic_error("case \"" + info.name + "\" is registered twice");
  hello_.cases.push_back(std::move(info));
  bodies_.push_back(std::move(body));
  served_.push_back(false);
}

int Program::run(int argc, char** argv, unsigned threads) {
  hello_.settings["threads"] = std::to_string(threads);
  const auto descriptors = harness_descriptors();
  if (!descriptors) {
    std::fprintf(stderr, "bench_%s: %s\n", hello_.program.c_str(), descriptors.error().message.c_str());
    return 2;
  }
  if (!*descriptors) return run_by_hand(argc, argv, threads);
  if ((*descriptors)->life) end_with(*(*descriptors)->life);
  Session session(**descriptors);
  try {
    converse(session, threads);
  } catch (const EndOfConversation&) {
  }
  return 0;
}

void Program::converse(Session& session, unsigned threads) {
  hello_.settings["perf_events"] = session.event_state();
  session.send(hello_);
  for (;;) {
    try {
      const protocol::Command command = session.receive();
      if (const auto* wanted = std::get_if<protocol::Begin>(&command))
        session.send(begin(session, wanted->case_name, threads));
      else if (std::holds_alternative<protocol::Next>(command))
        session.send(protocol::Done{});  // the case ended by itself, and its failure has been told
      else
        session.send(protocol::Failed{"a turn, but no case is open; send begin first"});
    } catch (const protocol::Failed& reason) {
      session.send(reason);
    }
  }
}

protocol::Reply Program::begin(Session& session, const std::string& name, unsigned threads) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    names.push_back(hello_.cases[i].name);
    if (names.back() != name) continue;
    if (served_[i]) return protocol::Failed{"case \"" + name + "\": was served before; a launch serves each case once"};
    served_[i] = true;
    State state(hello_.cases[i], threads, session);
    return outcome_of(bodies_[i], state);
  }
  return protocol::Failed{"case \"" + name + "\": not in this program" + suggest(name, names)};
}

int Program::run_by_hand(int argc, char** argv, unsigned threads) {
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--help") == 0 || std::strcmp(argv[i], "-h") == 0) {
      const char* name = hello_.program.c_str();
      std::printf(usage, name, name, hello_.cases.empty() ? "." : hello_.cases.front().name.c_str());
      if (!explanation_.empty()) std::printf("%s\n", explanation_.c_str());
      return 0;
    }
  bool failed = false;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const CaseInfo& info = hello_.cases[i];
    const CaseBody& body = bodies_[i];
    auto* registered = benchmark::RegisterBenchmark(info.name.c_str(), [&info, &body, &failed, threads](benchmark::State& loop) {
      State state(info, threads, loop);
      const auto outcome = outcome_of(body, state);
      if (const auto* reason = std::get_if<protocol::NotRun>(&outcome))
        loop.SkipWithError(("not run: " + reason->reason).c_str());
      if (const auto* reason = std::get_if<protocol::Failed>(&outcome)) {
        failed = true;
        loop.SkipWithError(reason->reason.c_str());
      }
    });
    info.primary == Clock::interval ? registered->UseManualTime() : registered->UseRealTime();
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::AddCustomContext("build", hello_.build_type);
  for (const auto& [name, value] : hello_.settings) benchmark::AddCustomContext(name, value);
  benchmark::AddCustomContext("note", "a DEBUG warning here is about the benchmark library's own loop, not the cases");
  if (benchmark::RunSpecifiedBenchmarks() == 0) return 2;  // it has said that nothing matches
  benchmark::Shutdown();
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

}  // namespace bindgate
