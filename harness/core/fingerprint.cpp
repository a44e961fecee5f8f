#include "core/fingerprint.hpp"

#include <cctype>
#include <cstdint>
#include <cstdio>
#include <set>

namespace bindgate {
namespace {

constexpr std::size_t longest_slug = 40;

std::string slug(const std::string& text) {
  std::string slug;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte))
      slug += static_cast<char>(std::tolower(byte));
    else if (!slug.empty() && slug.back() != '-')
      slug += '-';
    if (slug.size() == longest_slug) break;
  }
  while (!slug.empty() && slug.back() == '-') slug.pop_back();
  return slug.empty() ? "machine" : slug;
}

}  // namespace

std::string Fingerprint::id() const {
  std::uint32_t hash = 2166136261u;
  const auto add = [&hash](const std::string& text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    hash = (hash ^ 0xffu) * 16777619u;  // 0xff never occurs in UTF-8, so it separates
  };
  for (const auto& [name, value] : fields) {
    add(name);
    add(value);
  }
  char digits[9];
  std::snprintf(digits, sizeof digits, "%08x", hash);
  const auto cpu = fields.find("cpu");
  return slug(cpu == fields.end() ? "" : cpu->second) + '-' + digits;
}

std::vector<std::string> differences(const std::map<std::string, std::string>& here,
                                     const std::map<std::string, std::string>& there) {
  std::set<std::string> names;
  for (const auto& [name, value] : here) names.insert(name);
  for (const auto& [name, value] : there) names.insert(name);
  const auto shown = [](const auto& fields, const std::string& name) {
    const auto field = fields.find(name);
    return field == fields.end() || field->second.empty() ? std::string("nothing") : field->second;
  };
  std::vector<std::string> lines;
  for (const std::string& name : names)
    if (const auto a = shown(here, name), b = shown(there, name); a != b)
      lines.push_back(name + ": " + a + " here, " + b + " there");
  return lines;
}

}  // namespace bindgate
