#include "topology/description.hpp"

#include <regex>
#include <set>
#include <sstream>

namespace bindgate {
namespace {

// `text` begins with the declaration.
bool is_own_type_of_hwloc(std::string_view text) {
  static const std::regex plain(R"(<!DOCTYPE\s+topology\s+SYSTEM\s+("[^"<>]*"|'[^'<>]*')\s*>)");
  constexpr std::size_t longest = 256;  // matching recurses with the length of what it is given
  const std::string_view begin = text.substr(0, longest);
  return std::regex_search(begin.begin(), begin.end(), plain, std::regex_constants::match_continuous);
}

}  // namespace

Result<void> check_xml(std::string_view text) {
  const std::string_view head = text.substr(0, 4096);
  if (head.find("<topology version=\"3") != std::string_view::npos)
    return fail("is hwloc XML of version 3, newer than this hwloc reads; "
                "export it there again with lstopo --export-xml-flags v2");
  constexpr std::string_view declaration = "<!DOCTYPE";
  for (std::size_t place = 0; (place = text.find(declaration, place)) != std::string_view::npos;
       place += declaration.size())
    if (!is_own_type_of_hwloc(text.substr(place)))
      return fail("declares a document type of its own (<!DOCTYPE); hwloc's is "
                  "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">, and none is fine too");
  return {};
}

Result<void> check_synthetic(const std::string& description) {
  // Not the loops and types that may stand there too, as in indexes=2*2:1*2.
  static const std::regex lists("indexes=([0-9]+(?:,[0-9]+)*)(?![0-9,*:])");
  for (std::sregex_iterator list(description.begin(), description.end(), lists), end; list != end; ++list) {
    std::set<std::string> seen;
    std::istringstream numbers((*list)[1]);
    for (std::string number; std::getline(numbers, number, ',');)
      if (!seen.insert(number).second)
        return fail("gives the number " + number + " twice in " + list->str() + "; number each once");
  }
  return {};
}

}  // namespace bindgate
