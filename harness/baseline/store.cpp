#include "baseline/store.hpp"

#include <algorithm>
#include <optional>

#include "core/files.hpp"
#include "core/names.hpp"

namespace bindgate {
namespace {

namespace fs = std::filesystem;

constexpr const char* suffix = ".json";
constexpr const char* nightly_list_name = "nightly.json";

bool holds_a_case(const fs::path& file) { return file.extension() == suffix && file.filename() != nightly_list_name; }

std::string no_directory(const fs::path& path) { return path.string() + ": is a file; name the directory of baselines"; }

// What lies in a directory, sorted, so that everything said of it is said in the same order everywhere.
Result<std::vector<fs::path>> entries_of(const fs::path& directory) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error))
    entries.push_back(entry->path());
  if (error)
    return fail(directory.string() + ": " + describe_errno("opendir", error.value()) + "; check the permissions");
  std::sort(entries.begin(), entries.end());
  return entries;
}

Result<CaseHistory> read_history(const fs::path& file) {
  auto text = read_file(file);
  if (!text) return tl::unexpected(text.error());
  return parse_case_history(*text, file.string());
}

Result<CaseHistory> read_own_history(const fs::path& file, const Fingerprint& machine) {
  auto history = read_history(file);
  if (!history) return history;
  if (const std::string name = file_name_of_case(history->case_name) + suffix; name != file.filename())
    return fail(file.string() + ": holds case \"" + history->case_name + "\", whose file is " + name +
                "; rename it or restore it from git");
  if (history->fingerprint != machine) {
    std::string all;
    for (const std::string& line : differences(machine.fields, history->fingerprint.fields)) all += ", " + line;
    return fail(file.string() + ": is of machine " + history->fingerprint.id() + " but lies in the folder of " +
                machine.id() + all + "; move it to its own folder");
  }
  return history;
}

// One readable file tells which machine a folder is of; a folder without any is of none.
std::optional<Fingerprint> machine_of(const fs::path& folder) {
  const auto files = entries_of(folder);
  if (!files) return std::nullopt;
  for (const fs::path& file : *files)
    if (holds_a_case(file))
      if (const auto history = read_history(file)) return history->fingerprint;
  return std::nullopt;
}

void find_nearest(const std::vector<fs::path>& entries, const Fingerprint& machine, Baseline& baseline) {
  for (const fs::path& entry : entries) {
    std::error_code error;
    if (entry.filename() == machine.id() || !fs::is_directory(entry, error)) continue;
    const auto other = machine_of(entry);
    if (!other) continue;
    auto lines = differences(machine.fields, other->fields);
    if (!baseline.nearest.empty() && lines.size() >= baseline.differences.size()) continue;
    baseline.nearest = other->id();
    baseline.differences = std::move(lines);
  }
}

}  // namespace

fs::path baseline_folder(const fs::path& directory, const Fingerprint& machine) { return directory / machine.id(); }

fs::path baseline_file(const fs::path& directory, const Fingerprint& machine, std::string_view case_name) {
  return baseline_folder(directory, machine) / (file_name_of_case(case_name) + suffix);
}

fs::path nightly_list_file(const fs::path& directory, const Fingerprint& machine) {
  return baseline_folder(directory, machine) / nightly_list_name;
}

Result<std::optional<ProfileList>> load_nightly_list(const fs::path& directory, const Fingerprint& machine) {
  const fs::path file = nightly_list_file(directory, machine);
  std::error_code error;
  if (fs::is_regular_file(directory, error)) return fail(no_directory(directory));
  if (fs::status(file, error).type() == fs::file_type::not_found) return std::nullopt;
  const auto text = read_file(file);
  if (!text) return tl::unexpected(text.error());
  auto list = parse_profile_list(*text, file.string());
  if (!list) return tl::unexpected(list.error());
  if (list->profile != Profile::nightly)
    return fail(file.string() + ": $.profile: is the list of profile " + std::string(name_of(list->profile)) +
                "; delete the file to plan anew");
  return *std::move(list);
}

Result<Baseline> load_baseline(const fs::path& directory, const Fingerprint& machine) {
  Baseline baseline;
  std::error_code error;
  const auto type = fs::status(directory, error).type();
  if (type == fs::file_type::not_found) return baseline;
  if (type == fs::file_type::regular) return fail(no_directory(directory));
  const auto entries = entries_of(directory);
  if (!entries) return tl::unexpected(entries.error());
  if (const fs::path folder = baseline_folder(directory, machine);
      std::find(entries->begin(), entries->end(), folder) != entries->end()) {
    const auto files = entries_of(folder);
    if (!files) return tl::unexpected(files.error());
    for (const fs::path& file : *files) {
      if (!holds_a_case(file)) continue;
      auto history = read_own_history(file, machine);
      if (!history) return tl::unexpected(history.error());
      baseline.cases.push_back(*std::move(history));
    }
  }
  std::sort(baseline.cases.begin(), baseline.cases.end(),
            [](const CaseHistory& a, const CaseHistory& b) { return a.case_name < b.case_name; });
  if (baseline.cases.empty()) find_nearest(*entries, machine, baseline);
  return baseline;
}

}  // namespace bindgate
