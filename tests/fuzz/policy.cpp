// The policy's reader: whatever it takes, every series gets limits that make sense.

#include "verdict/policy.hpp"

#include "target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bindgate;
  const auto policy = parse_policy(fuzz::text_of(data, size), "policy.json");
  if (!policy) {
    fuzz::check_error(policy.error(), "policy.json: ");
    return 0;
  }
  for (const char* name : {"matmul/f32/256x256x256", "decode/threads/1", ""}) {
    const Limits limits = policy->limits_for(name, "none");
    fuzz::check(limits.tolerance >= 0 && limits.tolerance <= 1, "a tolerance is a share");
    // Each override is in order by itself; two that match the same series may cross, which makes it inconclusive.
    fuzz::check(policy->overrides.size() > 1 || !limits.target || *limits.target > limits.tolerance,
                "what may never pass is more than what may never fail");
    fuzz::check(limits.variance.threshold > 0 && limits.variance.halves > 0 && limits.variance.tail > 1,
                "a limit of the variance can be kept");
    fuzz::check(limits.warn_remote_pages.value_or(0) >= 0 && limits.warn_remote_pages.value_or(1) <= 1,
                "what is warned of is a share");
    fuzz::check(limits.warn_cache_misses.value_or(1) >= 1, "what is warned of is more than there was");
    [[maybe_unused]] const bool gating = policy->is_gating(name, "none");
  }
  return 0;
}
