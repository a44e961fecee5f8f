#include "binding/expression.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "core/names.hpp"

namespace bindgate {
namespace {

constexpr std::string_view operand_help =
    "a set (allowed, node:1, package:0, die:0.1, l3:3, cluster:2, cpus:0-7,16, device:0000:81:00.0, "
    "kind:performance, isolated, or any: node:any, package:any, l3:any, core:any), a function of one (cores, packed, "
    "siblings, even, near, far, share:0/2), or a set in parentheses";
constexpr std::string_view operator_help = "&, |, - or the end";

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_space(char c) { return c == ' ' || c == '\t'; }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

}  // namespace

std::optional<std::string> pci_address(std::string_view text) {
  std::string address(text);
  if (std::count(address.begin(), address.end(), ':') == 1) address.insert(0, "0000:");
  std::transform(address.begin(), address.end(), address.begin(), [](unsigned char c) { return std::tolower(c); });
  // Four digits of domain or more: some bridges give their devices domains of 32 bits.
  const auto colon = address.find(':');
  if (colon == std::string::npos || colon < 4 || colon > 8 || address.size() != colon + 8) return std::nullopt;
  for (std::size_t i = 0; i < address.size(); ++i) {
    const char wanted = i == colon || i == colon + 3 ? ':' : i == colon + 6 ? '.' : '0';
    if (wanted == '0' ? std::isxdigit(static_cast<unsigned char>(address[i])) == 0 : address[i] != wanted)
      return std::nullopt;
  }
  return address;
}

// By recursive descent: set := term (('|' | '-') term)*, term := operand ('&' operand)*. The first fault ends it.
class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) : text_(text) {}

  Result<Expression> whole() {
    auto set = this->set();
    if (set && !at_end()) return refuse(position_, "expected " + std::string(operator_help) + found());
    return set;
  }

 private:
  using Kind = Expression::Kind;

  struct Atom {
    std::string_view word;
    Kind kind;
  };
  static constexpr std::array<Atom, 5> lists{{{"node", Kind::node},
                                              {"package", Kind::package},
                                              {"l3", Kind::l3},
                                              {"cluster", Kind::cluster},
                                              {"cpus", Kind::cpus}}};
  static constexpr std::array<Atom, 7> functions{{{"cores", Kind::cores},
                                                  {"packed", Kind::packed},
                                                  {"siblings", Kind::siblings},
                                                  {"even", Kind::even},
                                                  {"near", Kind::near},
                                                  {"far", Kind::far},
                                                  {"share", Kind::share}}};
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> words_of_other_tools{
      {{"socket", "package"}, {"numa", "node"}, {"numanode", "node"}, {"pu", "cpus"}}};

  static std::optional<AnyOf> choice_of(std::string_view word) {
    if (word == "node") return AnyOf::node;
    if (word == "package") return AnyOf::package;
    if (word == "l3") return AnyOf::l3;
    return word == "core" ? std::optional(AnyOf::core) : std::nullopt;
  }

  void skip_space() {
    while (position_ < text_.size() && is_space(text_[position_])) ++position_;
  }
  bool at_end() {
    skip_space();
    return position_ == text_.size();
  }
  bool take(char wanted) {
    if (at_end() || text_[position_] != wanted) return false;
    ++position_;
    return true;
  }
  [[nodiscard]] std::string found() const {
    return position_ == text_.size() ? ", found the end" : ", found '" + std::string(1, text_[position_]) + "'";
  }
  [[nodiscard]] tl::unexpected<Error> refuse(std::size_t place, const std::string& problem) const {
    return fail("character " + std::to_string(place + 1) + ", at ^ in '" + std::string(text_.substr(0, place)) + '^' +
                std::string(text_.substr(place)) + "': " + problem);
  }

  static Expression pair(Kind kind, Expression left, Expression right) {
    Expression both;
    both.kind_ = kind;
    both.parts_.push_back(std::move(left));
    both.parts_.push_back(std::move(right));
    return both;
  }

  Result<Expression> set() {
    auto left = term();
    while (left) {
      const Kind kind = take('|') ? Kind::either : take('-') ? Kind::without : Kind::any;
      if (kind == Kind::any) break;
      auto right = term();
      if (!right) return right;
      left = pair(kind, *std::move(left), *std::move(right));
    }
    return left;
  }

  Result<Expression> term() {
    auto left = operand();
    while (left && take('&')) {
      auto right = operand();
      if (!right) return right;
      left = pair(Kind::both, *std::move(left), *std::move(right));
    }
    return left;
  }

  Result<Expression> in_parentheses() {
    const std::size_t opened = position_ - 1;
    if (++depth_ > Expression::deepest)
      return refuse(opened, "nested deeper than " + std::to_string(Expression::deepest) + "; write it flatter");
    auto inner = set();
    --depth_;
    if (inner && !take(')')) return refuse(position_, "expected ), &, | or -" + found());
    return inner;
  }

  Result<Expression> operand() {
    if (take('(')) return in_parentheses();
    skip_space();
    const std::size_t start = position_;
    while (position_ < text_.size() && is_word(text_[position_])) ++position_;
    const std::string_view word = text_.substr(start, position_ - start);
    if (word.empty()) return refuse(start, "expected " + std::string(operand_help) + found());
    const auto is_it = [word](const Atom& one) { return one.word == word; };
    if (const auto function = std::find_if(functions.begin(), functions.end(), is_it); function != functions.end()) {
      Expression set;
      set.kind_ = function->kind;
      if (set.kind_ == Kind::share)
        if (auto read = share(set); !read) return tl::unexpected(read.error());
      if (!take('(')) return refuse(position_, "expected ( after " + std::string(word) + found());
      auto inner = in_parentheses();
      if (!inner) return inner;
      set.parts_.push_back(*std::move(inner));
      return set;
    }
    return atom(word, start);
  }

  // ":1/4": which share, of how many.
  Result<void> share(Expression& set) {
    static constexpr unsigned most = 1024;
    const std::size_t place = position_;
    const auto number = [this](char before) -> std::optional<unsigned> {
      if (position_ == text_.size() || text_[position_] != before) return std::nullopt;
      const std::size_t start = ++position_;
      while (position_ < text_.size() && is_digit(text_[position_])) ++position_;
      const auto id = IndexSet::parse(text_.substr(start, position_ - start));
      return id ? id->first() : std::nullopt;
    };
    const auto which = number(':'), count = number('/');
    if (!which || !count || *count < 1 || *count > most)
      return refuse(place, "expected a share's number and how many there are, 1 to " + std::to_string(most) +
                               ", as share:0/2(allowed)");
    set.share_ = *which % *count;
    set.shares_ = *count;
    return {};
  }

  Result<Expression> atom(std::string_view word, std::size_t start) {
    Expression set;
    if (word == "allowed" || word == "online") return set;
    if (word == "isolated") {
      set.kind_ = Kind::isolated;
      return set;
    }
    const auto is_it = [word](const Atom& one) { return one.word == word; };
    const auto list = std::find_if(lists.begin(), lists.end(), is_it);
    const auto choice = choice_of(word);
    if (list == lists.end() && !choice && word != "die" && word != "device" && word != "kind")
      return unknown(word, start);
    if (position_ == text_.size() || text_[position_] != ':') {
      skip_space();
      const bool is_called = position_ < text_.size() && text_[position_] == '(';
      return refuse(position_, "expected : after " + std::string(word) + found() +
                                   (is_called ? suggestion(word, names_of_functions(), "(") : ""));
    }
    const std::size_t place = ++position_;
    if (choice && text_.substr(place).starts_with("any") && (place + 3 == text_.size() || !is_word(text_[place + 3]))) {
      position_ += 3;
      set.kind_ = Kind::any;
      set.any_ = *choice;
      if (open_.value_or(set.any_) != set.any_)
        return refuse(start, "only one choice may be left open; name one of them by its id");
      open_ = set.any_;
      return set;
    }
    if (word == "core") return refuse(place, "expected any; a certain core is named by its CPUs, as cpus:0,4");
    if (word == "die") return die(place);
    if (word == "device") return device(place);
    if (word == "kind") return core_kind(place);
    set.kind_ = list->kind;
    return ids(std::move(set), place, choice ? "an id as 0, a list as 0,8, or any" : "a list as 0-7,16");
  }

  // From here on. A '-' is a range's only before a digit, so that "cpus:0-7-node:1" is a difference.
  std::string_view list_at(std::size_t place) {
    const auto next_is_digit = [this] { return position_ + 1 < text_.size() && is_digit(text_[position_ + 1]); };
    position_ = place;
    while (position_ < text_.size() &&
           (is_digit(text_[position_]) || ((text_[position_] == ',' || text_[position_] == '-') && next_is_digit())))
      ++position_;
    return text_.substr(place, position_ - place);
  }

  Result<Expression> ids(Expression set, std::size_t place, const std::string& wanted) {
    const std::string_view typed = list_at(place);
    if (typed.empty()) return refuse(place, "expected " + wanted + found());
    auto list = IndexSet::parse(typed);
    if (!list) return refuse(place, list.error().message);
    set.ids_ = *std::move(list);
    return set;
  }

  Result<Expression> die(std::size_t place) {
    while (position_ < text_.size() && (is_digit(text_[position_]) || text_[position_] == '.')) ++position_;
    const std::string_view number = text_.substr(place, position_ - place);
    const auto dot = number.find('.');
    const auto package = IndexSet::parse(number.substr(0, dot));
    const auto id = dot == std::string_view::npos ? package : IndexSet::parse(number.substr(dot + 1));
    if (dot == std::string_view::npos || !package || !id || package->size() != 1 || id->size() != 1)
      return refuse(place,
                    "expected the package's id, a point and the die's, as 0.1" + (number.empty() ? found() : ""));
    Expression set;
    set.kind_ = Kind::die;
    set.package_ = *package->first();
    set.ids_ = *id;
    return set;
  }

  Result<Expression> device(std::size_t place) {
    const auto is_part = [](unsigned char c) { return std::isxdigit(c) != 0 || c == ':' || c == '.'; };
    while (position_ < text_.size() && is_part(static_cast<unsigned char>(text_[position_]))) ++position_;
    auto address = pci_address(text_.substr(place, position_ - place));
    if (!address) return refuse(place, "expected a PCI address, as 0000:81:00.0 or 81:00.0");
    Expression set;
    set.kind_ = Kind::device;
    set.word_ = *std::move(address);
    return set;
  }

  Result<Expression> core_kind(std::size_t place) {
    while (position_ < text_.size() && is_letter(text_[position_])) ++position_;
    const std::vector<std::string> known{"performance", "efficiency"};
    Expression set;
    set.kind_ = Kind::core_kind;
    set.word_ = std::string(text_.substr(place, position_ - place));
    if (std::find(known.begin(), known.end(), set.word_) == known.end())
      return refuse(place, "expected performance or efficiency" + suggestion(set.word_, known, ""));
    return set;
  }

  static std::string suggestion(std::string_view word, const std::vector<std::string>& known, std::string_view rest) {
    const auto nearest = word.empty() ? std::nullopt : nearest_name(word, known);
    return nearest ? "; did you mean '" + *nearest + std::string(rest) + "'?" : "";
  }

  static std::vector<std::string> names_of_functions() {
    std::vector<std::string> names;
    for (const Atom& one : functions) names.emplace_back(one.word);
    return names;
  }

  // Another tool's word for one of ours, or nearly one of ours: a function where it is called.
  std::string meant_by(std::string_view word) {
    std::vector<std::string> known = names_of_functions();
    if (take('(')) return suggestion(word, known, "(");
    const std::string rest = take(':') ? ':' + std::string(list_at(position_)) : "";
    known.insert(known.end(), {"allowed", "online", "isolated", "die", "device", "kind", "core"});
    for (const Atom& one : lists) known.emplace_back(one.word);
    const auto is_it = [word](const auto& one) { return one.first == word; };
    const auto ours = std::find_if(words_of_other_tools.begin(), words_of_other_tools.end(), is_it);
    return suggestion(ours == words_of_other_tools.end() ? word : ours->second, known, rest);
  }

  tl::unexpected<Error> unknown(std::string_view word, std::size_t start) {
    const bool is_list = std::all_of(word.begin(), word.end(), is_digit);
    const std::string found(is_list ? list_at(start) : word);
    return refuse(start, "expected " + std::string(operand_help) + ", found '" + found + '\'' +
                             (is_list ? "; did you mean 'cpus:" + found + "'?" : meant_by(word)));
  }

  std::string_view text_;
  std::size_t position_ = 0, depth_ = 0;
  std::optional<AnyOf> open_;
};

Result<Expression> Expression::parse(std::string_view text) {
  if (text.size() > longest)
    return fail("an expression of " + std::to_string(text.size()) + " characters; at most " + std::to_string(longest) +
                " are read");
  return ExpressionParser(text).whole();
}

}  // namespace bindgate
