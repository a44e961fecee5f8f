#include "core/printable.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace bindgate {
namespace {

bool is_white_space(unsigned char c) { return c >= '\t' && c <= '\r'; }
bool is_control(unsigned char c) { return c < ' ' || c == 127; }

// The writer of JSON knows what is UTF-8.
std::string valid_utf8(const std::string& text) {
  using Json = nlohmann::json;
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

// U+0080 to U+009F in UTF-8: of a terminal that takes eight bits, the same commands as after an escape.
std::size_t find_eight_bit_control(const std::string& text, std::size_t from) {
  for (auto place = text.find('\xc2', from); place != std::string::npos; place = text.find('\xc2', place + 1))
    if (static_cast<unsigned char>(text[place + 1]) < 0xa0) return place;
  return std::string::npos;
}

}  // namespace

std::string printable(std::string text) {
  std::replace_if(text.begin(), text.end(), is_white_space, ' ');
  std::replace_if(text.begin(), text.end(), is_control, '?');
  if (std::all_of(text.begin(), text.end(), [](unsigned char c) { return c < 128; })) return text;
  text = valid_utf8(text);
  for (auto place = find_eight_bit_control(text, 0); place != std::string::npos;
       place = find_eight_bit_control(text, place))
    text.replace(place, 2, "?");
  return text;
}

}  // namespace bindgate
