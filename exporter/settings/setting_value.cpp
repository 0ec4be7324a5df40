#include "settings/setting_value.h"

#include <algorithm>
#include <cstdint>

#include "text/pattern.h"

namespace beam_exporter::settings {
namespace {

// Complaints repeat it.
constexpr std::size_t longest_expression = 1000;

}  // namespace

std::string any_text(const std::string&) { return ""; }

std::string regular_expression(const std::string& text) {
  if (text.size() > longest_expression)
    return "a regular expression of " + std::to_string(text.size()) + " characters; at most " +
           std::to_string(longest_expression) + " are allowed";
  const std::string problem = text::Pattern(text).problem();
  return problem.empty() ? "" : yaml::shown(text) + " is not a regular expression: " + problem;
}

std::string listen_address(const std::string& text) {
  const std::string complaint =
      yaml::shown(text) + " is not an address such as :10125, 127.0.0.1:10125 or [::1]:10125";
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return complaint;
  const std::string host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  const bool odd = host.find_first_of(" \t,/") != std::string::npos ||
                   (!bracketed && host.find_first_of(":[]") != std::string::npos);
  const std::string port = text.substr(colon + 1);
  const bool digits =
      !port.empty() && std::ranges::all_of(port, [](char c) { return c >= '0' && c <= '9'; });
  if (odd || !digits) return complaint;
  std::uint16_t number = 0;
  const auto fits = yaml::convert({port}, number);
  return fits ? "" : yaml::shown(text) + ": port " + fits.error().text;
}

std::string url_path(const std::string& text) {
  if (text == "/") return "'/' is the landing page; choose a path such as /metrics";
  const bool odd = std::ranges::any_of(text, [](char c) {
    return c <= ' ' || c == 0x7F || c == '?' || c == '#' || c == '*' || c == '|' || c == '$';
  });
  if (!text.starts_with('/') || text.ends_with('/') || odd)
    return yaml::shown(text) + " is not a path such as /metrics";
  if (text.starts_with("/-/"))
    return yaml::shown(text) +
           " is in /-/, where health and reload are; choose a path such as /metrics";
  return "";
}

std::string web_config_file(const std::string& text) {
  return text.empty() ? "" : "TLS and basic auth are not supported yet; leave it out";
}

std::string native_function(const std::string& text) {
  const bool good = !text.empty() && text.size() <= 255 && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '$' || c == '.';
  });
  return good ? "" : yaml::shown(text) + " is not the name of a native function";
}

std::string text_of(const std::vector<std::string>& values, TextRule) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : " ") + value;
  return text;
}

}  // namespace beam_exporter::settings
