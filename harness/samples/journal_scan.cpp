#include "samples/journal_scan.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "samples/journal_lines.hpp"
#include "samples/protocol.hpp"

namespace bindgate::journal_lines {
namespace {

constexpr std::int64_t any_number = std::numeric_limits<std::int64_t>::max();

/// Each function reads one thing and moves on, or says false; after that nothing may be read.
class Scan {
 public:
  explicit Scan(std::string_view text) : next_(text.data()), end_(next_ + text.size()) {}

  [[nodiscard]] bool at_end() const { return next_ == end_; }

  template <class Number>
  bool integer(std::int64_t low, std::int64_t high, Number& read) {
    if (at_end() || *next_ < '0' || *next_ > '9') return false;
    const char* const first = next_;
    std::int64_t number = 0;
    const auto [last, error] = std::from_chars(first, end_, number);
    next_ = last;
    read = static_cast<Number>(number);
    const bool leading_zero = *first == '0' && last - first > 1;
    return error == std::errc() && !leading_zero && number >= low && number <= high;
  }

  bool integers(std::int64_t low, std::int64_t high, std::vector<std::int64_t>& numbers) {
    if (!take('[')) return false;
    numbers.reserve(expected_length_);
    do {
      std::int64_t number = 0;
      if (!integer(low, high, number)) return false;
      numbers.push_back(number);
    } while (take(','));
    expected_length_ = numbers.size();
    return take(']');
  }

  /// A number from 0 to longest_seconds as JSON writes it; `read` is its value.
  bool seconds(std::optional<double>& read) {
    const char* const first = next_;
    const auto digits = [this] {
      const char* const begin = next_;
      while (!at_end() && *next_ >= '0' && *next_ <= '9') ++next_;
      return next_ - begin;
    };
    const auto whole = digits();
    if (whole == 0 || (*first == '0' && whole > 1)) return false;
    if (take('.') && digits() == 0) return false;
    if (take('e') || take('E')) {
      if (!take('-')) take('+');
      if (digits() == 0) return false;
    }
    double number = 0;
    const auto [last, error] = std::from_chars(first, next_, number);
    read = number;
    return error == std::errc() && last == next_ && number <= longest_seconds;
  }

  bool string(std::string_view& text) {
    if (!take('"')) return false;
    const auto is_plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
    const char* const last = std::find_if_not(next_, end_, is_plain);
    text = {next_, static_cast<std::size_t>(last - next_)};
    next_ = last;
    return take('"');
  }

  bool string(std::string& text) {
    std::string_view read;
    if (!string(read)) return false;
    text = read;
    return true;
  }

  bool words(std::set<std::string>& words) {
    if (!take('[')) return false;
    if (take(']')) return true;
    do {
      std::string word;
      if (!string(word)) return false;
      words.insert(std::move(word));
    } while (take(','));
    return take(']');
  }

  bool literal(std::string_view expected) {
    std::string_view text;
    return string(text) && text == expected;
  }

  template <class Enum, std::size_t count>
  bool one_of(const Enum (&all)[count], Enum& read) {
    std::string_view text;
    return string(text) && find_name(all, text, read);
  }

  /// `member` reads the value of the key that it is given.
  template <class Member>
  bool object(Member member) {
    if (!take('{')) return false;
    if (take('}')) return true;
    do {
      std::string_view key;
      if (!string(key) || !take(':') || !member(key)) return false;
    } while (take(','));
    return take('}');
  }

  template <class Enum, std::size_t count>
  static bool find_name(const Enum (&all)[count], std::string_view name, Enum& found) {
    for (const Enum one : all)
      if (name_of(one) == name) {
        found = one;
        return true;
      }
    return false;
  }

 private:
  bool take(char expected) {
    if (at_end() || *next_ != expected) return false;
    ++next_;
    return true;
  }

  const char* next_;
  const char* end_;
  std::size_t expected_length_ = 1;  // arrays of one line are mostly of one length
};

/// The keys of one object, each to be met once at most and the first few once at least.
template <std::size_t count>
class Keys {
 public:
  constexpr Keys(const std::string_view (&names)[count], std::size_t required) : names_(names), required_(required) {}

