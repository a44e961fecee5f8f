#include "core/json_cursor.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "core/names.hpp"

namespace bindgate {
namespace {

const nlohmann::json null_value;

constexpr std::size_t longest_shown = 40;
constexpr int deepest_nesting = 100;  // copying and writing values recurses

std::string in_quotes(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool is_plain_key(std::string_view key) {
  return !key.empty() &&
         std::all_of(key.begin(), key.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

std::string member_path(const std::string& path, std::string_view key) {
  return is_plain_key(key) ? path + '.' + std::string(key) : path + '[' + in_quotes(key) + ']';
}

// Of the last character that was read, and of a text of one line its column only: whoever reads lines names theirs.
std::string place_of(std::size_t byte, std::string_view text) {
  const std::string_view before = text.substr(0, std::min(byte, text.size() + 1) - 1);
  const std::string_view line = before.substr(before.rfind('\n') + 1);  // npos + 1 is 0
  const auto begins_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };  // of UTF-8
  const std::string column = "column " + std::to_string(std::count_if(line.begin(), line.end(), begins_character) + 1);
  if (text.find('\n') == std::string_view::npos) return column;
  return "line " + std::to_string(std::count(before.begin(), before.end(), '\n') + 1) + ", " + column;
}

// In our words what nlohmann's say at their end: "... - unexpected string literal; expected '}'", where it takes no
// account of a comma, and "... - invalid literal; last read: 'tru]'", where a value is missing.
std::string expectation(std::string_view told) {
  constexpr std::string_view any_value = "a value (a \"string\", a number, true, false, null, [ or {)";
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> words{
      {{"; expected string literal", "a \"key\""},
       {"; expected ':'", "a colon"},
       {"; expected ']'", "a comma or ]"},
       {"; expected '}'", "a comma or }"},
       {"; expected end of input", "the end"}}};
  const auto is_told = [told](const auto& one) { return told.ends_with(one.first); };
  const auto wanted = std::find_if(words.begin(), words.end(), is_told);
  told.remove_prefix(std::min(told.find(" - ") + 3, told.size()));
  std::string found(told.substr(0, told.find(';')));
  if (constexpr std::string_view surprise = "unexpected "; found.starts_with(surprise)) found.erase(0, surprise.size());
  return "expected " + std::string(wanted == words.end() ? any_value : wanted->second) + ", found " + found;
}

struct TooDeep {};

// nlohmann keeps the last of duplicate keys; a strict reader must see that there were two.
class StrictSyntax {
 public:
  bool operator()(int depth, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    using Event = nlohmann::json::parse_event_t;
    if (depth >= deepest_nesting && (event == Event::object_start || event == Event::array_start)) throw TooDeep{};
    if (event == Event::object_start) seen_.emplace_back();
    if (event == Event::object_end) seen_.pop_back();
    if (event == Event::key && !seen_.back().insert(parsed.get<std::string>()).second && !duplicate)
      duplicate = parsed.get<std::string>();
    return true;
  }
  std::optional<std::string> duplicate;

 private:
  std::vector<std::set<std::string>> seen_;
};

}  // namespace

JsonDocument::JsonDocument(std::string_view text, std::string source, Nulls nulls)
    : value_(std::make_unique<nlohmann::json>()), source_(std::move(source)), nulls_(nulls) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    fault_ = source_ + ": is empty; expected JSON";
    return;
  }
  // The parser takes this byte for the end, and whatever follows would go unseen.
  if (const std::size_t place = text.find('\0'); place != std::string_view::npos) {
    fault_ = source_ + ": is not JSON (" + place_of(place + 1, text) + "): found a NUL byte; is it the right file?";
    return;
  }
  try {
    StrictSyntax syntax;
    *value_ = nlohmann::json::parse(text, std::ref(syntax));
    if (syntax.duplicate)
      fault_ = source_ + ": key " + in_quotes(*syntax.duplicate) + " stands twice in one object; keep one";
  } catch (const TooDeep&) {
    fault_ = source_ + ": is nested deeper than " + std::to_string(deepest_nesting) + " levels; is it the right file?";
  } catch (const nlohmann::json::parse_error& error) {
    fault_ = source_ + ": is not JSON (" + place_of(error.byte, text) + "): " + expectation(error.what());
  } catch (const nlohmann::json::out_of_range&) {
    fault_ = source_ + ": holds a number too large for a double; numbers must be finite";
  }
}

JsonDocument::~JsonDocument() = default;

JsonCursor JsonDocument::root() { return {this, good() ? value_.get() : &null_value, "$"}; }

JsonCursor::JsonCursor(JsonDocument* document, const nlohmann::json* value, std::string path)
    : document_(document), value_(value), path_(std::move(path)) {}

void JsonCursor::fault(std::string problem) const {
  if (document_->good()) document_->fault_ = document_->source_ + ": " + path_ + ": " + std::move(problem);
}

std::string JsonCursor::found() const {
  std::string text = value_->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (text.size() > longest_shown) text = text.substr(0, longest_shown) + "...";
  return "found " + text;
}

JsonCursor JsonCursor::operator[](std::string_view key) const {
  const std::string path = member_path(path_, key);
  if (!value_->is_object()) {
    fault("expected an object, " + found());
  } else if (const auto member = value_->find(key); member != value_->end()) {
    return {document_, &*member, path};
  } else {
    fault("key " + in_quotes(key) + " is missing");
  }
  return {document_, &null_value, path};
}

std::optional<JsonCursor> JsonCursor::find(std::string_view key) const {
  if (!value_->is_object()) {
    fault("expected an object, " + found());
    return std::nullopt;
  }
  const auto member = value_->find(key);
  if (member == value_->end()) return std::nullopt;
  if (member->is_null() && document_->nulls_ == Nulls::are_absent) return std::nullopt;
  return JsonCursor(document_, &*member, member_path(path_, key));
}

std::vector<JsonCursor> JsonCursor::items() const {
  std::vector<JsonCursor> items;
  if (!value_->is_array()) {
    fault("expected an array, " + found());
    return items;
  }
  items.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i)
    items.push_back({document_, &(*value_)[i], path_ + '[' + std::to_string(i) + ']'});
  return items;
}

