#include "settings/setting_value.h"

#include <algorithm>
#include <cstdint>
#include <sstream>

#include "beam/layout/forced_places.h"
#include "text/host_and_port.h"
#include "text/pattern.h"

namespace beam_exporter::settings {
namespace {

// A limit, because an error text repeats the whole expression.
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
  std::string complaint =
      yaml::shown(text) + " is not an address such as :10125, 127.0.0.1:10125 or [::1]:10125";
  const auto parts = text::split_host_and_port(text);
  if (!parts) return complaint;
  const bool odd_host = parts->host.find_first_of(" \t,/") != std::string::npos ||
                        (parts->bracketed ? parts->host.empty()
                                          : parts->host.find_first_of(":[]") != std::string::npos);
  const bool digits = !parts->port.empty() &&
                      std::ranges::all_of(parts->port, [](char c) { return c >= '0' && c <= '9'; });
  if (odd_host || !digits) return complaint;
  std::uint16_t number = 0;
  const auto fits = yaml::convert({parts->port}, number);
  return fits ? "" : yaml::shown(text) + ": port " + fits.error().text;
}

std::string server_urls(const std::string& text) {
  std::istringstream words(text);
  for (std::string url; words >> url;)
    if (!url.starts_with("https://") && !url.starts_with("http://"))
      return yaml::shown(url) + " is not an address such as https://debuginfod.debian.net";
  return "";
}

std::string forced_register(const std::string& text) {
  const auto forced = beam::forced_places({text});
  return forced ? "" : forced.error().text;
}

std::string url_path(const std::string& text) {
  if (text == "/") return "'/' is the landing page; choose a path such as /metrics";
  const bool odd = std::ranges::any_of(text, [](char c) {
    return c <= ' ' || c == 0x7F || c == '?' || c == '#' || c == '*' || c == '|' || c == '$';
  });
  if (!text.starts_with('/') || text.ends_with('/') || odd)
    return yaml::shown(text) + " is not a path such as /metrics";
  struct Taken {
    std::string_view folder, by;
  };
  constexpr Taken all[] = {{"/-/", "health and reload"},
                           {"/api/", "the figures of the live page"},
                           {"/assets/", "the scripts of the live page"},
                           {"/debug/pprof/", "the profiles"},
                           {"/flamegraph", "the flame graphs"}};
  for (const auto& taken : all)
    if (text.starts_with(taken.folder))
      return yaml::shown(text) + " is in " + std::string(taken.folder) + ", where " +
             std::string(taken.by) + " are; choose a path such as /metrics";
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