  /// The key's position, or `count` if it is unknown or met again.
  std::size_t meet(std::string_view key) {
    const auto place = static_cast<std::size_t>(std::find(names_, names_ + count, key) - names_);
    if (place == count || met_[place]) return count;
    met_[place] = true;
    return place;
  }
  [[nodiscard]] bool complete() const { return std::all_of(met_, met_ + required_, [](bool met) { return met; }); }

 private:
  const std::string_view (&names_)[count];
  std::size_t required_;
  bool met_[count] = {};
};

/// A whole line of this kind. `member` reads what stands under a key by the key's position after the first three.
template <class Content, std::size_t count, class Member>
std::optional<Scanned<Content>> scan_line(Scan& scan, std::string_view kind, const std::string_view (&names)[count],
                                          std::size_t required, Scanned<Content>& found, Member member) {
  Keys keys(names, required);
  const bool good = scan.object([&](std::string_view key) {
    switch (const std::size_t place = keys.meet(key)) {
      case 0: return scan.literal(kind);
      case 1: return scan.integer(0, any_number, found.launch);
      case 2: return scan.string(found.case_name);
      default: return place < count && member(place);
    }
  });
  if (!good || !scan.at_end() || !keys.complete()) return std::nullopt;
  return std::move(found);
}

bool scan_clock(Scan& scan, std::string_view name, Block& block) {
  Clock clock{};
  if (!Scan::find_name(clocks, name, clock)) return false;
  const auto [place, is_new] = block.nanoseconds.try_emplace(clock);
  return is_new && scan.integers(0, longest_sample_ns, place->second);
}

bool scan_readings(Scan& scan, std::string_view name, Block& block) {
  ReferenceKernel kernel{};
  if (!Scan::find_name(reference_kernels, name, kernel)) return false;
  const auto [place, is_new] = block.references.try_emplace(kernel);
  return is_new && scan.integers(1, longest_sample_ns, place->second);
}

bool scan_indicator(Scan& scan, std::string_view name, Indicators& indicators) {
  for (const auto& [known, count] : indicator_names)
    if (name == known) return !(indicators.*count) && scan.integer(0, any_number, (indicators.*count).emplace());
  return false;
}

template <class Key>
bool scan_numbers(Scan& scan, std::map<Key, std::uint64_t>& numbers) {
  return scan.object([&](std::string_view name) {
    Key key = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), key);
    if (error != std::errc() || end != name.data() + name.size()) return false;
    const auto [place, is_new] = numbers.try_emplace(key);
    return is_new && scan.integer(0, any_number, place->second);
  });
}

bool scan_cpus(Scan& scan, IndexSet& cpus) {
  std::string_view list;
  if (!scan.string(list)) return false;
  auto read = IndexSet::parse(list);
  if (read) cpus = *std::move(read);
  return read.has_value();
}

// What most proofs hold; `beside` and `khz` are rarer, and the strict reader's.
bool scan_proof(Scan& scan, Proof& proof) {
  static constexpr std::string_view names[] = {"status",   "detail",          "threads",         "node_bytes",
                                               "migrations", "ran_on",        "policies",        "thread_policies",
                                               "huge_page_bytes", "balanced_bytes", "throttled_seconds",
                                               "node_bytes_before"};
  static constexpr ProofStatus statuses[] = {ProofStatus::held, ProofStatus::violated, ProofStatus::unverifiable};
  Keys keys(names, 5);
  const bool good = scan.object([&](std::string_view key) {
    switch (keys.meet(key)) {
      case 0: return scan.one_of(statuses, proof.status);
      case 1: return scan.string(proof.detail);
      case 2: return scan.integer(0, IndexSet::largest_id, proof.threads);
      case 3: return scan_numbers(scan, proof.node_bytes);
      case 4: return scan.integer(0, any_number, proof.migrations);
      case 5: return scan_cpus(scan, proof.ran_on);
      case 6: return scan.words(proof.policies);
      case 7: return scan.words(proof.thread_policies);
      case 8: return scan_numbers(scan, proof.huge_page_bytes.emplace());
      case 9: return scan.integer(0, any_number, proof.balanced_bytes.emplace());
      case 10: return scan.seconds(proof.throttled_seconds);
      case 11: return scan_numbers(scan, proof.node_bytes_before);
      default: return false;
    }
  });
  return good && keys.complete() && (proof.status != ProofStatus::held || proof.threads > 0);
}

}  // namespace