std::vector<std::pair<std::string, JsonCursor>> JsonCursor::members() const {
  std::vector<std::pair<std::string, JsonCursor>> members;
  if (!value_->is_object())
    fault("expected an object, " + found());
  else
    for (const auto& [key, value] : value_->items())
      members.emplace_back(key, JsonCursor(document_, &value, member_path(path_, key)));
  return members;
}

std::string JsonCursor::string() const {
  if (value_->is_string()) return value_->get<std::string>();
  fault("expected a string, " + found());
  return {};
}

bool JsonCursor::boolean() const {
  if (value_->is_boolean()) return value_->get<bool>();
  fault("expected true or false, " + found());
  return false;
}

double JsonCursor::number(double low, double high) const {
  if (!value_->is_number()) {
    fault("expected a number, " + found());
    return low > 0 ? low : 0;
  }
  const double number = value_->get<double>();
  if (std::isfinite(number) && number >= low && number <= high) return number;
  const auto shown = [](double bound) { return nlohmann::json(bound).dump(); };
  if (high == std::numeric_limits<double>::max())
    fault("expected a number of at least " + shown(low) + ", " + found());
  else
    fault("expected a number from " + shown(low) + " to " + shown(high) + ", " + found());
  return low;
}

std::int64_t JsonCursor::integer(std::int64_t low, std::int64_t high) const {
  if (!value_->is_number_integer()) {
    fault("expected a whole number, " + found());
    return low;
  }
  const bool above = value_->is_number_unsigned() &&
                     value_->get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  const std::int64_t number = above ? high : value_->get<std::int64_t>();
  if (!above && number >= low && number <= high) return number;
  if (high == std::numeric_limits<std::int64_t>::max())
    fault("expected a whole number of at least " + std::to_string(low) + " that fits 63 bits, " + found());
  else
    fault("expected a whole number from " + std::to_string(low) + " to " + std::to_string(high) + ", " + found());
  return low;
}

std::vector<std::int64_t> JsonCursor::integers(std::int64_t low, std::int64_t high) const {
  std::vector<std::int64_t> numbers;
  if (!value_->is_array()) {
    fault("expected an array of whole numbers, " + found());
    return numbers;
  }
  numbers.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i) {
    const auto& item = (*value_)[i];
    if (const auto number = item.is_number_unsigned() ? item.get<std::int64_t>() : -1;
        number >= std::max<std::int64_t>(low, 0) && number <= high)
      numbers.push_back(item.get<std::int64_t>());
    else
      numbers.push_back(JsonCursor(document_, &item, path_ + '[' + std::to_string(i) + ']').integer(low, high));
  }
  return numbers;
}

std::vector<std::string> JsonCursor::strings() const {
  std::vector<std::string> strings;
  for (const JsonCursor& item : items()) strings.push_back(item.string());
  return strings;
}

std::map<std::string, std::string> JsonCursor::string_map() const {
  std::map<std::string, std::string> map;
  for (const auto& [key, value] : members()) map.emplace(key, value.string());
  return map;
}

std::map<std::string, double> JsonCursor::number_map() const {
  std::map<std::string, double> map;
  for (const auto& [key, value] : members()) map.emplace(key, value.number());
  return map;
}

bool JsonCursor::is_string() const { return value_->is_string(); }

bool JsonCursor::is_number() const { return value_->is_number(); }

bool JsonCursor::is_object() const { return value_->is_object(); }

std::string JsonCursor::dump() const { return value_->dump(); }

std::size_t JsonCursor::one_of(std::span<const std::string_view> names) const {
  const std::vector<std::string> known(names.begin(), names.end());
  if (!is_string()) {
    fault("expected one of " + joined(known) + ", " + found());
    return 0;
  }
  const std::string name = string();
  const auto place = std::find(known.begin(), known.end(), name);
  if (place != known.end()) return static_cast<std::size_t>(place - known.begin());
  fault("unknown value " + in_quotes(name) + suggest(name, known));
  return 0;
}

void JsonCursor::only(std::initializer_list<std::string_view> keys) const {
  const std::vector<std::string> known(keys.begin(), keys.end());
  for (const auto& [key, value] : members())
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      fault("unknown key " + in_quotes(key) + suggest(key, known));
      return;
    }
}

}  // namespace bindgate
