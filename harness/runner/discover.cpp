#include "runner/discover.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>

#include "core/files.hpp"
#include "runner/charge.hpp"
#include "runner/proc_files.hpp"

namespace bindgate {
namespace {

using SteadyClock = std::chrono::steady_clock;

tl::unexpected<Error> failure(const LaunchOrder& order, const LaunchOver& over, const StopRequest& stop) {
  return fail(order.path + ": " + (over.stopped ? stop.reason() : over.how));
}

}  // namespace

Result<Discovery> discover(const LaunchOrder& order, std::span<const std::string> cases, const Deadlines& deadlines,
                           const StopRequest& stop, const CaseListener& begins) {
  const auto start = SteadyClock::now();
  auto client = LaunchClient::start(order, deadlines, stop);
  if (!client) return tl::unexpected(client.error());
  Discovery discovery;
  auto hello = client->hello();
  if (!hello) return failure(order, hello.error(), stop);
  discovery.start_seconds = seconds_since(start);
  discovery.hello = *std::move(hello);
  discovery.environment = client->environment();
  discovery.loaded = loaded_objects(client->pid());
  std::string over;
  for (const std::string& name : cases) {
    ProbedCase& probed = discovery.cases.emplace_back();
    probed.name = name;
    const auto fail_with = [&probed](std::string reason) {
      probed.outcome = CaseOutcome::failed;
      probed.reason = std::move(reason);
    };
    if (!over.empty()) {
      fail_with("its launch had ended: " + over);
      continue;
    }
    begins(name);
    const auto begun = SteadyClock::now();
    auto answer = client->begin(name);
    probed.set_up_seconds = seconds_since(begun);
    if (!answer) {
      if (answer.error().stopped) return failure(order, answer.error(), stop);
      fail_with(over = answer.error().how);
    } else if (const auto* not_run = std::get_if<protocol::NotRun>(&*answer)) {
      probed.outcome = CaseOutcome::not_run;
      probed.reason = not_run->reason;
    } else if (const auto* failed = std::get_if<protocol::Failed>(&*answer)) {
      fail_with(failed->reason);
    } else {
      auto& ready = std::get<protocol::Ready>(*answer);
      probed.warmup_ns = std::move(ready.warmup_ns);
      probed.working_set_bytes = working_set_bytes(ready);
      probed.threads = ready.threads;
      discovery.loaded = loaded_objects(client->pid());
      if (const auto done = client->next(); !done) {
        if (done.error().stopped) return failure(order, done.error(), stop);
        fail_with(over = done.error().how);
      }
    }
  }
  if (over.empty()) client->finish();
  return discovery;
}

Result<std::string> content_hash(const std::filesystem::path& path) {
  const auto content = read_file(path, std::size_t{4} << 30);
  if (!content) return tl::unexpected(content.error());
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : *content) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
  return std::string(digits);
}

}  // namespace bindgate
