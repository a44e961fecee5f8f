#include "report/warning_lines.hpp"

#include <array>
#include <cstdio>

#include "binding/ground.hpp"
#include "core/names.hpp"
#include "core/units.hpp"
#include "report/wording.hpp"
#include "verdict/words.hpp"

namespace bindgate {
namespace {

std::string three_digits(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), value < 1000 ? "%.3g" : "%.0f", value);
  return text.data();
}

}  // namespace

std::string warning_line(const RemotePages& pages) {
  return "remote pages: " + percent(pages.share, pages.threshold) + " of the working set (" +
         format_bytes(pages.bytes) + " of " + format_bytes(pages.working_set_bytes) + ") lay on " +
         nodes_text(pages.nodes) + " in round " + std::to_string(pages.round + 1) +
         ", while the memory nearest to its CPUs is " + nodes_text(pages.nearest) + "; more than " +
         percent(pages.threshold) + " in " + std::to_string(pages.beyond) + " of " + counted(pages.launches, "launch");
}

std::string warning_line(const CacheMisses& misses) {
  const std::string times =
      misses.stored_mpki > 0 ? factor_text(misses.mpki / misses.stored_mpki, misses.threshold) + " times " : "above ";
  return "cache misses: " + three_digits(misses.mpki) + " per 1,000 instructions, " + times + "the baseline's " +
         three_digits(misses.stored_mpki) + " (warned of above " + factor_text(misses.threshold, 0) + " times)";
}

std::vector<std::string> warning_lines(const Warnings& warnings) {
  std::vector<std::string> lines;
  if (warnings.remote_pages) lines.push_back(warning_line(*warnings.remote_pages));
  if (warnings.cache_misses) lines.push_back(warning_line(*warnings.cache_misses));
  return lines;
}

}  // namespace bindgate