std::optional<Scanned<Block>> scan_block(std::string_view line) {
  static constexpr std::string_view names[] = {"line",        "launch",  "case",   "turn",
                                               "nanoseconds", "attempt", "forced", "indicators",
                                               "references",  "steal_ticks", "disturbed", "spent_ns"};
  Scan scan(line);
  Scanned<Block> found;
  Block& block = found.content;
  const auto members_of = [&](auto member) {
    return scan.object([&, member](std::string_view name) { return member(scan, name, block); });
  };
  auto scanned = scan_line(scan, "block", names, 5, found, [&](std::size_t key) {
    switch (key) {
      case 3: return scan.integer(0, 1'000'000, block.turn);
      case 4: return members_of(scan_clock);
      case 5: return scan.integer(0, 1, block.attempt);
      case 6: return scan.integers(0, any_number, block.forced);
      case 7: return scan.object([&](std::string_view name) { return scan_indicator(scan, name, block.indicators); });
      case 8: return members_of(scan_readings);
      case 9: return scan.integer(0, any_number, block.steal_ticks);
      case 10: return scan.string(block.disturbed);
      default: return scan.integer(0, longest_sample_ns, block.spent_ns);
    }
  });
  if (!scanned || scanned->content.nanoseconds.empty()) return std::nullopt;
  const auto& times = scanned->content.nanoseconds;
  const auto& forced = scanned->content.forced;
  const std::size_t samples = times.begin()->second.size();
  const bool equal = std::all_of(times.begin(), times.end(),
                                 [=](const auto& clock) { return clock.second.size() == samples; });
  if (!equal || (!forced.empty() && forced.size() != samples)) return std::nullopt;
  return scanned;
}

std::optional<Scanned<CaseRun>> scan_case_start(std::string_view line) {
  static constexpr std::string_view names[] = {"line", "launch", "case", "warmup_ns", "batch", "threads",
                                               "working_set_bytes"};
  Scan scan(line);
  Scanned<CaseRun> found;
  CaseRun& run = found.content;
  return scan_line(scan, "case", names, std::size(names), found, [&](std::size_t key) {
    switch (key) {
      case 3: return scan.integers(0, any_number, run.warmup_ns);
      case 4: return scan.integer(1, protocol::largest_batch, run.batch);
      case 5: return scan.integer(1, IndexSet::largest_id, run.threads);
      default: return scan.integer(0, any_number, run.working_set_bytes);
    }
  });
}

std::optional<Scanned<CaseRun>> scan_case_end(std::string_view line) {
  static constexpr std::string_view names[] = {
      "line",  "launch", "case", "outcome", "reason", "proof", "wall_seconds", "others_cpu_seconds", "steal_seconds"};
  static constexpr CaseOutcome outcomes[] = {CaseOutcome::unfinished, CaseOutcome::ok, CaseOutcome::not_run,
                                             CaseOutcome::failed};
  Scan scan(line);
  Scanned<CaseRun> found;
  CaseRun& run = found.content;
  return scan_line(scan, "case_ended", names, 5, found, [&](std::size_t key) {
    switch (key) {
      case 3: return scan.one_of(outcomes, run.outcome);
      case 4: return scan.string(run.reason);
      case 5: return scan_proof(scan, run.proof.emplace());
      case 6: return scan.seconds(run.wall_seconds);
      case 7: return scan.seconds(run.others_cpu_seconds);
      default: return scan.seconds(run.steal_seconds);
    }
  });
}

}  // namespace bindgate::journal_lines
