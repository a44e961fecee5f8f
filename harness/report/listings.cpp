#include "report/listings.hpp"

#include <chrono>

#include "core/names.hpp"
#include "core/printable.hpp"
#include "core/units.hpp"
#include "report/wording.hpp"

namespace bindgate {
namespace {

std::string set_text(const IndexSet& set) { return set.empty() ? "none" : set.list(); }

std::string rotation_text(const PlannedVariant& variant) {
  std::vector<std::string> others;
  for (std::size_t i = 1; i < variant.alternatives.size(); ++i) {
    const Placement& other = variant.alternatives[i];
    others.push_back(set_text(other.cpus) +
                     (other.memory == variant.placement.memory ? "" : " (memory " + memory_text(other.memory) + ')'));
  }
  return "rotates with " + joined(others);
}

// Ranks are one measurement: typed one by one, their lines would be others.
std::string at_once_text(const PlannedVariant& rank, const VariantsListing& listing) {
  std::vector<std::string> fellows;
  for (const VariantsListing::Row& row : listing.rows)
    if (row.variant.group == rank.group && row.variant.name != rank.name) fellows.push_back(row.variant.name);
  if (fellows.empty()) return "works beside others: bindgate variants " + rank.group + " shows them all";
  return "at once with " + joined(fellows) + ": end each one's line with &, then wait; srun's in one job of a whole " +
         "node (salloc --nodes=1 --exclusive)";
}

// What an older release of a tool does not understand of its line.
std::string needed_for(const Memory& memory, const std::string& tool) {
  if (tool != "numactl") return "";
  if (memory.policy == MemoryPolicy::preferred_many) return "(numactl 2.0.16 or newer)";
  if (memory.policy == MemoryPolicy::weighted_interleave) return "(numactl 2.0.19 or newer)";
  return "";
}

std::string work_text(const CaseInfo& info) {
  std::vector<std::string> work;
  if (info.operations > 0) work.push_back(format_rate(info.operations, "FLOP"));
  if (info.bytes > 0) work.push_back(format_bytes(info.bytes));
  if (info.items > 0) work.push_back(format_rate(info.items, (info.item.empty() ? "item" : info.item) + 's'));
  return work.empty() ? "not counted" : joined(work);
}

std::string duration_text(double seconds) {
  return format_duration(std::chrono::duration<double>(seconds));
}

}  // namespace

std::string variants_table(const VariantsListing& listing, const Style& style) {
  Table table(
      {{"variant", false, true}, {"status"}, {"CPUs", false, true}, {"memory", false, true}, {"threads", true}});
  std::string said;  // members of a family mean the same
  for (const auto& [variant, meaning, lines] : listing.rows) {
    const bool planned = variant.status != VariantStatus::skipped;
    table.add({{variant.name},
               {std::string(name_of(variant.status)), planned ? Colour::none : Colour::yellow},
               {planned ? set_text(variant.placement.cpus) : "-"},
               {planned ? memory_text(variant.placement.memory) : "-"},
               {planned ? std::to_string(variant.placement.threads) : "-"}});
    if (!meaning.empty() && meaning != said) table.add_line(printable(said = meaning), "    # ");
    if (!variant.reason.empty()) table.add_line(variant.reason, "    - ");
    if (!variant.same_as.empty()) table.add_line(variant.same_as + ": an equal placement, measured once", "    = ");
    if (!planned) continue;
    if (!variant.alternatives.empty()) table.add_line(rotation_text(variant), "    ~ ");
    for (const auto& [name, value] : variant.placement.environment) table.add_line(name + '=' + value, "    ");
    if (!variant.placement.workers.empty())
      table.add_line("workers on CPUs " + variant.placement.workers.list() + ": no other tool binds them apart",
                     "    ");
    if (!variant.same_as.empty()) continue;
    if (!variant.group.empty()) table.add_line(at_once_text(variant, listing), "    & ");
    for (const auto& [tool, line] : lines) {
      table.add_unbroken_line(line, "    ");
      if (const auto needed = needed_for(variant.placement.memory, tool); !needed.empty())
        table.add_line(needed, "      ");
    }
  }
  std::string text = table.text(style);
  for (const std::string& note : listing.notes) text += '\n' + paragraph("", note, style);
  if (listing.left_out.empty()) return text;
  return text + '\n' +
         paragraph("",
                   "not shown, since no profile measures them unasked: " + joined(listing.left_out) +
                       ". bindgate variants NAME shows one, bindgate variants --help says what each means",
                   style);
}

std::string profile_table(const ProfileListing& listing, const Style& style) {
  const ProfileList& list = listing.list;
  const std::string profile(name_of(list.profile));
  Table table({{"case", false, true},
               {"iteration", true},
               {"in the run", true},
               {"working set", true},
               {"note", false, true}},
              2);
  for (const ListedCase& one : list.cases)
    table.add({{one.name},
               {one.iteration_ns ? format_seconds(1e-9 * static_cast<double>(*one.iteration_ns)) : "-"},
               {duration_text(one.seconds)},
               {one.working_set_bytes ? format_bytes(*one.working_set_bytes) : "-"},
               {one.note}});
  std::string text = table.empty() ? "" : table.text(style);
  text += paragraph("", profile + ": " + counted(list.cases.size(), "case") + ", about " +
                            duration_text(total_seconds(list)) + " (" + counted(list.rounds, "round") + ", " +
                            counted(list.members - 1, "placement") + " + twin)",
                    style);
  if (!listing.stored_in.empty())
    text +=
        paragraph("", "made " + list.planned + ", stored in " + listing.stored_in + "; delete it to plan anew", style);
  else if (list.profile == Profile::nightly)
    text += paragraph("", "made just now, stored nowhere: the first nightly run that is accepted makes its list "
                          "the one for every night after", style);
  if (!list.left_out.empty()) text += "\nleft out\n";
  for (const LeftOut& one : list.left_out) text += paragraph("  - ", one.case_name + ": " + one.reason, style);
  if (!listing.findings.empty()) text += "\nfindings\n";
  for (const std::string& finding : listing.findings) text += paragraph("  - ", finding, style);
  return text;
}

std::string list_table(std::span<const PlannedProgram> programs, const Style& style) {
  Table table({{"case", false, true}, {"per iteration", false, true}, {"profile"}, {"note", false, true}}, 2);
  for (const PlannedProgram& program : programs) {
    table.add_line(program.name);
    for (const CaseInfo& info : program.cases)
      table.add({{info.name}, {work_text(info)}, {std::string(name_of(info.profile))}, {info.label}});
  }
  return table.empty() ? "no cases\n" : table.text(style);
}

}  // namespace bindgate
